import type { EntityManager } from '@mikro-orm/postgresql';
import { type PreparedQuery, type Queryable, run } from '../../platform/database/prepared-query.ts';
import { isRefused, refuse, type Refused } from '../../vocabulary/refusals.ts';
import { deleteUpload, insertPage } from '../import-job-page.store.ts';
import { LINES_MAX } from '../import-job.schema.ts';
import { createHash } from 'node:crypto';
import { v7 as uuidv7 } from 'uuid';
import type { Database } from '../../platform/database/database.ts';
import { type Compression, compressionOf } from '../../foundation/compression.ts';
import { partRejected } from '../import-job.rules.ts';
import type { ImportJobRecord } from '../import-job.entity.ts';
import { lockJob } from '../import-job.store.ts';
import { PageCutter, rejectOtherFormat } from './page-cutter.rules.ts';

/** The accepted upload of a part number. */
export interface ImportJobPartRecord {
  part: number;
  uploadId: string;
  lines: number;
  bytes: number;
  sha256: string;
}
type PartRow = ImportJobPartRecord & Record<string, unknown>;

/** Most bytes of one job, unpacked. */
const JOB_BYTES_MAX = 16 * 1_073_741_824;

const COLUMNS = 'part, upload_id as "uploadId", lines, bytes::float8 as bytes, sha256';
const PARTS: PreparedQuery = {
  name: 'import-job-parts',
  text: `select ${COLUMNS} from import_job_part where job_id = $1 order by part`,
};
const PART: PreparedQuery = {
  name: 'import-job-part',
  text: `select ${COLUMNS} from import_job_part where job_id = $1 and part = $2`,
};
const UPSERT: PreparedQuery = {
  name: 'import-job-part-upsert',
  text: `
    insert into import_job_part (job_id, part, upload_id, lines, bytes, sha256, stored_bytes)
    values ($1, $2, $3, $4, $5, $6, (select coalesce(sum(octet_length(body)), 0) from import_job_page where upload_id = $3))
    on conflict (job_id, part) do update set upload_id = excluded.upload_id, lines = excluded.lines, bytes = excluded.bytes,
      sha256 = excluded.sha256, stored_bytes = excluded.stored_bytes, uploaded_at = now()`,
};
const TOGETHER: PreparedQuery = {
  name: 'import-job-parts-together',
  text: `
    select coalesce(sum(t.bytes), 0)::float8 as bytes, coalesce(sum(p.physical_lines), 0)::float8 as lines
    from import_job_part t cross join lateral (select sum(physical_lines) as physical_lines from import_job_page where upload_id = t.upload_id) p
    where t.job_id = $1`,
};

const STORED: PreparedQuery = {
  name: 'import-job-parts-stored',
  text: `
    select coalesce(sum(t.stored_bytes), 0)::float8 as bytes from import_job j join import_job_part t on t.job_id = j.id
    where j.organisation = $1 and j.parts_deleted_at is null`,
};
const STORED_BY_ORGANISATION: PreparedQuery = {
  name: 'import-job-parts-stored-by-organisation',
  text: `
    select j.organisation, coalesce(sum(t.stored_bytes), 0)::float8 as bytes from import_job j join import_job_part t on t.job_id = j.id
    where j.parts_deleted_at is null group by j.organisation`,
};
const STORED_RETRY_SECONDS = 3_600;

/** @returns a refusal if the jobs of an organisation store more bytes than allowed */
async function rejectAboveQuota(on: Queryable, organisation: string, bytesMax: number): Promise<Refused | undefined> {
  const [stored] = await run<{ bytes: number }>(on, STORED, [organisation]);
  if (stored === undefined || stored.bytes <= bytesMax) return undefined;
  return refuse('throttled', {
    detail: `The import jobs of your organization store ${stored.bytes} bytes, compressed; the limit is ${bytesMax}. Cancel jobs that are not needed: their parts are deleted within an hour. Parts of other ended jobs are deleted some days later.`,
    retryAfterSeconds: STORED_RETRY_SECONDS,
  });
}

/** The compressed bytes that the import jobs of each organisation store. */
export async function readStoredBytes(on: Queryable): Promise<{ organisation: string; bytes: number }[]> {
  return run<{ organisation: string; bytes: number }>(on, STORED_BY_ORGANISATION, []);
}

/** Lists the parts of a job by number. */
export async function findParts(on: Queryable, jobId: string): Promise<ImportJobPartRecord[]> {
  return run<PartRow>(on, PARTS, [jobId]);
}

async function findPart(on: Queryable, jobId: string, part: number): Promise<ImportJobPartRecord | undefined> {
  const [found] = await run<PartRow>(on, PART, [jobId, part]);
  return found;
}

/**
 * Makes an upload the part of a job that the transaction has locked, and deletes the upload that it replaces.
 * @returns a refusal if the job becomes too large; the caller then rolls back
 */
async function putPart(em: EntityManager, jobId: string, part: ImportJobPartRecord): Promise<Refused | undefined> {
  const before = await findPart(em, jobId, part.part);
  await run(em, UPSERT, [jobId, part.part, part.uploadId, part.lines, part.bytes, part.sha256]);
  if (before !== undefined) await deleteUpload(em, before.uploadId);
  const [together] = await run<{ bytes: number; lines: number }>(em, TOGETHER, [jobId]);
  if (together === undefined || (together.lines <= LINES_MAX && together.bytes <= JOB_BYTES_MAX)) return undefined;
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
