import { createHash } from 'node:crypto';
import { v7 as uuidv7 } from 'uuid';
import type { Database } from '../../platform/database/database.ts';
import { compressionOf, type Compression } from '../../foundation/compression.ts';
import { isRefused, refuse, type Refused } from '../../vocabulary/refusals.ts';
import { deleteUpload, insertPage } from '../import-job-page.store.ts';
import { findPart, putPart, rejectAboveQuota, type ImportJobPartRecord } from './import-job-part.store.ts';
import { partRejected } from '../import-job.rules.ts';
import { LINES_MAX } from '../import-job.schema.ts';
import { lockJob, type ImportJobRecord } from '../import-job.store.ts';
import { rejectOtherFormat } from './file-format.rules.ts';
import { PageCutter } from './page-cutter.rules.ts';

/** An upload of a part. */
export interface PartUpload {
  job: ImportJobRecord;
  part: number;
  content: AsyncIterable<Buffer>;
  /** Most bytes that the jobs of the organisation may store. */
  storedBytesMax: number;
}

/**
 * Stores the pages of a part as they arrive, and makes them the part once the upload is complete. The same content again changes
 * nothing, even after the start of the job; other content replaces the part while the job is open. Pages of a rejected upload are deleted.
 * @returns the accepted part, or a refusal
 * @throws errors of the content stream
 */
export async function uploadPart(
  database: Database,
  { job, part, content, storedBytesMax }: PartUpload,
): Promise<ImportJobPartRecord | Refused> {
  const isOpen = job.status === 'OPEN' && job.selection === 'uploaded';
  // After the start only the same content is accepted, so there is nothing to store.
  if (!isOpen && (await findPart(database, job.id, part)) === undefined) return partRejected(job);
  const tooMuch = isOpen ? await rejectAboveQuota(database, job.organisation, storedBytesMax) : undefined;
  if (tooMuch) return tooMuch;
  const uploadId = uuidv7();
  let accepted: ImportJobPartRecord | Refused | undefined;
  try {
    const stored = await storePages(isOpen ? database : undefined, { jobId: job.id, uploadId, content });
    accepted = isRefused(stored) ? stored : await acceptUpload(database, job.id, { part, uploadId, ...stored }, isOpen);
    return accepted;
  } finally {
    // If the deletion fails, `deleteAbandonedPages` deletes the pages later.
    const isAccepted = accepted !== undefined && !isRefused(accepted) && accepted.uploadId === uploadId;
    if (isOpen && !isAccepted) await deleteUpload(database, uploadId).catch(() => {});
  }
}

type Stored = Pick<ImportJobPartRecord, 'lines' | 'bytes' | 'sha256'>;

/** @param database undefined to read and measure the content without storing it */
async function storePages(
  database: Database | undefined,
  { jobId, uploadId, content }: { jobId: string; uploadId: string; content: AsyncIterable<Buffer> },
): Promise<Stored | Refused> {
  const hash = createHash('sha256');
  const cutter = new PageCutter();
  let bytes = 0;
  let uploadPage = 0;
  const store = async (pages: ReturnType<PageCutter['push']>): Promise<Refused | undefined> => {
    for (;;) {
      const { done, value } = pages.next();
      if (done === true) return undefined;
      uploadPage += 1;
      const refused = uploadPage === 1 ? rejectOtherFormat(value.body) : undefined;
      if (refused) return refused;
      if (cutter.lines > LINES_MAX) return tooManyLines();
      if (database !== undefined) await insertPage(database, { jobId, uploadId, uploadPage, ...value });
    }
  };
  for await (const chunk of content) {
    const packing = bytes === 0 ? compressionOf(chunk) : undefined;
    if (packing !== undefined) return stillCompressed(packing);
    hash.update(chunk);
    bytes += chunk.length;
    const refused = await store(cutter.push(chunk));
    if (refused) return refused;
  }
  const refused = await store(cutter.finish());
  if (refused) return refused;
  if (cutter.records === 0) {
    return refuse('parse_error', { detail: 'The part has no record. Send one JSON object per line.' });
  }
  return { lines: cutter.records, bytes, sha256: hash.digest('hex') };
}

async function acceptUpload(
  database: Database,
  jobId: string,
  uploaded: ImportJobPartRecord,
  isStored: boolean,
): Promise<ImportJobPartRecord | Refused> {
  return database.transaction(async (em) => {
    const job = await lockJob(em, jobId);
    if (job === undefined) return refuse('import_job_not_found');
    const known = await findPart(em, jobId, uploaded.part);
    if (known?.sha256 === uploaded.sha256) return known;
    if (job.status !== 'OPEN' || !isStored) return partRejected(job);
    const refused = await putPart(em, jobId, uploaded);
    if (refused !== undefined) await em.rollback();
    return refused ?? uploaded;
  });
}

function stillCompressed(packing: Compression): Refused {
  return refuse('parse_error', {
    detail: `The part is compressed with ${packing}. Send the header Content-Encoding, or send the part uncompressed.`,
  });
}

function tooManyLines(): Refused {
  return refuse('request_too_large', {
    detail: `The part has more than ${LINES_MAX} lines, the limit of a job. Send the rest in another job.`,
  });
}
