import type { EntityManager } from '@mikro-orm/postgresql';
import { findLinesOfPage, unpackPage } from '../import-job-page.store.ts';
import {
  findClaims,
  findPageToValidate,
  findWaitMs,
  storeLines,
  lockPageToValidate,
  type PageToValidate,
} from './worked-page.store.ts';
import type { FinishedLine, JobAtWork, LineKind, LineOutcome, PreparedLine } from './line-kind.rules.ts';
import { addPageTotals, findCountedBefore } from '../manifest/count-records.store.ts';
import { linesOfPage } from '../page-lines.rules.ts';
import { databaseFault, isOwnTimeout, isTransientError } from '../../platform/database/faults.ts';
import { loggedFault } from '../../platform/log.ts';
import {
  continuesStep,
  countPage,
  isSupplierPaused,
  type PageCounts,
  rollBackAfter,
  type StepEnd,
  type WorkDeps,
  type WorkedJob,
} from './job-at-work.store.ts';
import type { TimeSlice } from '../../platform/time-slice.ts';

/** Lines of a page that are ready to write. */
interface PreparedPage {
  page: PageToValidate;
  lines: readonly PreparedLine[];
  /** The page has more lines, which are validated later. */
  isPartial: boolean;
}

/**
 * Validates lines in their order, a page per transaction. Prepares the next page while the previous one is written.
 * @param lines most lines to validate
 */
export async function validatePages(deps: WorkDeps, job: WorkedJob, lines: number, slice: TimeSlice): Promise<StepEnd> {
  const reader = readerOf(deps, job, slice);
  let left = lines;
  let done = 0;
  let upcoming: Promise<PreparedPage | undefined> | undefined = reader.next(left);
  while (upcoming !== undefined) {
    const page: PreparedPage | undefined = await upcoming;
    upcoming = undefined;
    if (page === undefined || !(await slice.isReady())) break;
    left -= page.lines.length;
    // The rest of a partial page is read only after this part is written.
    if (!page.isPartial && left > 0 && !slice.isOver()) upcoming = handled(reader.next(left));
    const began = performance.now();
    const written = await writeOrSplit(deps, job, page, reader);
    if (written === 'stopped') break;
    if (written === 'again') {
      await upcoming;
      left += page.lines.length;
      upcoming = slice.isOver() ? undefined : reader.next(left);
      continue;
    }
    done += page.lines.length;
    deps.counted(job.record.kind, written);
    await slice.done(page.lines.length, performance.now() - began);
    if (!continuesStep(deps, job, written, 'validate')) break;
    if (page.isPartial && left > 0 && !slice.isOver()) upcoming = reader.next(left);
  }
  await upcoming?.catch(() => {});
  const waitMs = done > 0 ? slice.waitMs() : Math.max(slice.waitMs(), await findWaitMs(deps.database, job.record.id));
  return { lines: done, waitMs };
}

/** Prevents an unhandled rejection: the promise is awaited later, possibly after another failure. */
function handled<T>(work: Promise<T>): Promise<T> {
  work.catch(() => {});
  return work;
}

interface PageReader {
  /** Prepares the next page, or its first lines up to `left`. */
  next(left: number): Promise<PreparedPage | undefined>;
  /** Reads a page again, optionally with fewer lines per transaction. */
  again(page: PageToValidate, linesMax?: number): void;
}

function readerOf(deps: WorkDeps, job: WorkedJob, slice: TimeSlice): PageReader {
  const work = job.record;
  const kind = kindOf(deps, work);
  let after = 0;
  let batch = Number.POSITIVE_INFINITY;
  return {
    next: async (left) => {
      const page = await findPageToValidate(deps.database, work.id, after);
      if (page === undefined) return undefined;
      const all = linesOfPage(await unpackPage(page.body), page.firstLine);
      // Some lines are already validated if a canary ended within the page, or an outside party was unavailable.
      const found = page.judgedLines > 0 ? await findLinesOfPage(deps.database, work.id, page) : [];
      const validated = new Set(found.map(({ line }) => line));
      const open = all.filter(({ line }) => !validated.has(line));
      const some = open.slice(0, Math.min(left, batch, slice.atOnce()));
      const isPartial = some.length < open.length;
      after = isPartial ? page.number - 1 : page.number;
      return { page, lines: await kind.prepare(work, some, slice.yieldToEventLoop), isPartial };
    },
    again: (page, linesMax = batch) => {
      after = page.number - 1;
      batch = linesMax;
    },
  };
}

function kindOf(deps: WorkDeps, { kind }: JobAtWork): LineKind {
  const found = deps.lineKinds[kind];
  if (found === undefined) throw new Error(`no line kind ${kind}`);
  return found;
}

