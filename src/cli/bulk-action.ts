import { createInterface } from 'node:readline/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { InvalidArgumentError, Option } from 'commander';
import type { BulkActionView, BulkPreview } from '../bulk-actions/bulk-action.schema.ts';
import { tableOf } from '../foundation/table.ts';
import type { JsonOption } from './command.ts';
import { CommandError, exitStatuses } from './command-error.ts';
import type { Connection } from './connection.ts';
import { runInterruptibly } from './interrupt.ts';
import { REASON, REQUIRED_REASON } from './operator-command.ts';
import { counted, printAnswer, printLine, printTable } from './output.ts';
import { barOf, ProgressLine } from './progress.ts';

const SECONDS_IN = tableOf<number>({ s: 1, m: 60, h: 3_600, d: 86_400 });
const WATCH_MS = 500;

function durationIn(text: string): number {
  const [, digits = '', unit = ''] = /^(\d{1,6})([smhd])$/.exec(text) ?? [];
  if (digits === '') throw new InvalidArgumentError('Write a number with s, m, h or d, for example 2h.');
  return Number(digits) * (SECONDS_IN.get(unit) ?? 1);
}

/** The options of a command that changes all stuck work that matches. */
export const bulkOptions = (isReasonRequired: boolean): Option[] => [
  new Option('--cause <cause>', 'only work with this cause'),
  new Option('--party <party>', 'only work that this party has to answer, for example STRIPE'),
  new Option('--supplier <code>', 'only work of this import supplier'),
  new Option('--wave <wave>', 'only work of the accounts of this wave'),
  new Option('--older-than <duration>', 'only work that is stuck for longer, for example 2h').argParser(durationIn),
  isReasonRequired ? REQUIRED_REASON : REASON,
  new Option('--yes', 'do not ask before it starts'),
  new Option('--no-wait', 'return when it has started'),
];

export interface BulkOptions extends JsonOption {
  cause?: string;
  party?: string;
  supplier?: string;
  wave?: string;
  olderThan?: number;
  reason?: string;
  yes?: true;
  wait?: boolean;
}

/** Whether the options have a filter. */
export function hasFilter({ cause, party, supplier, wave, olderThan }: BulkOptions): boolean {
  return [cause, party, supplier, wave, olderThan].some((one) => one !== undefined);
}

const PATH = 'bulk-actions/';

/** Shows the matching items, asks, starts the action and follows it to its end. */
export async function runBulkAction(
  connection: Connection,
  action: { action: string; decision?: string | undefined; to_import_supplier?: string | undefined },
  options: BulkOptions,
): Promise<void> {
  const { cause, party, supplier, wave, olderThan, json } = options;
  const body = {
    ...action,
    filter: { cause, party, import_supplier: supplier, wave_id: wave, older_than_seconds: olderThan },
    reason: options.reason ?? 'Started on the command line',
  };
  const preview = await connection.send<BulkPreview>('POST', PATH, { ...body, dry_run: true });
  if (!json) showPreview(preview);
  if (preview.matched === 0 && !json) return;
  if (!options.yes && preview.matched > 0) await ask(`${action.action} ${counted(preview.matched, 'item')}?`);
  const started = await connection.send<BulkActionView>('POST', PATH, body);
  const isEnded = options.wait !== false;
  printAnswer(isEnded ? await watch(connection, started, options) : started, json, showBulkAction);
}

function showPreview({ matched, oldest_at: oldest, sample }: BulkPreview): void {
  if (matched === 0) return printLine('No stuck work matches.');
  printLine(`${counted(matched, 'item')} ${matched === 1 ? 'matches' : 'match'}, the oldest since ${oldest}:`);
  printTable(
    sample,
    {
      ITEM: 'item',
      CAUSE: 'cause',
      PARTY: 'party',
      ACCOUNT: ({ import_supplier: code, external_account_number: number }) => (code ? `${code}/${number}` : null),
      SINCE: 'stuck_since',
    },
    '',
  );
}

async function ask(question: string): Promise<void> {
  if (process.stdin.isTTY !== true) {
    throw new CommandError('Add --yes to start it without a terminal.', exitStatuses.usage);
  }
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  const answer = await terminal.question(`\n${question} [y/N] `).finally(() => terminal.close());
  if (!/^y(es)?$/i.test(answer.trim())) throw new CommandError('Nothing was changed.');
}

/** Shows the progress until the action has ended or is paused. */
async function watch(connection: Connection, started: BulkActionView, options: BulkOptions): Promise<BulkActionView> {
  const id = started.bulk_action_id;
  const progress = new ProgressLine(options);
  let view = started;
  await runInterruptibly(
    async () => {
      for (;;) {
        view = await connection.send<BulkActionView>('GET', `${PATH}${id}/`);
        const { matched, handled, status } = view;
        progress.show(`${barOf(matched === 0 ? 1 : handled / matched)}  ${handled} of ${matched}`, status);
        if (status !== 'RUNNING') return progress.keep();
        await sleep(WATCH_MS);
      }
    },
    () =>
      `The action continues. Follow it: ${connection.program} bulk show ${id}; stop it: ${connection.program} bulk cancel ${id} --reason <why>`,
  );
  return view;
}

const WORDS = tableOf({
  done: 'done',
  in_progress: 'in progress already, or waiting for a worker',
  unchanged: 'unchanged: a decision is needed, or the account does not exist yet',
  gone: 'completed in the meantime',
  refused: 'rejected; `bulk results` shows why',
});

/** Prints a bulk action with its outcomes. */
export function showBulkAction(view: BulkActionView): void {
  const { bulk_action_id: id, action, status, handled, matched, requested_by: by, reason } = view;
  printLine(`${id}  ${action}  ${status}  ${handled} of ${matched}`);
  printLine(`  ${by}: ${reason}`);
  for (const [outcome, count] of Object.entries(view.outcomes)) {
    if (count > 0) printLine(`  ${count}: ${WORDS.get(outcome) ?? outcome}`);
  }
}
