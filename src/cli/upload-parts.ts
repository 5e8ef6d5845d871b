import { CommandError } from './command-error.ts';
import { jobsPath, spanOf, type JobView } from './import-job-view.ts';
import type { JobConnection } from './job-connection.ts';
import type { Input, Part } from './split-parts.ts';
import type { ProgressLine } from './watch-import-job.ts';

interface PartReply {
  lines: number;
  sha256: string;
}

const MEGABYTE = 1024 * 1024;

/**
 * Uploads what the job has not yet of a file; while a part is on its way the next one is read.
 * @param makeJob called when the first part is ready, so that an empty file leaves no job behind
 * @throws CommandError when the job has other parts than the file
 */
export async function uploadParts(
  connection: JobConnection,
  input: Input,
  makeJob: () => Promise<JobView>,
  progress: ProgressLine,
): Promise<JobView> {
  const began = Date.now();
  let job: JobView | undefined;
  let sending: Promise<unknown> = Promise.resolve();
  const told = { parts: 0, bytes: 0, spared: 0 };
  for await (const part of input.parts) {
    job ??= await makeJob();
    await sending;
    const isThere = job.parts.some(({ part: number, sha256 }) => number === part.number && sha256 === part.sha256);
    if (isThere) told.spared += 1;
    else sending = uploadPart(connection, job.job_id, part);
    // Whoever awaits it is told of its fault; until then it is not unheard.
    sending.catch(() => {});
    told.parts += 1;
    told.bytes += part.bytes;
    const share = input.share();
    progress.show(
      `Uploading part ${part.number}: ${(told.bytes / MEGABYTE).toFixed(0)} MB${share === undefined ? '' : `, ${Math.floor(share * 100)} % of the file, ${leftOf(share, began)}`}`,
      `part ${part.number}`,
    );
  }
  await sending;
  progress.keep();
  if (job === undefined) throw new CommandError('The file holds no records.');
  if (job.parts.some(({ part }) => part > told.parts)) {
    throw new CommandError(
      `Job ${job.job_id} has more parts than the file: the file has changed. Add --new to make a new job of it.`,
    );
  }
  return job;
}

function leftOf(share: number, began: number): string {
  const spent = Date.now() - began;
  return share >= 1 ? 'read' : `${spanOf((spent * (1 - share)) / Math.max(share, 0.001))} left`;
}

async function uploadPart(connection: JobConnection, jobId: string, part: Part): Promise<void> {
  const path = `${jobsPath({ isOperator: false })}${encodeURIComponent(jobId)}/parts/${part.number}/`;
  const headers = { 'content-type': 'application/x-ndjson', 'content-encoding': part.encoding };
  const { sha256 } = await connection.upload<PartReply>(path, part.compressed, headers);
  if (sha256 !== part.sha256) {
    throw new CommandError(`Part ${part.number} arrived changed. Is there a proxy on the way that touches bodies?`);
  }
}
