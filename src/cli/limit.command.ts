import type { Command } from 'commander';
import { CommandError, exitStatuses } from './command-error.ts';
import { commandGroup, givenOnly, operatorCommand, REASON_OPTION } from './operator-command.ts';
import { printLine } from './output.ts';

interface Limit {
  limit: number | null;
  in_use: number;
  reason: string | null;
}

const PATH = 'settings/create-account-concurrency-limit/';

/** `limit show|set|off`: how many accounts may be created concurrently. */
export function limitCommand(): Command {
  return commandGroup('limit', 'Concurrency limit on the creation of accounts', [
    operatorCommand({
      usage: 'show',
      description: 'Show the limit and how much of it is in use.',
      examples: ['limit show'],
      call: (client): Promise<Limit> => client.call('GET', PATH),
      show,
    }),
    operatorCommand({
      usage: 'set <accounts>',
      description:
        'Set how many accounts may be created concurrently; requests above the limit get 429 with Retry-After.',
      examples: ['limit set 20 --reason "support site is slow"'],
      options: (command) => command.option(...REASON_OPTION),
      call: (client, accounts: string, options: { reason?: string }): Promise<Limit> =>
        client.call('PUT', PATH, givenOnly({ limit: wholeNumber(accounts), reason: options.reason })),
      show,
    }),
    operatorCommand({
      usage: 'off',
      description: 'Remove the limit.',
      examples: ['limit off --reason "support site is well again"'],
      options: (command) => command.option(...REASON_OPTION),
      call: (client, options: { reason?: string }): Promise<Limit> =>
        client.call('PUT', PATH, { limit: null, ...givenOnly({ reason: options.reason }) }),
      show,
    }),
  ]);
}

function show({ limit, in_use: inUse, reason }: Limit): void {
  const why = reason === null ? '' : ` (${reason})`;
  printLine(
    limit === null
      ? `There is no limit${why}.`
      : `At most ${limit} accounts are created concurrently, ${inUse} now${why}.`,
  );
}

function wholeNumber(text: string): number {
  if (!/^[1-9]\d{0,9}$/.test(text)) {
    throw new CommandError('A whole number from 1 is expected; `limit off` removes the limit.', exitStatuses.usage);
  }
  return Number(text);
}
