import { setTimeout as sleep } from 'node:timers/promises';
import { CommandError, exitStatuses } from './command-error.ts';
import { barOf, jobIn, jobsPath, showJob, statusOf, type JobView } from './import-job-view.ts';
import { counted, harmless, printJson, printLine } from './output.ts';
import { replaceFile } from './replace-file.ts';
import type { JobConnection } from './job-connection.ts';

export interface WatchOptions {
  json?: true;
  /** File for the records that failed. */
  failures?: string;
}

const WATCH_MS = 1_000;
/** Interval at which a log without a terminal repeats that the command is still watching. */
const REPEAT_MS = 60_000;
const ENDED = ['COMPLETED', 'CANCELLED', 'EXPIRED'];
/** A job paused for one of these reasons waits for a person; other pauses end automatically. */
const WAITS_FOR_OPERATOR = ['asked', 'canary', 'too_many_failures', 'key_revoked'];

/** Progress output: a line that is overwritten on a terminal, separate lines elsewhere, nothing with `--json`. */
export class ProgressLine {
  readonly #isTerminal: boolean;
  readonly #isSilent: boolean;
  #said = { text: '', key: '', at: 0 };

  constructor(options: { json?: true }) {
    this.#isSilent = options.json === true;
    this.#isTerminal = process.stdout.isTTY === true && !this.#isSilent;
  }

  /** @param key without a terminal, a new line is printed only when this changes */
  show(text: string, key = text): void {
    if (this.#isTerminal) {
      process.stdout.write(`\r\u001B[K${harmless(text).slice(0, Math.max(20, (process.stdout.columns ?? 120) - 1))}`);
    } else if (!this.#isSilent && (key !== this.#said.key || Date.now() - this.#said.at >= REPEAT_MS)) {
      printLine(text);
    } else return;
    this.#said = { text, key, at: Date.now() };
  }

  /** Leaves the current output in place. */
  keep(): void {
    if (this.#isTerminal && this.#said.text !== '') process.stdout.write('\n');
    this.#said = { text: '', key: '', at: 0 };
  }
}

/** Reads one job. */
export async function readJob(connection: JobConnection, jobId: string): Promise<JobView> {
  const job = jobIn(await connection.call('GET', `${jobsPath(connection)}${encodeURIComponent(jobId)}/`));
  return { ...job, causes: job.causes ?? [], parts: job.parts ?? [] };
}

/**
 * Shows the progress of a job until it has ended or waits for a person, then its result.
 * @throws CommandError if not all records succeeded; its exit status says why (docs/suppliers/import-jobs.md)
 */
export async function watchJob(connection: JobConnection, jobId: string, options: WatchOptions): Promise<void> {
  const progress = new ProgressLine(options);
  for (;;) {
    const job = await readJob(connection, jobId);
    const isWaiting = job.status === 'PAUSED' && WAITS_FOR_OPERATOR.includes(job.paused_because ?? '');
    progress.show(
      `${job.status === 'RUNNING' ? '' : `${statusOf(job)} `}${barOf(job)}`,
      JSON.stringify([job.status, job.counts, job.steps]),
    );
    if (ENDED.includes(job.status) || isWaiting) {
      progress.keep();
      return end(connection, job, options);
    }
    await sleep(WATCH_MS);
  }
}

async function end(connection: JobConnection, job: JobView, options: WatchOptions): Promise<void> {
  if (options.json) printJson(job);
  else showJob(job);
  if (options.failures !== undefined) await saveFailures(connection, job, options.failures, options);
  const { failed, unprocessed } = job.counts;
  const id = job.job_id;
  if (job.status === 'PAUSED') {
    const failures = options.failures === undefined ? '' : ` --failures ${shellWord(options.failures)}`;
    throw new CommandError(
      `The job is paused. To resume it: ${connection.program} jobs resume ${id} --watch${failures}; to cancel it: ${connection.program} jobs cancel ${id}`,
      exitStatuses.waits,
    );
  }
  if (job.status !== 'COMPLETED') {
    throw new CommandError(
      `The job is ${job.status}; ${counted(unprocessed, 'record')} ${unprocessed === 1 ? 'was' : 'were'} not processed.`,
    );
  }
  if (failed > 0) {
    const how =
      options.failures === undefined
        ? ` Get them: ${connection.program} jobs results ${id} --outcome failed --resend`
        : '';
    throw new CommandError(`${counted(failed, 'record')} failed.${how}`);
  }
}

/** Quotes an argument for a shell if it needs quotes. */
function shellWord(text: string): string {
  return /^[\w./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}

/** Saves the failed records as they were sent, to be corrected and sent again. */
async function saveFailures(
  connection: JobConnection,
  job: JobView,
  file: string,
  options: WatchOptions,
): Promise<void> {
  if (job.counts.failed === 0) {
    if (!options.json) printLine(`No record failed; ${file} was not written.`);
    return;
  }
  await saveResults(connection, job.job_id, { outcome: 'failed', form: 'resend' }, file);
  if (!options.json) {
    printLine(
      `\n${counted(job.counts.failed, 'record')} that failed ${job.counts.failed === 1 ? 'is' : 'are'} in ${file}, with the faults in _errors.`,
    );
  }
}

/** Streams results of a job into a file. */
export async function saveResults(
  connection: JobConnection,
  jobId: string,
  query: Record<string, string>,
  file: string,
): Promise<void> {
  await replaceFile(file, await connection.download(resultsPath(connection, jobId, query)));
}

/** The path of the results of a job. */
export function resultsPath(connection: JobConnection, jobId: string, query: Record<string, string>): string {
  return `${jobsPath(connection)}${encodeURIComponent(jobId)}/results/?${new URLSearchParams(query)}`;
}
