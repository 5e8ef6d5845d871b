import type { JobView as ListedJob } from '../import-jobs/index.ts';
import type { CauseView } from '../import-jobs/results.schema.ts';
import type { ManifestView } from '../import-jobs/manifest/manifest-state.rules.ts';
import { WAIT_FOR_PERSON } from '../../clients/typescript/src/import-jobs.ts';
import type { StoredPart } from '../../clients/typescript/src/parts.ts';
import { CommandError } from './command-error.ts';
import type { Connection } from './connection.ts';
import { counted, printLine, printTable } from './output.ts';
import { showManifest } from './sent-manifest.ts';
import { barOf } from './progress.ts';

/** A job as the service shows it. */
export interface JobView extends ListedJob {
  causes: CauseView[];
  parts: StoredPart[];
  manifest?: ManifestView | null;
}

const SECOND_MS = 1_000;
const VALUE_SHOWN_MAX = 40;

/** What commands print of one job. */
export const PRINTED_JOB = { operation: 'GET /v1/data-import/import-jobs/<job>/' };

/** The base path for calls about jobs; operators see all jobs. */
export function jobsPath({ isOperator }: Pick<Connection, 'isOperator'>): string {
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
export function progressOf(job: JobView): string {
  const { accepted, succeeded, failed, unprocessed } = job.counts;
  const { judged } = job.steps;
  const done = succeeded + failed;
  // Creation begins after all lines are validated: until then validation is half of the progress.
  const passed = job.goal === 'CREATE' ? (Math.max(judged, done) + done) / 2 : done;
  const validated = job.goal === 'CREATE' && judged < accepted ? `${judged} validated, ` : '';
  const counts = `${validated}${succeeded} succeeded, ${failed} failed, ${unprocessed} to go of ${accepted}`;
  return `${barOf(accepted === 0 ? 0 : passed / accepted)}  ${counts}${paceOf(job)}`;
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

interface PausedJob {
  status: string;
  paused_because: string | null;
}

/** Whether a job is paused until a person resumes it. */
export function waitsForPerson({ status, paused_because: because }: PausedJob): boolean {
  return status === 'PAUSED' && WAIT_FOR_PERSON.has(because ?? '');
}

/** Prints a job for people. */
export function showJob(job: JobView): void {
  printLine(
    `${job.job_id}  ${statusOf(job)}  ${job.kind} of ${job.import_supplier}, ${job.goal}${job.name ? `, "${job.name}"` : ''}`,
  );
  printLine(progressOf(job));
  if (job.warnings > 0) printLine(`Warnings: ${counted(job.warnings, 'record')}.`);
  if (job.causes.length > 0) {
    printLine('');
    showCauses(job.causes);
  }
  showManifest(job.manifest);
}

/** Prints causes with their remedies. */
export function showCauses(causes: readonly CauseView[]): void {
  printTable(
    causes,
    {
      RECORDS: 'records',
      ALONE: (one) => (one.is_warning ? 'warning' : one.alone),
      CODE: 'code',
      PLACE: 'place',
      EXAMPLE: exampleOf,
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
