import type { Command } from 'commander';
import { commandGroup, givenOnly, operatorCommand, pathOf, REASON_OPTION } from './operator-command.ts';
import { printLine, printOutline } from './output.ts';

interface PinOfNote {
  note: number;
  unpin_at: string | null;
}

const pinOf = (supplier: string, number: string, note: string) =>
  `accounts/${pathOf(supplier, number, 'notes', note, 'pin')}`;

/** `account show|pin|unpin`: all stored data of one account, and which of its notes are pinned. */
export function accountCommand(): Command {
  return commandGroup('account', 'Imported and staged accounts', [
    operatorCommand({
      usage: 'show <supplier> <number>',
      description: 'Show all stored data of an account. The read is audited.',
      examples: ['account show ACME A-1001', 'account show ACME A-1001 --json'],
      options: (command) =>
        command.option('--reveal', 'show masked contact data, for a key with the scope read; audited'),
      call: (client, supplier: string, number: string, { reveal = false }: { reveal?: boolean }): Promise<object> =>
        client.call('GET', `accounts/${pathOf(supplier, number)}${reveal ? '?reveal=true' : ''}`),
      show: (account) => printOutline(account),
    }),
    operatorCommand({
      usage: 'pin <supplier> <number> <note>',
      description: 'Pin a note; account show numbers them.',
      examples: ['account pin ACME A-1001 0 --until 2027-01-31T23:00:00Z'],
      options: (command) =>
        command.option('--until <instant>', 'unpin it automatically at this time').option(...REASON_OPTION),
      call: (
        client,
        supplier: string,
        number: string,
        note: string,
        { until, reason }: { until?: string; reason?: string },
      ): Promise<PinOfNote> =>
        client.call('PUT', pinOf(supplier, number, note), givenOnly({ unpin_at: until, reason })),
      show: ({ note, unpin_at: until }) =>
        printLine(`Note ${note} is pinned${until === null ? '' : ` until ${until}`}.`),
    }),
    operatorCommand({
      usage: 'unpin <supplier> <number> <note>',
      description: 'Unpin a note.',
      examples: ['account unpin ACME A-1001 0'],
      options: (command) => command.option(...REASON_OPTION),
      call: (
        client,
        supplier: string,
        number: string,
        note: string,
        { reason }: { reason?: string },
      ): Promise<PinOfNote> => client.call('DELETE', pinOf(supplier, number, note), givenOnly({ reason })),
      show: ({ note }) => printLine(`Note ${note} is not pinned.`),
    }),
  ]);
}
