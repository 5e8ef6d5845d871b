import { Option, type Command } from 'commander';
import { bulkOptions, type BulkOptions, hasFilter, runBulkAction } from './bulk-action.ts';
import { CommandError, exitStatuses } from './command-error.ts';
import type { Connection } from './connection.ts';
import { operatorGroup, pathOf } from './operator-command.ts';
import { printJson, printLine, printTable } from './output.ts';
import type { DueWorkView, StuckList, StuckView } from '../stuck/stuck.schema.ts';
import { tableOf } from '../foundation/table.ts';

const ACCOUNTS_NAMED_MAX = 3;
/** A part of what the service answers. */
const RETRIED = { type: 'object', required: ['outcome'], properties: { outcome: { type: 'string' } } };
/** `stuck list|retry`: lists stuck work with its causes, and retries it immediately. */
export const stuckCommand = (): Command =>
  operatorGroup('stuck', 'Stuck work: its causes, and retries', [
    {
      usage: 'list',
      description: 'List stuck work, oldest first, with the action to take.',
      examples: ['stuck list', 'stuck list --account ACME/A-1001', 'stuck list --cause vendor_unavailable'],
      options: [
        new Option('--account <number>', 'only this account: its number, or supplier/number'),
        new Option('--cause <cause>', 'only work with this cause'),
        new Option('--cursor <cursor>', '`next_cursor` of the previous page'),
      ],
      route: 'GET stuck/',
      show,
    },
    {
      usage: 'retry [id...]',
      description: 'Retry stuck work immediately: the given ids, or all work that matches.',
      note: 'Without ids it shows what matches, asks, and follows the action; `bulk` pauses and cancels it.',
      examples: [
        'stuck retry <id of stuck list>',
        'stuck retry --cause vendor_unavailable --supplier ACME --older-than 2h',
        'stuck retry --party SLIMPAY --yes --reason "SLIMPAY has recovered"',
      ],
      options: bulkOptions(false),
      json: 'print the results as one JSON line',
      prints: [
        { when: 'with ids', schema: { type: 'array', items: RETRIED } },
        { when: 'without ids', operation: 'GET /v1/operations/bulk-actions/<bulk>/' },
      ],
      act: retry,
    },
  ]);

function show({ stuck, total, counts, counted_all: isAll, next_cursor: next, due_work: dueWork }: StuckList): void {
  printTable(
    stuck,
    {
      CONCERNS: accountsOf,
      SINCE: 'waiting_since',
      ATTEMPT: 'attempt',
      CAUSE: 'cause',
      NEXT: (one) => (one.paused ? 'paused' : one.next_attempt_at),
      ID: 'id',
    },
    'No work is stuck.',
  );
  for (const one of stuck) {
    printLine(
      `\n${accountsOf(one)}\n  ${one.last_failure?.message ?? 'No failure is known.'}\n  ${one.what_to_do}\n  npm run cli -- ${commandFor(one)}`,
    );
  }
  if (total > 1) {
    printLine(`\n${isAll ? '' : 'At least '}${total} stuck, by cause:`);
    for (const { cause, count } of counts) {
      printLine(`  ${String(count).padStart(6)} ${cause}   npm run cli -- stuck retry --cause ${cause}`);
    }
  }
  if (next !== null) printLine(`\nThe next page: npm run cli -- stuck list --cursor ${next}`);
  if (dueWork) showDueWork(dueWork);
}

/** The command that helps: a retry cannot replace a decision by a person. */
function commandFor({ id, accounts: [account], last_failure: failure, message_id: messageId }: StuckView): string {
  if (messageId) return `switch dismiss ${messageId} --reason <why>`;
  return failure?.type === 'supply_point_on_another_account' && account
    ? `switch decide ${account.import_supplier} ${account.external_account_number} --decision <GO_ON|LEAVE> --reason <why>`
    : `stuck retry ${id}`;
}

function showDueWork({ kinds, dispatcher }: DueWorkView): void {
  for (const { kind, due, oldest_due_at: since } of kinds.filter(({ late }) => late)) {
    printLine(
      `\nLate: ${due} work items of the kind ${kind} are due but not started, the oldest since ${since}. Check that a worker is running.`,
    );
  }
  if (dispatcher.overdue) {
    printLine(
      `\nThe worker that dispatches scheduled work, ${dispatcher.holder}, does not respond. Another worker takes over within seconds.`,
    );
  }
}

function accountsOf({ accounts, network_operator: operator, batch_id: batch, job_id: job }: StuckView): string {
  if (operator) return `lookups at ${operator}`;
  if (batch) return `supply points, batch ${batch}`;
  if (job) return `import job ${job}`;
  const named = accounts
    .slice(0, ACCOUNTS_NAMED_MAX)
    .map((one) => `${one.import_supplier}/${one.external_account_number}`)
    .join(', ');
  return accounts.length > ACCOUNTS_NAMED_MAX ? `${named} and ${accounts.length - ACCOUNTS_NAMED_MAX} more` : named;
}

type RetryOptions = BulkOptions & { id: string[] };

async function retry({ id: ids, ...options }: RetryOptions, connect: () => Promise<Connection>): Promise<void> {
  if ((ids.length === 0) !== hasFilter(options)) {
    throw new CommandError(
      'Name what to retry: ids of `stuck list`, or a filter such as --cause <cause>.',
      exitStatuses.usage,
    );
  }
  const connection = await connect();
  if (ids.length > 0) await retryEach(connection, ids, options.json === true);
  else await runBulkAction(connection, { action: 'retry' }, options);
}

async function retryEach(connection: Connection, ids: readonly string[], isJson: boolean): Promise<void> {
  const answers: { outcome: string }[] = [];
  const failures: CommandError[] = [];
  for (const id of ids) {
    try {
      const answer = await connection.send<{ outcome: string }>('POST', pathOf('stuck/<id>/retry/', { id }));
      answers.push(answer);
      const result = `${id} ${WORDS.get(answer.outcome) ?? answer.outcome}`;
      // `unchanged` is an error, so that scripts do not take it for success.
      if (answer.outcome === 'unchanged') failures.push(new CommandError(result));
      else if (!isJson) printLine(result);
    } catch (error) {
      if (!(error instanceof CommandError)) throw error;
      failures.push(error);
    }
  }
  if (isJson) printJson(answers);
  const [first] = failures;
  if (first) throw new CommandError(failures.map(({ message }) => message).join('\n'), first.exitStatus);
}

const WORDS = tableOf({
  activity_reset: 'is retried now',
  asked_again: 'is requested again now',
  workflow_started: 'was started',
  running: 'is in progress already, or waits for a worker',
  unchanged: 'was not retried, because a retry does not help; `stuck list` shows the action to take',
});
