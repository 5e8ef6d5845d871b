import type { EntityManager } from '@mikro-orm/postgresql';
import { run, type PreparedQuery, type Queryable } from '../../platform/database/prepared-query.ts';
import { refuse, type Refused } from '../../vocabulary/refusals.ts';
import { deleteUpload } from '../import-job-page.store.ts';
import { LINES_MAX } from '../import-job.schema.ts';

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
export async function rejectAboveQuota(
  on: Queryable,
  organisation: string,
  bytesMax: number,
): Promise<Refused | undefined> {
  const [stored] = await run<{ bytes: number }>(on, STORED, [organisation]);
  if (stored === undefined || stored.bytes <= bytesMax) return undefined;
  return refuse('throttled', {
    detail: `The import jobs of your organisation store ${stored.bytes} bytes, compressed; the limit is ${bytesMax}. Cancel jobs that are not needed: their parts are deleted within an hour. Parts of other ended jobs are deleted some days later.`,
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

export async function findPart(on: Queryable, jobId: string, part: number): Promise<ImportJobPartRecord | undefined> {
  const [found] = await run<PartRow>(on, PART, [jobId, part]);
  return found;
}

/**
 * Makes an upload the part of a job that the transaction has locked, and deletes the upload that it replaces.
 * @returns a refusal if the job becomes too large; the caller then rolls back
 */
export async function putPart(
  em: EntityManager,
  jobId: string,
  part: ImportJobPartRecord,
): Promise<Refused | undefined> {
  const before = await findPart(em, jobId, part.part);
  await run(em, UPSERT, [jobId, part.part, part.uploadId, part.lines, part.bytes, part.sha256]);
  if (before !== undefined) await deleteUpload(em, before.uploadId);
  const [together] = await run<{ bytes: number; lines: number }>(em, TOGETHER, [jobId]);
  if (together === undefined || (together.lines <= LINES_MAX && together.bytes <= JOB_BYTES_MAX)) return undefined;
  return refuse('request_too_large', {
    detail: `An import job has at most ${LINES_MAX} lines, blank ones included, and ${JOB_BYTES_MAX} bytes. Send the rest in another job.`,
  });
}
