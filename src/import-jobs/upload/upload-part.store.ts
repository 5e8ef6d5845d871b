import { createHash } from 'node:crypto';
import { v7 as uuidv7 } from 'uuid';
import type { Database } from '../../platform/database/database.ts';
import { compressionOf, type Compression } from '../../foundation/compression.ts';
import { isRefused, refuse, type Refused } from '../../vocabulary/refusals.ts';
import { deleteUpload, insertPage } from '../import-job-page.store.ts';
import { findPart, putPart, storedTooMuch, type ImportJobPartRecord } from './import-job-part.store.ts';
import { partNotTaken } from '../import-job.rules.ts';
import { LINES_MAX } from '../import-job.schema.ts';
import { lockJob, type ImportJobRecord } from '../import-job.store.ts';
import { noNdjson } from './file-format.rules.ts';
import { PageCutter } from './page-cutter.rules.ts';

/** An upload of a part, as it comes in. */
export interface PartUpload {
  job: ImportJobRecord;
  part: number;
  content: AsyncIterable<Buffer>;
  /** Most bytes that the jobs of the organisation may store. */
  storedBytesMax: number;
}

/**
 * Takes a part: stores its pages while they come in, and puts them in force together when all of it is there. The same content again
 * changes nothing, also once the job was started; another one replaces it while the job is open. What is not put in force
 * is deleted again.
 * @returns the part in force, or why the upload was not taken
 * @throws what the content throws
 */
export async function uploadPart(
  database: Database,
  { job, part, content, storedBytesMax }: PartUpload,
): Promise<ImportJobPartRecord | Refused> {
  const isOpen = job.status === 'OPEN' && job.selection === 'uploaded';
  // After the start nothing but the same content is taken, so that nothing needs to be stored.
  if (!isOpen && (await findPart(database, job.id, part)) === undefined) return partNotTaken(job);
  const tooMuch = isOpen ? await storedTooMuch(database, job.organisation, storedBytesMax) : undefined;
  if (tooMuch) return tooMuch;
  const uploadId = uuidv7();
  let taken: ImportJobPartRecord | Refused | undefined;
  try {
    const stored = await storePages(isOpen ? database : undefined, { jobId: job.id, uploadId, content });
    taken = isRefused(stored) ? stored : await putInForce(database, job.id, { part, uploadId, ...stored }, isOpen);
    return taken;
  } finally {
    // Should that fail too, the pages are swept later.
    const isInForce = taken !== undefined && !isRefused(taken) && taken.uploadId === uploadId;
    if (isOpen && !isInForce) await deleteUpload(database, uploadId).catch(() => {});
  }
}

type Stored = Pick<ImportJobPartRecord, 'lines' | 'bytes' | 'sha256'>;

/** @param database undefined: the content is read and measured only */
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
      const refused = uploadPage === 1 ? noNdjson(value.body) : undefined;
      if (refused) return refused;
      if (cutter.lines > LINES_MAX) return tooManyLines();
      if (database !== undefined) await insertPage(database, { jobId, uploadId, uploadPage, ...value });
    }
  };
  for await (const chunk of content) {
    const packing = bytes === 0 ? compressionOf(chunk) : undefined;
    if (packing !== undefined) return stillPacked(packing);
    hash.update(chunk);
    bytes += chunk.length;
    const refused = await store(cutter.push(chunk));
    if (refused) return refused;
  }
  const refused = await store(cutter.finish());
  if (refused) return refused;
  if (cutter.records === 0) return refuse('parse_error', { detail: 'The part holds no record: send one a line.' });
  return { lines: cutter.records, bytes, sha256: hash.digest('hex') };
}

async function putInForce(
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
    if (job.status !== 'OPEN' || !isStored) return partNotTaken(job);
    const refused = await putPart(em, jobId, uploaded);
    if (refused !== undefined) await em.rollback();
    return refused ?? uploaded;
  });
}

function stillPacked(packing: Compression): Refused {
  return refuse('parse_error', {
    detail: `The part is packed with ${packing}: say so in the header Content-Encoding, or send it unpacked.`,
  });
}

function tooManyLines(): Refused {
  return refuse('request_too_large', {
    detail: `The part has more than ${LINES_MAX} lines; a job has at most so many.`,
  });
}
