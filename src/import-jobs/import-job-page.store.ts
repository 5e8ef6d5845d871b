import { promisify } from 'node:util';
import { zstdCompress, zstdDecompress } from 'node:zlib';
import { type Expression, type ExpressionBuilder, sql, type SqlBool } from 'kysely';
import { emOf, propertiesOf, type Queryable } from '../platform/database/prepared-query.ts';
import type { LineState } from '../vocabulary/import-jobs.ts';
import { ImportJobPage, type ImportJobTables } from './import-job.entity.ts';

/** Compresses the lines of a page. */
export const packPage: (body: Buffer) => Promise<Buffer> = promisify(zstdCompress);
/** Unpacks a stored page; `linesOfPage` splits it. */
export const unpackPage: (body: Buffer) => Promise<Buffer> = promisify(zstdDecompress);

/** Lines of an upload that are stored together, joined by line feeds. `uploadPage` is counted from 1 within the upload. */
export type UploadedPage = Pick<ImportJobPage, 'jobId' | 'uploadId' | 'uploadPage' | 'physicalLines' | 'lines'> & {
  body: Buffer;
};

/** Stores a page, compressed. It belongs to a part only once its upload is complete. */
export async function insertPage(on: Queryable, page: UploadedPage): Promise<void> {
  await emOf(on).insert(ImportJobPage, { ...page, body: await packPage(page.body) });
}

/** Deletes the pages of an upload that was rejected or replaced. */
export async function deleteUpload(on: Queryable, uploadId: string): Promise<void> {
  await emOf(on).nativeDelete(ImportJobPage, { uploadId });
}

/** Deletes up to 1,000 pages of interrupted uploads. An upload takes minutes at most, so pages without a part are abandoned after an hour. */
export async function deleteAbandonedPages(on: Queryable): Promise<void> {
  await deletePages(on, 1_000, ({ and, eb, exists, not, selectFrom }) =>
    and([
      eb('p.number', 'is', null),
      eb('p.uploadedAt', '<', sql<Date>`now() - interval '1 hour'`),
      not(exists(selectFrom('import_job_part as t').whereRef('t.uploadId', '=', 'p.uploadId'))),
    ]),
  );
}

/** Deletes some pages of a job. Pages of selection `staged` have the id of the job as their upload id. @returns their number */
export function deletePagesOfJob(on: Queryable, jobId: string, limit: number): Promise<number> {
  return deletePages(on, limit, ({ eb, selectFrom }) =>
    eb(
      'p.uploadId',
      'in',
      selectFrom('import_job_part as t')
        .select('t.uploadId')
        .where('t.jobId', '=', jobId)
        .unionAll(selectFrom('import_job as j').select('j.id as uploadId').where('j.id', '=', jobId)),
    ),
  );
}

type Pages = ImportJobTables & { p: ImportJobTables['import_job_page'] };

async function deletePages(
  on: Queryable,
  limit: number,
  isDeleted: (page: ExpressionBuilder<Pages, 'p'>) => Expression<SqlBool>,
): Promise<number> {
  const { numDeletedRows } = await propertiesOf<ImportJobTables>(on)
    .deleteFrom('import_job_page')
    .where(({ eb, refTuple, selectFrom }) =>
      eb(
        refTuple('uploadId', 'uploadPage'),
        'in',
        selectFrom('import_job_page as p')
          .select(['p.uploadId', 'p.uploadPage'])
          .where(isDeleted)
          .limit(limit)
          .$asTuple('uploadId', 'uploadPage'),
      ),
    )
    .executeTakeFirstOrThrow();
  return Number(numDeletedRows);
}

/** Lists the lines of a page that are already validated. */
export async function findLinesOfPage(
  on: Queryable,
  jobId: string,
  { firstLine, physicalLines }: { firstLine: number; physicalLines: number },
): Promise<{ line: number; key: string | null; state: LineState }[]> {
  return propertiesOf<ImportJobTables>(on)
    .selectFrom('import_job_line')
    .select(['line', 'key', 'state'])
    .where('jobId', '=', jobId)
    .where('line', '>=', firstLine)
    .where('line', '<', firstLine + physicalLines)
    .orderBy('line')
    .execute();
}
