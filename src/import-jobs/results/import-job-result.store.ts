import { sql } from 'kysely';
import { run, type PreparedQuery, propertiesOf, type Queryable } from '../../platform/database/prepared-query.ts';
import type { LineState } from '../../vocabulary/import-jobs.ts';
import type { ImportJobTables } from '../import-job.entity.ts';
import { findLinesOfPage, unpackPage } from '../import-job-page.store.ts';
import type { Line } from '../work-off/line-kind.rules.ts';
import { linesOfPage } from '../page-lines.rules.ts';

/** The outcome of a line, as it is stored. */
export interface StoredLine {
  line: number;
  key: string | null;
  state: LineState;
  number: string | null;
  /** As JSON text. */
  errors: string | null;
  errorsOmitted: number | null;
  warnings: string | null;
  warningsOmitted: number | null;
}

/** Limits of one query: lines, and bytes of their errors and warnings. At least one line is read. */
const LINES_READ = 500;
const BYTES_READ = 65_536;
/** Most lines that one query scans, so that it never scans a whole job to find a few failed lines. */
const SPAN_MAX = 20_000;

const LINES: PreparedQuery = {
  name: 'import-job-result-lines',
  text: `
    select line, key, state, number, errors, errors_omitted as "errorsOmitted", warnings, warnings_omitted as "warningsOmitted", found
    from (
      select l.*, count(*) over ()::integer as found, sum(bytes) over (order by line) - bytes as bytes_before
      from (
        select t.*, coalesce(length(errors), 0) + coalesce(length(warnings), 0) as bytes
        from (
          select line, key, state, number, errors::text as errors, errors_omitted, warnings::text as warnings, warnings_omitted
          from import_job_line where job_id = $1 and line > $2 and line <= $3 and state = any($4::text[]) order by line limit $5) t) l) l
    where bytes_before < ${BYTES_READ} order by line`,
};
/** Reads the lines in the given states after a line, in order, in small pages. */
export async function* readLines(
  on: Queryable,
  jobId: string,
  states: readonly LineState[],
  afterLine = 0,
): AsyncGenerator<StoredLine[]> {
  type Row = StoredLine & { found: number } & Record<string, unknown>;
  const last = await propertiesOf<ImportJobTables>(on)
    .selectFrom('import_job_line')
    .select((of) => of.fn.max<number | null>('line').as('line'))
    .where('jobId', '=', jobId)
    // When the results were deleted, lines without texts remain until the partition of their month is dropped.
    .where(({ exists, selectFrom }) =>
      exists(selectFrom('import_job').select('id').where('id', '=', jobId).where('resultsDeletedAt', 'is', null)),
    )
    .executeTakeFirst();
  // Start small: right after a job the database has no statistics of its lines, and sorts all lines in the span. The span grows while few
  // lines match.
  let limit = 50;
  let span = limit;
  for (let after = afterLine; after < (last?.line ?? 0);) {
    const lines = await run<Row>(on, LINES, [jobId, after, after + span, states, limit]);
    if (lines.length > 0) yield lines;
    const found = lines[0]?.found ?? 0;
    const isCut = found === limit || lines.length < found;
    after = isCut ? lines.at(-1)!.line : after + span;
    span = found > limit / 2 ? Math.max(limit, span >> 1) : Math.min(SPAN_MAX, span * 2);
    // If the byte limit cut the previous query, read as many lines as it returned.
    limit = Math.max(1, Math.min(LINES_READ, lines.length < found ? lines.length : limit * 2));
  }
}

/** Selects the numbered pages of a job. */
function pagesOf(on: Queryable, jobId: string) {
  return propertiesOf<ImportJobTables>(on)
    .selectFrom('import_job_page')
    .select(['body', sql<number>`number`.as('number'), sql<number>`first_line`.as('firstLine'), 'physicalLines'])
    .where('jobId', '=', jobId)
    .where('number', 'is not', null)
    .limit(1);
}

/** Returns a function that reads uploaded lines of a job by number. In ascending order it reads each page once. */
export function recordReader(on: Queryable, jobId: string): (line: number) => Promise<Buffer | undefined> {
  let records = new Map<number, Buffer>();
  let [from, to] = [0, 0];
  return async (line) => {
    if (line < from || line >= to) {
      const pages = pagesOf(on, jobId).where('firstLine', '<=', line).orderBy('firstLine', 'desc');
      const page = await pages.executeTakeFirst();
      // Uploads are deleted some days after their job ends; its results are deleted later.
      if (page === undefined) return undefined;
      [from, to] = [page.firstLine, page.firstLine + page.physicalLines];
      records = new Map((await recordsOf(page)).map((record) => [record.line, record.bytes]));
    }
    return records.get(line);
  };
}

/** Reads the lines without a final outcome, page by page. */
export async function* readUnprocessed(
  on: Queryable,
  jobId: string,
): AsyncGenerator<(Pick<StoredLine, 'line' | 'key'> & { record: Buffer | undefined })[]> {
  for (let after = 0; ;) {
    const unfinished = pagesOf(on, jobId)
      .where('number', '>', after)
      .where(sql<boolean>`not is_done`);
    const page = await unfinished.orderBy('number').executeTakeFirst();
    if (page === undefined) return;
    after = page.number;
    const validated = await findLinesOfPage(on, jobId, page);
    const finished = new Set(validated.filter(({ state }) => state !== 'staged').map(({ line }) => line));
    const staged = new Map(validated.filter(({ state }) => state === 'staged').map(({ line, key }) => [line, key]));
    const records = new Map((await recordsOf(page)).map(({ line, bytes }) => [line, bytes]));
    const lines = [...new Set([...records.keys(), ...staged.keys()])].filter((line) => !finished.has(line));
    yield lines
      .toSorted((one, other) => one - other)
      .map((line) => ({ line, key: staged.get(line) ?? null, record: records.get(line) }));
  }
}

async function recordsOf({ body, firstLine }: { body: Buffer | null; firstLine: number }): Promise<Line[]> {
  return body === null ? [] : linesOfPage(await unpackPage(body), firstLine);
}
