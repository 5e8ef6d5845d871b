import type { EntityManager } from '@mikro-orm/postgresql';
import { sql } from 'kysely';
import { emOf, propertiesOf, type Queryable } from '../../platform/database/prepared-query.ts';
import { isRefused, refuse, type Refused } from '../../vocabulary/refusals.ts';
import { deleteUpload, insertPage } from '../import-job-page.store.ts';
import { LINES_MAX } from '../import-job.schema.ts';
import { createHash } from 'node:crypto';
import { v7 as uuidv7 } from 'uuid';
import type { Database } from '../../platform/database/database.ts';
import { type Compression, compressionOf } from '../../foundation/compression.ts';
import { partRejected } from '../import-job.rules.ts';
import { ImportJobPart, type ImportJobRecord, type ImportJobTables } from '../import-job.entity.ts';
import { lockJob } from '../import-job.store.ts';
import { PageCutter, rejectOtherFormat } from './page-cutter.rules.ts';

/** The accepted upload of a part number. */
export type ImportJobPartRecord = Pick<ImportJobPart, 'part' | 'uploadId' | 'lines' | 'bytes' | 'sha256'>;

/** Most bytes of one job, unpacked. */
const JOB_BYTES_MAX = 16 * 1_073_741_824;
const STORED_RETRY_SECONDS = 3_600;

/** @returns a refusal if the jobs of an organisation store more bytes than allowed */
async function rejectAboveQuota(on: Queryable, organisation: string, bytesMax: number): Promise<Refused | undefined> {
  const [stored] = await readStoredBytes(on, organisation);
  if (stored === undefined || stored.bytes <= bytesMax) return undefined;
  return refuse('throttled', {
    detail: `The import jobs of your organization store ${stored.bytes} bytes, compressed; the limit is ${bytesMax}. Cancel jobs that are not needed: their parts are deleted within an hour. Parts of other ended jobs are deleted some days later.`,
    retryAfterSeconds: STORED_RETRY_SECONDS,
  });
}

/** The compressed bytes that the import jobs of each organisation, or of one, store. */
export async function readStoredBytes(
  on: Queryable,
  organisation?: string,
): Promise<{ organisation: string; bytes: number }[]> {
  return propertiesOf<ImportJobTables>(on)
    .selectFrom('import_job as j')
    .innerJoin('import_job_part as t', 't.jobId', 'j.id')
    .select(['j.organisation', sql<number>`sum(t.stored_bytes)::float8`.as('bytes')])
    .where('j.partsDeletedAt', 'is', null)
    .$if(organisation !== undefined, (jobs) => jobs.where('j.organisation', '=', organisation!))
    .groupBy('j.organisation')
    .execute();
}

/** Lists the parts of a job by number. */
export async function findParts(on: Queryable, jobId: string): Promise<ImportJobPartRecord[]> {
  return emOf(on).find(ImportJobPart, { jobId }, { orderBy: { part: 'asc' } });
}

/**
 * Makes an upload the part of a job that the transaction has locked, and deletes the upload that it replaces.
 * @returns a refusal if the job becomes too large; the caller then rolls back
 */
async function putPart(
  em: EntityManager,
  jobId: string,
  part: ImportJobPartRecord,
  replaced: ImportJobPartRecord | null,
): Promise<Refused | undefined> {
  if (replaced !== null) {
    await em.nativeDelete(ImportJobPart, { jobId, part: part.part });
    await deleteUpload(em, replaced.uploadId);
  }
  const tables = propertiesOf<ImportJobTables>(em);
  const { stored } = await tables
    .selectFrom('import_job_page')
    .select(sql<number>`coalesce(sum(octet_length(body)), 0)::float8`.as('stored'))
    .where('uploadId', '=', part.uploadId)
    .executeTakeFirstOrThrow();
  await em.insert(ImportJobPart, { ...part, jobId, storedBytes: stored });
  const together = await tables
    .selectFrom('import_job_part as t')
    .select((of) => [
      sql<number>`sum(t.bytes)::float8`.as('bytes'),
      sql<number>`sum(${of
        .selectFrom('import_job_page as p')
        .select(sql`sum(p.physical_lines)`.as('lines'))
        .whereRef('p.uploadId', '=', 't.uploadId')})::float8`.as('lines'),
    ])
    .where('t.jobId', '=', jobId)
    .executeTakeFirstOrThrow();
  if (together.lines <= LINES_MAX && together.bytes <= JOB_BYTES_MAX) return undefined;
  return refuse('request_too_large', {
    detail: `An import job has at most ${LINES_MAX} lines, blank ones included, and ${JOB_BYTES_MAX} bytes. Send the rest in another job.`,
  });
}

/** An upload of a part. */
export interface PartUpload {
  job: ImportJobRecord;
  part: number;
  content: AsyncIterable<Buffer>;
  /** Most bytes that the jobs of the organisation may store. */
  storedBytesMax: number;
}

/**
 * Stores the pages of a part as they arrive, and accepts the part once the upload is complete. Uploading the same content again changes
 * nothing, even after the job has started; other content replaces the part while the job is open. Pages of a rejected upload are deleted.
 * @returns the accepted part, or a refusal
 * @throws errors of the content stream
 */
export async function storePart(
  database: Database,
  { job, part, content, storedBytesMax }: PartUpload,
): Promise<ImportJobPartRecord | Refused> {
  const isOpen = job.status === 'OPEN' && job.selection === 'uploaded';
  // After the start only the same content is accepted, so there is nothing to store.
  if (!isOpen && (await database.em().count(ImportJobPart, { jobId: job.id, part })) === 0) return partRejected(job);
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
    const known = await em.findOne(ImportJobPart, { jobId, part: uploaded.part });
    if (known?.sha256 === uploaded.sha256) return known;
    if (job.status !== 'OPEN' || !isStored) return partRejected(job);
    const refused = await putPart(em, jobId, uploaded, known);
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
