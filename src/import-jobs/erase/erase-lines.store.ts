import { emOf, run, type PreparedQuery, propertiesOf, type Queryable } from '../../platform/database/prepared-query.ts';
import { isRefused } from '../../vocabulary/refusals.ts';
import type { ImportJobKind } from '../../vocabulary/import-jobs.ts';
import { ImportJobPage, type ImportJobTables } from '../import-job.entity.ts';
import { findLinesOfPage, packPage, unpackPage } from '../import-job-page.store.ts';
import { isBlankLine } from '../page-lines.rules.ts';
import { keyOf, parseLine } from '../read-line.validation.ts';

const LINE_FEED = 10;
/** Replaces an erased line, so that later lines keep their numbers. */
const ERASED = Buffer.from('{"erased":true}');

/**
 * Lists the running jobs of an import supplier. A running job may still stage or create accounts from a page that it read before an
 * erasure; other jobs read their pages later, without the erased lines.
 * @param isLocked locks the jobs, so that none is started or resumed until the transaction ends
 */
export async function findRunningJobs(on: Queryable, importSupplier: string, isLocked = false): Promise<string[]> {
  const jobs = await propertiesOf<ImportJobTables>(on)
    .selectFrom('import_job')
    .select(['id', 'status'])
    .where('importSupplier', '=', importSupplier)
    .where('status', 'in', ['OPEN', 'VALIDATING', 'RUNNING', 'PAUSED'])
    .orderBy('id')
    .$if(isLocked, (found) => found.forNoKeyUpdate())
    .execute();
  return jobs.flatMap(({ id, status }) => (status === 'VALIDATING' || status === 'RUNNING' ? [id] : []));
}

/** Pages with a line of the account, with a line whose key is unknown, or with lines that were never validated. */
const CANDIDATES: PreparedQuery = {
  name: 'import-job-pages-of-account',
  text: `
    with own_lines as materialized (
      select job_id, line from import_job_line where claims_key and key = any($2::text[])
      union all
      select job_id, line from import_job_line where not claims_key and key = any($2::text[]))
    select p.upload_id as "uploadId", p.upload_page as "uploadPage", p.job_id as "jobId", p.first_line as "firstLine",
      p.physical_lines as "physicalLines", j.kind
    from import_job j join import_job_page p on p.job_id = j.id
    where j.import_supplier = $1 and j.parts_deleted_at is null and j.kind not in ('businesses', 'business-contracts') and p.body is not null
      and (not p.is_judged
        or exists (
          select from own_lines l
          where l.job_id = j.id and l.line >= p.first_line and l.line < p.first_line + p.physical_lines)
        or exists (
          select from import_job_line l
          where not l.claims_key and l.key is null and l.job_id = j.id and l.line >= p.first_line and l.line < p.first_line + p.physical_lines))
    order by 1, 2`,
};
/** The attr of an unknown member contains its name, which the sender chose. */
const UNNAMED = `case when f ->> 'code' = 'unknown_member' then '{"attr": "*"}'::jsonb else '{}' end`;
// Stored details and example values can repeat sent data. The catalogue of personal data covers only lines with the exact key.
const ERASE_FAULTS: PreparedQuery = {
  name: 'import-job-faults-erase',
  text: `
    with examples as (
      update import_job_cause set example_value = null,
        place = case when code = 'unknown_member' and place not like 'erased %' then 'erased ' || gen_random_uuid() else place end
      where job_id = $1 and example_line = any($2::integer[]))
    update import_job_line l set
      errors = (select jsonb_agg(f || jsonb_build_object('detail', f -> 'code') || ${UNNAMED}) from jsonb_array_elements(l.errors) f),
      warnings = (select jsonb_agg(f || jsonb_build_object('detail', f -> 'code') || ${UNNAMED}) from jsonb_array_elements(l.warnings) f)
    where l.job_id = $1 and l.line = any($2::integer[]) and l.key is distinct from $3`,
};

/**
 * Erases the lines of an account from the uploads of jobs, one page at a time. Idempotent.
 * @returns number of changed pages
 */
export async function eraseUploadedLines(
  on: Queryable,
  importSupplier: string,
  externalAccountNumber: string,
): Promise<number> {
  let changed = 0;
  for await (const { page, lines, erased } of pagesToErase(on, importSupplier, externalAccountNumber)) {
    const { uploadId, uploadPage } = page;
    await emOf(on).nativeUpdate(ImportJobPage, { uploadId, uploadPage }, { body: await packPage(erased) });
    await run(on, ERASE_FAULTS, [page.jobId, lines, externalAccountNumber]);
    changed += 1;
  }
  return changed;
}

/** The number of pages that `eraseUploadedLines` would change now. */
export async function countUploadedPages(
  on: Queryable,
  importSupplier: string,
  externalAccountNumber: string,
): Promise<number> {
  let count = 0;
  for await (const _page of pagesToErase(on, importSupplier, externalAccountNumber)) count += 1;
  return count;
}

