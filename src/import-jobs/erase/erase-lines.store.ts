import { run, type PreparedQuery, type Queryable } from '../../platform/database/prepared-query.ts';
import { isRefused } from '../../vocabulary/refusals.ts';
import type { ImportJobKind } from '../../vocabulary/import-jobs.ts';
import { packPage, unpackPage } from '../import-job-page.store.ts';
import { keyOf, readLine } from '../read-line.validation.ts';

const LINE_FEED = 10;
/** What stands in the place of a line; it keeps the numbers of those behind it. */
const ERASED = Buffer.from('{"erased":true}');

const OPEN: PreparedQuery = {
  name: 'import-jobs-open-of-supplier',
  text: `select id from import_job where import_supplier = $1 and status in ('OPEN', 'VALIDATING', 'RUNNING', 'PAUSED') order by id limit 10`,
};

/** The jobs of an import supplier that have not ended, ten at most: what they hold of an account may still be staged or created. */
export async function findOpenJobs(on: Queryable, importSupplier: string): Promise<string[]> {
  return (await run<{ id: string }>(on, OPEN, [importSupplier])).map(({ id }) => id);
}

/** Those that have a line of the account, a line without a key, or lines that were never looked at. */
const CANDIDATES: PreparedQuery = {
  name: 'import-job-pages-of-account',
  text: `
    with theirs as materialized (
      select job_id, line from import_job_line where claims_key and key = $2
      union all
      select job_id, line from import_job_line where not claims_key and key = $2)
    select p.upload_id as "uploadId", p.upload_page as "uploadPage", j.kind
    from import_job j join import_job_page p on p.job_id = j.id
    where j.import_supplier = $1 and j.parts_deleted_at is null and j.kind not in ('businesses', 'business-contracts') and p.body is not null
      and (not p.is_judged
        or exists (
          select from theirs l
          where l.job_id = j.id and l.line >= p.first_line and l.line < p.first_line + p.physical_lines)
        or exists (
          select from import_job_line l
          where not l.claims_key and l.key is null and l.job_id = j.id and l.line >= p.first_line and l.line < p.first_line + p.physical_lines))
    order by 1, 2`,
};
const PAGE: PreparedQuery = {
  name: 'import-job-page-to-erase',
  text: 'select body from import_job_page where upload_id = $1 and upload_page = $2',
};
const WRITE: PreparedQuery = {
  name: 'import-job-page-erase',
  text: 'update import_job_page set body = $3 where upload_id = $1 and upload_page = $2',
};

/**
 * Takes the lines of an account out of what was uploaded for jobs that have ended; a page at a time, so one that is done twice
 * changes nothing the second time.
 * @returns pages that were changed
 */
export async function eraseUploadedLines(
  on: Queryable,
  importSupplier: string,
  externalAccountNumber: string,
): Promise<number> {
  let changed = 0;
  for await (const { uploadId, uploadPage, erased } of pagesToErase(on, importSupplier, externalAccountNumber)) {
    await run(on, WRITE, [uploadId, uploadPage, await packPage(erased)]);
    changed += 1;
  }
  return changed;
}

/** How many pages `eraseUploadedLines` would change now. */
export async function countUploadedPages(
  on: Queryable,
  importSupplier: string,
  externalAccountNumber: string,
): Promise<number> {
  let count = 0;
  for await (const _page of pagesToErase(on, importSupplier, externalAccountNumber)) count += 1;
  return count;
}

interface ErasedPage {
  uploadId: string;
  uploadPage: number;
  /** The page without their lines. */
  erased: Buffer;
}

async function* pagesToErase(on: Queryable, supplier: string, external: string): AsyncGenerator<ErasedPage> {
  type Candidate = { uploadId: string; uploadPage: number; kind: ImportJobKind };
  for (const { uploadId, uploadPage, kind } of await run<Candidate>(on, CANDIDATES, [supplier, external])) {
    const [page] = await run<{ body: Buffer | null }>(on, PAGE, [uploadId, uploadPage]);
    const erased = page?.body ? withoutLinesOf(await unpackPage(page.body), kind, external) : undefined;
    if (erased !== undefined) yield { uploadId, uploadPage, erased };
  }
}

/** @returns undefined where it has none */
function withoutLinesOf(body: Buffer, kind: ImportJobKind, external: string): Buffer | undefined {
  const lines: Buffer[] = [];
  let isChanged = false;
  for (let start = 0; start <= body.length;) {
    const found = body.indexOf(LINE_FEED, start);
    const end = found === -1 ? body.length : found;
    const line = body.subarray(start, end);
    const isTheirs = isOf(line, kind, external);
    isChanged ||= isTheirs;
    lines.push(isTheirs ? ERASED : line);
    start = end + 1;
  }
  return isChanged ? Buffer.concat(lines.flatMap((line, index) => (index === 0 ? [line] : [FEED, line]))) : undefined;
}

const FEED = Buffer.from([LINE_FEED]);

/** One that cannot be read, or has no key where it belongs, is taken for theirs where it names the number. */
function isOf(line: Buffer, kind: ImportJobKind, external: string): boolean {
  if (!line.includes(JSON.stringify(external)) && !line.includes('\\u')) return false;
  const read = readLine(line);
  return isRefused(read) || (keyOf(kind, read.body) ?? external) === external;
}
