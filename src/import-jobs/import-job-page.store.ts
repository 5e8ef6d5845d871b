import { promisify } from 'node:util';
import { zstdCompress, zstdDecompress } from 'node:zlib';
import { run, type PreparedQuery, type Queryable } from '../platform/database/prepared-query.ts';

/** Compresses the lines of a page. */
export const packPage: (body: Buffer) => Promise<Buffer> = promisify(zstdCompress);
/** Unpacks a stored page; `linesOfPage` splits it. */
export const unpackPage: (body: Buffer) => Promise<Buffer> = promisify(zstdDecompress);

/** Lines of an upload that are stored together, joined by line feeds. */
export interface UploadedPage {
  jobId: string;
  uploadId: string;
  /** Counted from 1 within the upload. */
  uploadPage: number;
  body: Buffer;
  physicalLines: number;
  /** Lines that are records: not blank. */
  lines: number;
}

const INSERT: PreparedQuery = {
  name: 'import-job-page-insert',
  text: 'insert into import_job_page (upload_id, upload_page, job_id, body, physical_lines, lines) values ($1, $2, $3, $4, $5, $6)',
};

/** Stores a page, compressed. It belongs to a part only once its upload is complete. */
export async function insertPage(on: Queryable, page: UploadedPage): Promise<void> {
  const body = await packPage(page.body);
  await run(on, INSERT, [page.uploadId, page.uploadPage, page.jobId, body, page.physicalLines, page.lines]);
}

const DELETE_UPLOAD: PreparedQuery = {
  name: 'import-job-upload-delete',
  text: 'delete from import_job_page where upload_id = $1',
};

/** Deletes the pages of an upload that was rejected or replaced. */
export async function deleteUpload(on: Queryable, uploadId: string): Promise<void> {
  await run(on, DELETE_UPLOAD, [uploadId]);
}

const DELETE_ABANDONED: PreparedQuery = {
  name: 'import-job-pages-abandoned',
  text: `
    delete from import_job_page where (upload_id, upload_page) in (
      select p.upload_id, p.upload_page from import_job_page p
      where p.number is null and p.uploaded_at < now() - interval '1 hour'
        and not exists (select from import_job_part t where t.upload_id = p.upload_id)
      limit 1000)`,
};

/** Deletes up to 1,000 pages of interrupted uploads. An upload takes minutes at most, so pages without a part are abandoned after an hour. */
export async function deleteAbandonedPages(on: Queryable): Promise<void> {
  await run(on, DELETE_ABANDONED, []);
}