interface Candidate extends Record<string, unknown> {
  uploadId: string;
  uploadPage: number;
  jobId: string;
  /** Null before the job is started. */
  firstLine: number | null;
  physicalLines: number;
  kind: ImportJobKind;
}

interface ErasedPage {
  page: Candidate;
  /** Numbers of the erased lines. */
  lines: number[];
  /** The body of the page without these lines. */
  erased: Buffer;
}

async function* pagesToErase(on: Queryable, supplier: string, external: string): AsyncGenerator<ErasedPage> {
  const number = canonical(external);
  const spellings = NORMAL_FORMS.map((form) => external.normalize(form)).concat(external);
  for (const page of await run<Candidate>(on, CANDIDATES, [supplier, spellings])) {
    const { uploadId, uploadPage } = page;
    const stored = await emOf(on).findOne(ImportJobPage, { uploadId, uploadPage }, { disableIdentityMap: true });
    if (!stored?.body) continue;
    const firstLine = page.firstLine ?? 0;
    const keyed = page.firstLine === null ? [] : await findLinesOfPage(on, page.jobId, { ...page, firstLine });
    const keys = new Map(keyed.map(({ line, key }) => [line, key]));
    const changed = withoutLinesOf(await unpackPage(stored.body), firstLine, (bytes, line) => {
      const key = keys.get(line) ?? null;
      return key === null ? isOf(bytes, page.kind, number) : spellings.includes(key);
    });
    if (changed.lines.length > 0) yield { page, ...changed };
  }
}

function withoutLinesOf(
  body: Buffer,
  firstLine: number,
  isOfAccount: (bytes: Buffer, line: number) => boolean,
): Omit<ErasedPage, 'page'> {
  const kept: Buffer[] = [];
  const lines: number[] = [];
  for (let start = 0, line = firstLine; start <= body.length; line += 1) {
    const found = body.indexOf(LINE_FEED, start);
    const end = found === -1 ? body.length : found;
    const bytes = body.subarray(start, end);
    const isErased = !bytes.equals(ERASED) && isOfAccount(bytes, line);
    if (isErased) lines.push(line);
    if (start > 0) kept.push(FEED);
    kept.push(isErased ? ERASED : bytes);
    start = end + 1;
  }
  return { lines, erased: Buffer.concat(kept) };
}

const FEED = Buffer.from([LINE_FEED]);
const NORMAL_FORMS = ['NFC', 'NFD'] as const;

/** Windows-1252 has more characters than Latin-1, and the same ones from 0xa0 on. */
const DECODERS = ['utf-8', 'windows-1252'].map((encoding) => new TextDecoder(encoding));

/**
 * Whether a line without a stored key belongs to the account. If it cannot be parsed or has no key, any mention of the number counts,
 * also in the members that results add.
 * @param number the account number, as `canonical` returns it
 */
function isOf(line: Buffer, kind: ImportJobKind, number: string): boolean {
  if (isBlankLine(line)) return false;
  const read = parseLine(line);
  if (isRefused(read)) {
    // Removes the null characters of UTF-16 before and control characters after escapes are resolved.
    return DECODERS.some((decoder) => canonical(unescaped(canonical(decoder.decode(line)))).includes(number));
  }
  const key = keyOf(kind, read.body);
  return key === undefined ? mentions(read.body, number) : canonical(key) === number;
}

/** Normalizes a string: removes differences that are not visible. */
function canonical(text: string): string {
  return text
    .normalize('NFC')
    .replaceAll(/[\p{Cc}\p{Default_Ignorable_Code_Point}]/gu, '')
    .trim();
}

/** The text of a line that is not JSON, with the escapes of JSON resolved. */
function unescaped(text: string): string {
  return text.replaceAll(/\\(?:u([\da-f]{4})|(["\\/]))/gi, (_all, code: string | undefined, plain: string) =>
    code === undefined ? plain : String.fromCharCode(Number.parseInt(code, 16)),
  );
}

/** Whether a name or value contains the number, as a word of a string or as a JSON number. A string may be JSON itself. */
function mentions(root: unknown, number: string): boolean {
  // Not recursive, because a line may be nested too deeply for the stack.
  const open = [root];
  while (open.length > 0) {
    const value = open.pop();
    if (JSON.isRawJSON(value)) open.push(value.rawJSON, Number(value.rawJSON));
    else if (typeof value === 'object' && value !== null) {
      for (const [name, member] of Object.entries(value)) open.push(name, member);
    } else if (hasWord(canonical(unescaped(String(value))), number)) return true;
  }
  return false;
}

const PART_OF_WORD = /[\p{L}\p{N}]/u;

function hasWord(text: string, word: string): boolean {
  for (let at = text.indexOf(word); at !== -1; at = text.indexOf(word, at + 1)) {
    const around = text.slice(at - 1, at) + text.slice(at + word.length, at + word.length + 1);
    if (!PART_OF_WORD.test(around)) return true;
  }
  return false;
}
