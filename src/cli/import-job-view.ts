import { CommandError } from './command-error.ts';
import { counted, printLine, printTable } from './output.ts';
import type { JobConnection } from './job-connection.ts';

/** A job as the service shows it. */
export interface JobView {
  job_id: string;
  import_supplier: string;
  kind: string;
  goal: string;
  name?: string | null;
  operations_team_name?: string | null;
  options?: Record<string, unknown>;
  status: string;
  paused_because: string | null;
  counts: { accepted: number; succeeded: number; failed: number; unprocessed: number };
  steps: { judged: number; staged: number; created: number };
  warnings: number;
  lines_per_second: number | null;
  estimated_end_at: string | null;
  causes: CauseView[];
  parts: { part: number; lines: number; bytes: number; sha256: string }[];
  created_at: string;
  ended_at: string | null;
}

export interface CauseView {
  code: string;
  place: string;
  is_warning: boolean;
  records: number;
  alone: number;
  example: { line: number | null; value: string | null };
  remedy: string;
}

const BAR_WIDTH = 30;
const SECOND_MS = 1_000;
const VALUE_SHOWN_MAX = 40;

/** The base path for calls about jobs; operators see all jobs. */
export function jobsPath({ isOperator }: Pick<JobConnection, 'isOperator'>): string {
  return isOperator ? '/v1/operations/import-jobs/' : '/v1/data-import/import-jobs/';
}

/**
 * Validates a job in a response; lists of jobs omit causes and parts.
 * @throws CommandError if it is not a job, for example because another server responded
 */
export function jobIn(answer: unknown): JobView {
  const job = (answer ?? {}) as Partial<JobView>;
  const { counts, steps, causes, parts } = job;
  const numbers = [counts?.accepted, counts?.succeeded, counts?.failed, counts?.unprocessed, steps?.judged];
  const areCounts = numbers.every((count) => Number.isSafeInteger(count) && count! >= 0);
  const areTexts = typeof job.job_id === 'string' && typeof job.status === 'string';
  if (areCounts && areTexts && [causes, parts].every((list) => list === undefined || areObjects(list))) {
    return job as JobView;
  }
  throw new CommandError(
    'The response of the service is not an import job. Check the address and the version of gangway.',
  );
}

function areObjects(list: unknown): boolean {
  return Array.isArray(list) && list.every((one) => typeof one === 'object' && one !== null);
}

/** The progress of a job, in one line. */
export function barOf(job: JobView): string {
  const { accepted, succeeded, failed, unprocessed } = job.counts;
  const hasTwoPasses = job.goal === 'CREATE' && job.steps.judged < accepted;
  // Creation begins after all lines are validated: until then validation is half of the progress.
  const done = succeeded + failed;
  const share =
    accepted === 0
      ? 0
      : job.goal === 'CREATE'
        ? (Math.max(job.steps.judged, done) + done) / (2 * accepted)
        : done / accepted;
  const filled = Math.floor(Math.min(share, 1) * BAR_WIDTH);
  const validated = hasTwoPasses ? `${job.steps.judged} validated, ` : '';
  return (
    `[${'#'.repeat(filled)}${'.'.repeat(BAR_WIDTH - filled)}] ${Math.floor(share * 100)} %  ` +
    `${validated}${succeeded} succeeded, ${failed} failed, ${unprocessed} to go of ${accepted}${paceOf(job)}`
  );
}

function paceOf({ lines_per_second: rate, estimated_end_at: end, status }: JobView): string {
  if (!rate || !['RUNNING', 'VALIDATING'].includes(status)) return '';
  const left = end === null ? Number.NaN : Date.parse(end) - Date.now();
  return `  ${Math.round(rate)}/s${Number.isNaN(left) ? '' : `, ${spanOf(Math.max(0, left))} left`}`;
}

/** Formats a duration: `12 s`, `3 min 5 s`, `2 h 10 min`. */
export function spanOf(milliseconds: number): string {
  const seconds = Math.round(milliseconds / SECOND_MS);
  if (seconds < 60) return `${seconds} s`;
  const minutes = Math.floor(seconds / 60);
  return minutes < 60 ? `${minutes} min ${seconds % 60} s` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}

/** The status, with the reason of a pause. */
export function statusOf({ status, paused_because: because }: JobView): string {
  return because === null ? status : `${status} (${because.replaceAll('_', ' ')})`;
}

/** Prints a job for people. */
export function showJob(job: JobView): void {
  printLine(
    `${job.job_id}  ${statusOf(job)}  ${job.kind} of ${job.import_supplier}, ${job.goal}${job.name ? `, "${job.name}"` : ''}`,
  );
  printLine(barOf(job));
  if (job.warnings > 0) printLine(`Warnings: ${counted(job.warnings, 'record')}.`);
  if (job.causes.length > 0) {
    printLine('');
    showCauses(job.causes);
  }
}

/** Prints causes with their remedies. */
export function showCauses(causes: readonly CauseView[]): void {
  printTable(
    causes,
    {
      RECORDS: (one) => one.records,
      ALONE: (one) => (one.is_warning ? 'warning' : one.alone),
      CODE: (one) => one.code,
      PLACE: (one) => one.place,
      EXAMPLE: (one) => exampleOf(one),
    },
    'No record has failed.',
  );
  const remedies = new Map(causes.map(({ code, remedy }) => [code, remedy]));
  if (remedies.size > 0) printLine('');
  for (const [code, remedy] of remedies) printLine(`${code}: ${remedy}`);
}

function exampleOf({ example: { line, value } }: CauseView): string {
  if (line === null) return value ?? '-';
  return `line ${line}${value === null ? '' : `: ${value.slice(0, VALUE_SHOWN_MAX)}`}`;
}
