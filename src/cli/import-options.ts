import { InvalidArgumentError, type Command } from 'commander';
import { importJobGoals, importJobKinds, type ImportJobGoal } from '../vocabulary/import-jobs.ts';
import { CommandError, exitStatuses } from './command-error.ts';
import { readManifest } from './sent-manifest.ts';
import type { AccessOptions } from './connection.ts';

/** The options of `import`. */
export interface ImportOptions extends AccessOptions {
  supplier: string;
  kind: string;
  goal?: ImportJobGoal;
  team?: string;
  name?: string;
  wave?: string;
  staged?: true;
  canary?: number;
  stopAfterFailures?: { count: number } | { percent: number };
  window?: { from: string; to: string };
  manifest?: string;
  maxPerSecond?: number;
  watch?: true;
  failures?: string;
  job?: string;
  new?: true;
  start: boolean;
  json?: true;
}

/** The default team, which guides and examples use. Operators assign other teams to some suppliers. */
export const TEAM = 'Migration';
const GOALS_OF_ACCOUNTS = ['VALIDATE', 'STAGE', 'REHEARSE', 'CREATE'];
const GOALS_OF_THE_REST = ['VALIDATE', 'IMPORT'];
const GOALS_WITH_TEAM = ['REHEARSE', 'CREATE'];

/** Adds the options of `import`. */
export function addImportOptions(command: Command): Command {
  return command
    .requiredOption('--supplier <code>', 'import supplier')
    .option('--kind <kind>', `what the records are: ${Object.keys(importJobKinds).join(', ')}`, kindIn, 'accounts')
    .option(
      '--goal <goal>',
      'accounts: validate, stage, rehearse or create; other kinds: validate or import (default: import)',
      goalIn,
    )
    .option('--team <name>', `operations team of the accounts (${TEAM})`)
    .option('--name <text>', 'name of the job')
    .option('--wave <id>', 'wave that the records belong to')
    .option('--staged', 'import all staged accounts of the import supplier, instead of a file')
    .option('--canary <records>', 'process this number of records, then wait for `jobs resume`', countIn)
    .option(
      '--stop-after-failures <number>',
      'pause after this number or percentage of failures: 500 or 2%',
      failuresIn,
    )
    .option('--window <hours>', 'time window in France, such as 22:00-06:00', windowIn)
    .option('--manifest <file>', 'totals of the source: nothing is created unless the records agree with them')
    .option('--max-per-second <records>', 'maximum records per second', countIn)
    .option('--watch', 'wait until the job has ended; exit status 0 only if all records succeeded')
    .option('--failures <file>', 'with --watch: write the failed records to this file, to correct and resend')
    .option('--job <id>', 'resume this job, or upload into it')
    .option('--new', 'create a new job even if the file was already uploaded to one')
    .option('--no-start', 'upload only')
    .option('--json', 'print the job as one JSON line at the end');
}

/** The body of the request that creates a job; JSON omits members that are undefined. */
export interface ImportRequest {
  import_supplier: string;
  kind: string;
  goal: string;
  name?: string;
  operations_team_name?: string;
  selection?: string;
  wave_id?: string;
  options?: object;
  manifest?: unknown;
}

/**
 * Builds the body of the request that creates the job.
 * @throws CommandError if kind and goal do not match
 */
export function requestOf(options: ImportOptions): ImportRequest {
  const isAccounts = options.kind === 'accounts';
  const goal = options.goal ?? (isAccounts ? undefined : 'IMPORT');
  const goals = isAccounts ? GOALS_OF_ACCOUNTS : GOALS_OF_THE_REST;
  if (goal === undefined || !goals.includes(goal)) {
    throw new CommandError(
      `Specify --goal. For ${options.kind} it must be one of ${goals.join(', ').toLowerCase()}.`,
      exitStatuses.usage,
    );
  }
  const { canary, stopAfterFailures, window, maxPerSecond } = options;
  const given = { canary, stop_after_failures: stopAfterFailures, window, max_per_second: maxPerSecond };
  return {
    import_supplier: options.supplier,
    kind: options.kind,
    goal,
    name: options.name,
    wave_id: options.wave,
    ...(GOALS_WITH_TEAM.includes(goal) ? { operations_team_name: options.team ?? TEAM } : {}),
    ...(options.staged ? { selection: 'staged' } : {}),
    ...(Object.values(given).every((value) => value === undefined) ? {} : { options: given }),
    ...(options.manifest === undefined ? {} : { manifest: readManifest(options.manifest) }),
  };
}

function kindIn(text: string): string {
  const kind = text.toLowerCase().replaceAll('_', '-');
  if (kind in importJobKinds) return kind;
  throw new InvalidArgumentError(`It is one of ${Object.keys(importJobKinds).join(', ')}.`);
}

function goalIn(text: string): string {
  const goal = text.toUpperCase();
  if (goal in importJobGoals) return goal;
  throw new InvalidArgumentError(`It is one of ${Object.keys(importJobGoals).join(', ').toLowerCase()}.`);
}

export function countIn(text: string): number {
  if (/^[1-9]\d{0,6}$/.test(text)) return Number(text);
  throw new InvalidArgumentError('A whole number above 0 is expected.');
}

export function failuresIn(text: string): { count: number } | { percent: number } {
  if (text.endsWith('%') && Number(text.slice(0, -1)) >= 0) return { percent: Number(text.slice(0, -1)) };
  return { count: countIn(text) };
}

function windowIn(text: string): { from: string; to: string } {
  const [, from, to] = /^(\d\d:\d\d)-(\d\d:\d\d)$/.exec(text) ?? [];
  if (from !== undefined && to !== undefined) return { from, to };
  throw new InvalidArgumentError('Two times of day are expected, as 22:00-06:00.');
}
