import { Command } from 'commander';
import { Listr } from 'listr2';
import { CommandError } from './command-error.ts';
import { openInterface, type InterfaceClient } from './interface-client.ts';
import { commandGroup, operatorCommand, pathOf, withExamples } from './operator-command.ts';
import { printJson, printLine, printTable } from './output.ts';
import { tableOf } from '../vocabulary/table.ts';

interface Stuck {
  id: string;
  kind: string;
  accounts: { import_supplier: string; external_account_number: string }[];
  network_operator?: string | null;
  batch_id?: string | null;
  message_id?: string | null;
  waiting_since: string;
  attempt: number;
  last_failure: { type: string; message: string } | null;
  next_attempt_at: string | null;
  paused: boolean;
  what_to_do: string;
}

interface StuckList {
  stuck: Stuck[];
  complete: boolean;
}

interface Retried {
  id: string;
  outcome: string;
}

const ACCOUNTS_NAMED_MAX = 3;

/** `stuck list|retry`: what waits, why, and trying it again at once (design 4). */
export function stuckCommand(): Command {
  return commandGroup('stuck', 'Work that waits', [
    operatorCommand({
      usage: 'list', description: 'List what waits, longest first, with what to do about it.', examples: ['stuck list', 'stuck list --account ACME/A-1001'],
      options: (command) => command.option('--account <number>', 'only this account: its number, or supplier/number'),
      ask: (client, options: { account?: string }): Promise<StuckList> => client.call('GET', `stuck/${options.account ? `?${new URLSearchParams({ account: options.account })}` : ''}`),
      show,
    }),
    retryCommand(),
  ]);
}

function show({ stuck, complete }: StuckList): void {
  printTable(stuck, {
    CONCERNS: accountsOf, SINCE: (one) => one.waiting_since, ATTEMPT: (one) => one.attempt, FAILURE: (one) => one.last_failure?.type,
    NEXT: (one) => (one.paused ? 'paused' : one.next_attempt_at), ID: (one) => one.id,
  }, 'Nothing waits.');
  for (const one of stuck) {
    printLine(`\n${accountsOf(one)}\n  ${one.last_failure?.message ?? 'No failure is known.'}\n  ${one.what_to_do}\n  npm run cli -- stuck retry ${one.id}`);
    if (one.message_id) printLine(`  npm run cli -- switch set-aside ${one.message_id} --reason <why>`);
  }
  if (!complete) printLine('\nMore may wait than is listed; ask for one account with --account.');
}

function accountsOf({ accounts, network_operator: operator, batch_id: batch }: Stuck): string {
  if (operator) return `look-ups at ${operator}`;
  if (batch) return `supply points, batch ${batch}`;
  const named = accounts.slice(0, ACCOUNTS_NAMED_MAX).map((one) => `${one.import_supplier}/${one.external_account_number}`).join(', ');
  return accounts.length > ACCOUNTS_NAMED_MAX ? `${named} and ${accounts.length - ACCOUNTS_NAMED_MAX} more` : named;
}

function retryCommand(): Command {
  const command = new Command('retry').arguments('<id...>').description('Try waiting work again at once.').option('--json', 'print the answers as one JSON line');
  return withExamples(command, ['stuck retry <id of stuck list>']).action(async (ids: string[], options: { json?: true }) => {
    const client = await openInterface();
    const answers: Retried[] = [];
    const failures: CommandError[] = [];
    const tasks = new Listr(ids.map((id) => retryTask(client, id, answers, failures)), {
      exitOnError: false, renderer: options.json ? 'silent' : 'simple', fallbackRenderer: options.json ? 'silent' : 'simple',
    });
    await tasks.run();
    if (options.json) printJson(answers);
    const [first] = failures;
    if (first) throw new CommandError(failures.map(({ message }) => message).join('\n'), first.exitStatus);
  });
}

const WORDS = tableOf({
  activity_reset: 'is tried again now', asked_again: 'is asked for again now', workflow_started: 'was started', running: 'is under way, or waits for a worker; there is nothing to hurry',
  unchanged: 'still waits: what it is for is not there',
});

function retryTask(client: InterfaceClient, id: string, answers: Retried[], failures: CommandError[]) {
  return {
    title: id,
    task: async (_context: unknown, task: { title?: string }) => {
      try {
        const answer = await client.call<Retried>('POST', `stuck/${pathOf(id, 'retry')}`);
        answers.push(answer);
        task.title = `${id} ${WORDS.get(answer.outcome) ?? answer.outcome}`;
      } catch (error) {
        if (error instanceof CommandError) failures.push(error);
        throw error;
      }
    },
  };
}