/** Writes a page. Splits it into smaller parts after a timeout, and bisects it if the database rejects a line. */
async function writeOrSplit(
  deps: WorkDeps,
  job: WorkedJob,
  page: PreparedPage,
  reader: PageReader,
): Promise<PageCounts | 'stopped' | 'again'> {
  try {
    const written = await writePage(deps, job, page, writeAll);
    // Another worker, considered lost, has validated lines of this page.
    if (written === 'again') reader.again(page.page);
    return written;
  } catch (error) {
    if (isOwnTimeout(error) && page.lines.length > 1) {
      reader.again(page.page, Math.ceil(page.lines.length / 4));
      return 'again';
    }
    if (isTransientError(error)) throw error;
    deps.log.error(
      { fault: loggedFault(error), ...databaseFault(error) },
      'page of an import job rejected by the database; retrying in halves',
    );
  }
  return writePage(deps, job, page, writeNarrowing);
}

type Write = (
  em: EntityManager,
  kind: LineKind,
  job: JobAtWork,
  lines: readonly PreparedLine[],
) => Promise<LineOutcome[]>;

const writeAll: Write = (em, kind, job, lines) => kind.write(em, job, lines);

/** Bisects a page to find the lines that the database rejects. They fail with an internal error, because validation should have found them. */
const writeNarrowing: Write = async (em, kind, job, lines) => {
  try {
    return await em.transactional((part) => kind.write(part, job, lines));
  } catch (error) {
    if (isTransientError(error)) throw error;
    if (lines.length === 1) return [{ kind: 'failed', code: 'error', errors: [] }];
    const middle = lines.length >> 1;
    return [
      ...(await writeNarrowing(em, kind, job, lines.slice(0, middle))),
      ...(await writeNarrowing(em, kind, job, lines.slice(middle))),
    ];
  }
};

async function writePage(
  deps: WorkDeps,
  job: WorkedJob,
  { page, lines }: PreparedPage,
  write: Write,
): Promise<PageCounts | 'stopped' | 'again'> {
  const work = job.record;
  const kind = kindOf(deps, work);
  return deps.database.transaction(async (em) => {
    if (!(await lockPageToValidate(em, page))) return 'again';
    const before = job.record.countsTotals ? await findCountedBefore(em, work, lines) : undefined;
    const finished = await finishLines(em, kind, work, lines, write);
    if (work.kind === 'accounts' && isSupplierPaused(finished)) {
      deps.suppliers.forget();
      await em.rollback();
      return 'stopped';
    }
    const waits = finished.flatMap(({ outcome }) => (outcome.kind === 'waits' ? [outcome.seconds] : []));
    const kept = finished.filter(({ outcome }) => outcome.kind !== 'waits');
    await storeLines(em, work.id, page, kept, waits.length === 0 ? null : Math.min(...waits));
    const counts = await countPage(em, work.id, kept, kept.length);
    if (counts !== 'stopped' && before !== undefined) await addPageTotals(em, work, kept, before);
    return counts;
  });
}

/** Computes the outcomes of lines. A second line with the same key is rejected as a duplicate if the kind claims keys. */
async function finishLines(
  em: EntityManager,
  kind: LineKind,
  job: JobAtWork,
  lines: readonly PreparedLine[],
  write: Write,
): Promise<FinishedLine[]> {
  const keyed = kind.claimsKeys ? lines.flatMap(({ key, line }) => (key === undefined ? [] : [{ key, line }])) : [];
  const firsts = await findClaims(em, job.id, [...new Set(keyed.map(({ key }) => key))]);
  for (const { key, line } of keyed) if (!firsts.has(key)) firsts.set(key, line);
  const firstOf = ({ key = '' }: PreparedLine) => firsts.get(key);
  const toWrite = lines.filter((line) => (firstOf(line) ?? line.line) === line.line);
  const isRolledBack = job.goal === 'VALIDATE' || job.goal === 'REHEARSE';
  const written = await (isRolledBack
    ? rollBackAfter(em, (part) => write(part, kind, job, toWrite))
    : write(em, kind, job, toWrite));
  const outcomes = new Map(toWrite.map((line, index) => [line, written[index]!]));
  return lines.map((prepared) => {
    const { line, key, body } = prepared;
    const first = firstOf(prepared);
    const outcome = outcomes.get(prepared) ?? duplicateOf(first!);
    return { line, key, body, outcome, claimsKey: first === line };
  });
}

function duplicateOf(line: number): LineOutcome {
  const detail = `Line ${line} of the job has the same external_account_number; this line is not processed.`;
  return { kind: 'failed', code: 'duplicate_in_job', errors: [], detail };
}
