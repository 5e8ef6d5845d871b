import { CommandError } from './command-error.ts';
import type { Connection } from './connection.ts';
import { jobsPath, spanOf, type JobView, type StoredPart } from './import-job-view.ts';
import type { ProgressLine } from './progress.ts';
import type { Input, Part } from './split-parts.ts';
import { readJob } from './watch-import-job.ts';

/** A part without its content. */
type PartRead = Omit<Part, 'compressed'>;

const MEGABYTE = 1024 * 1024;

/**
 * Uploads the parts of a file that the job does not have yet. While one part is uploaded, the next one is read.
 * @param makeJob called when the first part is ready, so that an empty file leaves no job behind
 * @throws CommandError if the job has other parts than the file
 */
export async function uploadParts(
  connection: Connection,
  input: Input,
  makeJob: () => Promise<JobView>,
  progress: Pick<ProgressLine, 'show' | 'keep'>,
): Promise<JobView> {
  let job: JobView | undefined;
  let sending: Promise<unknown> = Promise.resolve();
  const read: PartRead[] = [];
  let readBytes = 0;
  /** Start of the upload. Parts that the job already has are only read. */
  let sentFrom: { share: number; at: number } | undefined;
  let shareBefore = 0;
  for await (const part of input.parts) {
    job ??= await makeJob();
    await sending;
    const isThere = job.parts.some(({ part: number, sha256 }) => number === part.number && sha256 === part.sha256);
    if (!isThere) {
      sentFrom ??= { share: shareBefore, at: Date.now() };
      sending = uploadPart(connection, job.job_id, part);
    }
    // Prevents an unhandled rejection; the upload is awaited later.
    sending.catch(() => {});
    const { compressed: _sent, ...withoutContent } = part;
    read.push(withoutContent);
    readBytes += part.bytes;
    const share = input.share();
    shareBefore = share ?? 0;
    progress.show(
      `Uploading part ${part.number}: ${(readBytes / MEGABYTE).toFixed(0)} MB${share === undefined ? '' : `, ${Math.floor(share * 100)} % of the file, ${leftOf(share, sentFrom)}`}`,
      `part ${part.number}`,
    );
  }
  await sending;
  progress.keep();
  if (job === undefined) throw new CommandError('The file contains no records.');
  if (job.parts.some(({ part }) => part > read.length)) {
    throw new CommandError(
      `Job ${job.job_id} has more parts than the file: the file has changed. Add --new to create a new job.`,
    );
  }
  await assertComplete(connection, job.job_id, read);
  return job;
}

/** Checks that the job has the whole file, before it is started. */
async function assertComplete(connection: Connection, jobId: string, read: readonly PartRead[]): Promise<void> {
  const { parts } = await readJob(connection, jobId);
  for (const part of read) {
    const stored = parts.find((one) => one.part === part.number);
    if (!isStoredWhole(part, stored)) throw new CommandError(differs(part, stored));
  }
}

function isStoredWhole(part: PartRead, stored: StoredPart | undefined): boolean {
  return stored?.sha256 === part.sha256 && stored.bytes === part.bytes && stored.lines === part.records;
}

function differs(part: PartRead, stored: StoredPart | undefined): string {
  const found = stored === undefined ? 'nothing' : `${stored.lines} records in ${stored.bytes} bytes`;
  return (
    `Part ${part.number} has ${part.records} records in ${part.bytes} bytes, but the service stored ${found}. The job was not started. ` +
    'Check whether a proxy changes request bodies, then run the command again.'
  );
}

function leftOf(share: number, sentFrom: { share: number; at: number } | undefined): string {
  if (share >= 1) return 'read';
  if (sentFrom === undefined) return 'already uploaded';
  const spent = Date.now() - sentFrom.at;
  return `${spanOf((spent * (1 - share)) / Math.max(share - sentFrom.share, 0.001))} left`;
}

async function uploadPart(connection: Connection, jobId: string, part: Part): Promise<void> {
  const path = `${jobsPath({ isOperator: false })}${encodeURIComponent(jobId)}/parts/${part.number}/`;
  const headers = { 'content-type': 'application/x-ndjson', 'content-encoding': 'zstd' };
  const stored = await connection.upload<StoredPart>(path, part.compressed, headers);
  if (!isStoredWhole(part, stored)) throw new CommandError(differs(part, stored));
}
