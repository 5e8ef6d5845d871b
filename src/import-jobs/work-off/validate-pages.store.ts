import type { EntityManager } from '@mikro-orm/postgresql';
import { faultsOf, type LineToCount } from '../results/cause.rules.ts';
import { recordCauses } from '../results/import-job-cause.store.ts';
import { findLinesOfPage, unpackPage } from '../import-job-page.store.ts';
import { isSupplierPaused, countJob, type WorkedJob } from './job-at-work.store.ts';
import {
  findClaims,
  findPageToValidate,
  findWaitMs,
  storeLines,
  lockPageToValidate,
  type LineToStore,
  type PageToValidate,
} from './validated-page.store.ts';
import type { JobAtWork, LineKind, LineOutcome } from './line-kind.rules.ts';
import { linesOfPage } from '../page-lines.rules.ts';
import { databaseFault, isOwnTimeout, isTransientError } from '../../platform/database/faults.ts';
import { loggedFault } from '../../platform/log.ts';
import type { ImportJobGoal, LineState } from '../../vocabulary/import-jobs.ts';
import {
  rollBackAfter,
  countsOf,
  continuesStep,
  type PageCounts,
  type StepEnd,
  type WorkDeps,
} from './work-step.store.ts';
import type { TimeSlice } from '../../platform/time-slice.ts';

/** Lines of a page that are ready to write. */
interface PreparedPage {
  page: PageToValidate;
  lines: readonly number[];
  prepared: readonly unknown[];
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
      const prepared = await kind.prepare(work, some, slice.yieldToEventLoop);
      return { page, lines: some.map(({ line }) => line), prepared, isPartial };
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
  prepared: readonly unknown[],
) => Promise<LineOutcome[]>;

const writeAll: Write = (em, kind, job, prepared) => kind.write(em, job, prepared);

/** Bisects a page to find the lines that the database rejects. They fail with an internal error, because validation should have found them. */
const writeNarrowing: Write = async (em, kind, job, prepared) => {
  try {
    return await em.transactional((part) => kind.write(part, job, prepared));
  } catch (error) {
    if (isTransientError(error)) throw error;
    if (prepared.length === 1) return [{ kind: 'failed', code: 'error', errors: [] }];
    const middle = prepared.length >> 1;
    return [
      ...(await writeNarrowing(em, kind, job, prepared.slice(0, middle))),
      ...(await writeNarrowing(em, kind, job, prepared.slice(middle))),
    ];
  }
};

async function writePage(
  deps: WorkDeps,
  job: WorkedJob,
  { page, lines, prepared }: PreparedPage,
  write: Write,
): Promise<PageCounts | 'stopped' | 'again'> {
  const work = job.record;
  const kind = kindOf(deps, work);
  return deps.database.transaction(async (em) => {
    if (!(await lockPageToValidate(em, page))) return 'again';
    const { outcomes, claims } = await outcomesOf(em, kind, work, lines, prepared, write);
    if (work.kind === 'accounts' && isSupplierPaused(outcomes)) {
      deps.suppliers.forget();
      await em.rollback();
      return 'stopped';
    }
    const waits = outcomes.flatMap((outcome) => (outcome.kind === 'waits' ? [outcome.seconds] : []));
    const kept = outcomes.flatMap((outcome, index) =>
      outcome.kind === 'waits' ? [] : [lineToStore(work.goal, lines[index]!, outcome, claims[index]!)],
    );
    await storeLines(em, work.id, page, kept, waits.length === 0 ? null : Math.min(...waits));
    const counts = countsOf(kept);
    const counted = await countJob(em, work.id, { ...counts, judged: kept.length }, kept.length);
    if (counted === undefined) {
      await em.rollback();
      return 'stopped';
    }
    await recordCauses(em, work.id, linesToCount(kind, lines, outcomes, prepared));
    return { ...counts, job: counted };
  });
}

interface ValidatedLines {
  outcomes: LineOutcome[];
  claims: boolean[];
}

/** Computes the outcomes of lines. A second line with the same key is rejected as a duplicate. */
async function outcomesOf(
  em: EntityManager,
  kind: LineKind,
  job: JobAtWork,
  lines: readonly number[],
  prepared: readonly unknown[],
  write: Write,
): Promise<ValidatedLines> {
  const firsts = await firstLines(em, kind, job, lines, prepared);
  const isFirst = lines.map((line, index) => (firsts[index] ?? line) === line);
  const toWrite = prepared.filter((_, index) => isFirst[index]);
  const isRolledBack = job.goal === 'VALIDATE' || job.goal === 'REHEARSE';
  const written = await (isRolledBack
    ? rollBackAfter(em, (part) => write(part, kind, job, toWrite))
    : write(em, kind, job, toWrite));
  const next = written.values();
  const outcomes = lines.map((_line, index): LineOutcome => {
    if (isFirst[index]) return next.next().value as LineOutcome;
    const detail = `Line ${firsts[index]} of the job has the same external_account_number; this line is not processed.`;
    return { kind: 'failed', code: 'duplicate_in_job', errors: [], detail, key: kind.claimOf?.(prepared[index]) };
  });
  return { outcomes, claims: isFirst.map((first, index) => first && firsts[index] !== undefined) };
}

/** For each line, the first line of the job with the same key; undefined for lines without a key. */
async function firstLines(
  em: EntityManager,
  kind: LineKind,
  job: JobAtWork,
  lines: readonly number[],
  prepared: readonly unknown[],
): Promise<(number | undefined)[]> {
  const keys = prepared.map((line) => kind.claimOf?.(line));
  const firsts = await findClaims(em, job.id, [...new Set(keys.flatMap((key) => key ?? []))]);
  return keys.map((key, index) => {
    if (key === undefined) return undefined;
    if (!firsts.has(key)) firsts.set(key, lines[index]!);
    return firsts.get(key);
  });
}

function lineToStore(goal: ImportJobGoal, line: number, outcome: LineOutcome, claimsKey: boolean): LineToStore {
  // A rehearsal does not quarantine.
  const state = outcome.kind === 'quarantined' && goal === 'REHEARSE' ? 'failed' : outcome.kind;
  return {
    line,
    key: outcome.key ?? null,
    claimsKey,
    state: state as LineState,
    number: outcome.kind === 'succeeded' ? (outcome.number ?? null) : null,
    errors: faultsOf(outcome),
    warnings: outcome.warnings ?? [],
    revision: outcome.kind === 'staged' ? outcome.revision : null,
  };
}

function linesToCount(
  kind: LineKind,
  lines: readonly number[],
  outcomes: readonly LineOutcome[],
  prepared: readonly unknown[],
): LineToCount[] {
  return outcomes.flatMap((outcome, index) =>
    outcome.kind === 'waits' ? [] : [{ line: lines[index]!, outcome, body: kind.bodyOf?.(prepared[index]) }],
  );
}
