import type { Command } from 'commander';
import type { CheckPage } from '../check/check.schema.ts';
import type { MismatchKind } from '../vocabulary/mismatches.ts';
import type { ApiClient } from './api-client.ts';
import { exitStatuses } from './command-error.ts';
import { operatorCommand } from './operator-command.ts';
import { printLine, printTable } from './output.ts';

/** The mismatches of one kind. */
interface Counted {
  kind: MismatchKind;
  count: number;
  mended: number;
  /** The number that `--mend` cannot correct: people have to decide. */
  decisions: number;
  examples: string[];
  what_to_do: string;
}

/** The result of a complete check. */
interface CheckResult {
  looked_at: number;
  found: Counted[];
}

const EXAMPLES_MAX = 3;

/** `check [--mend]`: whether Postgres and Temporal agree about open work. */
export function checkCommand(): Command {
  return operatorCommand({
    usage: 'check',
    description:
      'Compare open work in Postgres with the runs in Temporal; run it after restoring either from a backup. Exit status 1: mismatches remain that --mend can correct; 5: only mismatches remain that need a decision.',
    examples: ['check', 'check --mend'],
    options: (command) =>
      command.option('--mend', 'correct mismatches: start missing runs, end orphaned runs, free slots'),
    call: (client, { mend }: { mend?: true }): Promise<CheckResult> => walk(client, mend === true),
    show,
    exitStatus,
  });
}

function exitStatus({ found }: CheckResult): number {
  if (found.some(({ count, mended, decisions }) => count > mended + decisions)) return exitStatuses.failed;
  return found.some(({ decisions }) => decisions > 0) ? exitStatuses.decisions : exitStatuses.done;
}

async function walk(client: ApiClient, isRepairing: boolean): Promise<CheckResult> {
  const found = new Map<MismatchKind, Counted>();
  let compared = 0;
  let cursor: string | null = null;
  do {
    const page: CheckPage = await (isRepairing
      ? client.call('POST', 'checks/mend/', cursor === null ? {} : { cursor })
      : client.call('GET', `checks/${cursor === null ? '' : `?cursor=${cursor}`}`));
    compared += page.looked_at;
    for (const one of page.mismatches) {
      const kind = found.get(one.kind) ?? {
        kind: one.kind,
        count: 0,
        mended: 0,
        decisions: 0,
        examples: [],
        what_to_do: one.what_to_do,
      };
      kind.count += 1;
      if (one.outcome === 'mended') kind.mended += 1;
      if (!one.mendable) kind.decisions += 1;
      if (kind.examples.length < EXAMPLES_MAX) kind.examples.push(one.subject);
      found.set(one.kind, kind);
    }
    cursor = page.next_cursor;
  } while (cursor !== null);
  return { looked_at: compared, found: [...found.values()] };
}

function show({ looked_at: compared, found }: CheckResult): void {
  printTable(
    found,
    {
      FOUND: (one) => one.kind,
      COUNT: (one) => one.count,
      MENDED: (one) => one.mended,
      EXAMPLES: (one) => one.examples.join(', '),
    },
    'Postgres and Temporal agree.',
  );
  for (const one of found) printLine(`\n${one.kind}\n  ${one.what_to_do}`);
  printLine(`\nItems compared: ${compared}.`);
}
