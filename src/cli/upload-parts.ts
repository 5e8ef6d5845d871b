import { assertAllStored, uploadParts as uploadPartsOfJob, type PartView } from '../../clients/typescript/src/parts.ts';
import { CommandError } from './command-error.ts';
import type { Connection } from './connection.ts';
import { spanOf, type JobView } from './import-job-view.ts';
import type { ProgressLine } from './progress.ts';
import type { Input } from './split-parts.ts';
import { readJob } from './watch-import-job.ts';

const MEGABYTE = 1024 * 1024;

/**
 * Uploads the parts of a file that the job does not have yet.
 * @param makeJob called when the first part is ready, so that an empty file leaves no job behind
 * @throws CommandError if the job has other parts than the file
 */
export async function uploadParts(
  connection: Connection,
  input: Input,
  makeJob: () => Promise<JobView>,
  progress: Pick<ProgressLine, 'show' | 'keep'>,
): Promise<JobView> {
  const { job, read } = await connection.using((service) =>
    uploadPartsOfJob(service, input.parts, makeJob, showProgress(input, progress)),
  );
  progress.keep();
  if (job === undefined) throw new CommandError('The file contains no records.');
  if (job.parts.some(({ part }) => part > read.length)) {
    throw new CommandError(
      `Job ${job.job_id} has more parts than the file: the file has changed. Add --new to create a new job.`,
    );
  }
  // The job must have the whole file before it is started.
  const { parts } = await readJob(connection, job.job_id);
  await connection.using(async () => assertAllStored(read, parts));
  return job;
}

function showProgress(input: Input, progress: Pick<ProgressLine, 'show'>): (part: PartView, isStored: boolean) => void {
  let readBytes = 0;
  /** Start of the upload. Parts that the job already has are only read. */
  let sentFrom: { share: number; at: number } | undefined;
  let shareBefore = 0;
  return (part, isStored) => {
    if (!isStored) sentFrom ??= { share: shareBefore, at: Date.now() };
    readBytes += part.bytes;
    const share = input.share();
    shareBefore = share ?? 0;
    progress.show(
      `Uploading part ${part.number}: ${(readBytes / MEGABYTE).toFixed(0)} MB${share === undefined ? '' : `, ${Math.floor(share * 100)} % of the file, ${leftOf(share, sentFrom)}`}`,
      `part ${part.number}`,
    );
  };
}

function leftOf(share: number, sentFrom: { share: number; at: number } | undefined): string {
  if (share >= 1) return 'read';
  if (sentFrom === undefined) return 'already uploaded';
  const spent = Date.now() - sentFrom.at;
  return `${spanOf((spent * (1 - share)) / Math.max(share - sentFrom.share, 0.001))} left`;
}
