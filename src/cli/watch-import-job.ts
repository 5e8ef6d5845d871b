import { setTimeout as sleep } from 'node:timers/promises';
import type { JsonOption } from './command.ts';
import { CommandError, exitStatuses } from './command-error.ts';
import { jobIn, jobsPath, showJob, progressOf, statusOf, waitsForPerson, type JobView } from './import-job-view.ts';
import type { Connection } from './connection.ts';
import { replaceFile } from './files.ts';
import { counted, printAnswer, printLine } from './output.ts';
import { ProgressLine } from './progress.ts';

export interface WatchOptions extends JsonOption {
  /** File for the records that failed. */
  failures?: string;
}

const WATCH_MS = 1_000;
const ENDED = ['COMPLETED', 'CANCELLED', 'EXPIRED'];

/** Reads one job. */
export async function readJob(connection: Connection, jobId: string): Promise<JobView> {
  const job = jobIn(await connection.call('GET', `${jobsPath(connection)}${encodeURIComponent(jobId)}/`));
  return { ...job, causes: job.causes ?? [], parts: job.parts ?? [] };
}

/**
 * Shows the progress of a job until it has ended or waits for a person, then its result.
 * @throws CommandError if not all records succeeded; its exit status says why (docs/suppliers/import-jobs.md)
 */
export async function watchJob(connection: Connection, jobId: string, options: WatchOptions): Promise<void> {
  const progress = new ProgressLine(options);
  for (;;) {
    const job = await readJob(connection, jobId);
    progress.show(
      `${job.status === 'RUNNING' ? '' : `${statusOf(job)} `}${progressOf(job)}`,
      JSON.stringify([job.status, job.counts, job.steps]),
    );
    if (ENDED.includes(job.status) || waitsForPerson(job)) {
      progress.keep();
      return end(connection, job, options);
    }
    await sleep(WATCH_MS);
  }
}

async function end(connection: Connection, job: JobView, options: WatchOptions): Promise<void> {
  printAnswer(job, options.json, showJob);
  if (options.failures !== undefined) await saveFailures(connection, job, options.failures, options);
  const { failed, unprocessed } = job.counts;
  const id = job.job_id;
  if (job.paused_because === 'manifest_mismatch') {
    throw new CommandError(
      `The job is paused: its records differ from the manifest. An operator accepts the differences, or cancel it: ${connection.program} jobs cancel ${id}`,
      exitStatuses.waits,
    );
  }
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
async function saveFailures(connection: Connection, job: JobView, file: string, options: WatchOptions): Promise<void> {
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
  connection: Connection,
  jobId: string,
  query: Record<string, string>,
  file: string,
): Promise<void> {
  await replaceFile(file, await connection.download(resultsPath(connection, jobId, query)));
}

/** The path of the results of a job. */
export function resultsPath(connection: Connection, jobId: string, query: Record<string, string>): string {
  return `${jobsPath(connection)}${encodeURIComponent(jobId)}/results/?${new URLSearchParams(query)}`;
}
