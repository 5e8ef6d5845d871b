import type { EntityManager } from '@mikro-orm/postgresql';
import { faultsOf, type LineToCount } from '../results/cause.rules.ts';
import { recordCauses } from '../results/import-job-cause.store.ts';
import { unpackPage } from '../import-job-page.store.ts';
import { areHeldBack, countJob, jobAtWork, type WorkedJob } from './job-at-work.store.ts';
import {
  findClaims,
  findJudgedLines,
  findPageToJudge,
  findWaitMs,
  keepLines,
  lockPageToJudge,
  type KeptLine,
  type PageToJudge,
} from './judged-page.store.ts';
import type { JobAtWork, LineKind, LineOutcome } from './line-kind.rules.ts';
import { linesOfPage } from '../page-lines.rules.ts';
import { databaseFault, isOwnTimeout, isTransientError } from '../../platform/database/faults.ts';
import { loggedFault } from '../../platform/log.ts';
import type { ImportJobGoal, LineState } from '../../vocabulary/import-jobs.ts';
import {
  rollBackAfter,
  countsOf,
  stepGoesOn,
  type PageCounts,
  type StepEnd,
  type WorkDeps,
} from './work-step.store.ts';
import type { TimeSlice } from '../../platform/time-slice.ts';

/** Lines of a page that are ready to be written. */
interface PreparedPage {
  page: PageToJudge;
  lines: readonly number[];
  prepared: readonly unknown[];
  /** Others of the page are left for later. */
  isPartial: boolean;
}

/**
 * Judges lines in their order, a page in a transaction; while one page is written the next is prepared.
 * @param lines most that may be judged
 */
export async function judgePages(deps: WorkDeps, job: WorkedJob, lines: number, slice: TimeSlice): Promise<StepEnd> {
  const reader = readerOf(deps, job, slice);
  let left = lines;
  let done = 0;
  let upcoming: Promise<PreparedPage | undefined> | undefined = reader.next(left);
  while (upcoming !== undefined) {
    const page: PreparedPage | undefined = await upcoming;
    upcoming = undefined;
    if (page === undefined || !(await slice.isReady())) break;
    left -= page.lines.length;
    // Of a page that is done in pieces the next piece is known only after this one.
    if (!page.isPartial && left > 0 && !slice.isOver()) upcoming = held(reader.next(left));
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
    if (!stepGoesOn(deps, job, written, 'judge')) break;
    if (page.isPartial && left > 0 && !slice.isOver()) upcoming = reader.next(left);
  }
  await upcoming?.catch(() => {});
  const waitMs = done > 0 ? slice.waitMs() : Math.max(slice.waitMs(), await findWaitMs(deps.database, job.record.id));
  return { lines: done, waitMs };
}

/** Its failure is met where it is awaited, which may be after something else has failed. */
function held<T>(work: Promise<T>): Promise<T> {
  work.catch(() => {});
  return work;
}

interface PageReader {
  /** Prepares the next page, or as many lines of it as may be done. */
  next(left: number): Promise<PreparedPage | undefined>;
  /** Goes back to a page, with fewer lines at once if that is asked for. */
  again(page: PageToJudge, linesMax?: number): void;
}

function readerOf(deps: WorkDeps, job: WorkedJob, slice: TimeSlice): PageReader {
  const work = jobAtWork(job);
  const kind = kindOf(deps, work);
  let after = 0;
  let batch = Number.POSITIVE_INFINITY;
  return {
    next: async (left) => {
      const page = await findPageToJudge(deps.database, work.jobId, after);
      if (page === undefined) return undefined;
      const all = linesOfPage(await unpackPage(page.body), page.firstLine);
      const judged = page.judgedLines > 0 ? await findJudgedLines(deps.database, work.jobId, page) : undefined;
      const open = judged ? all.filter(({ line }) => !judged.has(line)) : all;
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

/** Writes a page; what the database does not get through with in time is done in smaller pieces, and what it refuses is narrowed down. */
async function writeOrSplit(
  deps: WorkDeps,
  job: WorkedJob,
  page: PreparedPage,
  reader: PageReader,
): Promise<PageCounts | 'stopped' | 'again'> {
  try {
    const written = await writePage(deps, job, page, writeAll);
    // Somebody else has judged lines of it: a worker that was thought dead.
    if (written === 'again') reader.again(page.page);
    return written;
  } catch (error) {
    if (isOwnTimeout(error) && page.lines.length > 1) {
      reader.again(page.page, Math.ceil(page.lines.length / 4));
      return 'again';
    }
    if (isTransientError(error)) throw error;
    deps.log.error({ fault: loggedFault(error), ...databaseFault(error) }, 'a page of an import job is narrowed down');
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

/** Leaves out what the database refuses: no check foresaw it, so all that can be said is that it is a fault of ours. */
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
  const work = jobAtWork(job);
  const kind = kindOf(deps, work);
  return deps.database.transaction(async (em) => {
    if (!(await lockPageToJudge(em, page))) return 'again';
    const { outcomes, claims } = await outcomesOf(em, kind, work, lines, prepared, write);
    if (work.kind === 'accounts' && areHeldBack(outcomes)) {
      deps.suppliers.forget();
      await em.rollback();
      return 'stopped';
    }
    const waits = outcomes.flatMap((outcome) => (outcome.kind === 'waits' ? [outcome.seconds] : []));
    const kept = outcomes.flatMap((outcome, index) =>
      outcome.kind === 'waits' ? [] : [keptLine(work.goal, lines[index]!, outcome, claims[index]!)],
    );
    await keepLines(em, work.jobId, page, kept, waits.length === 0 ? null : Math.min(...waits));
    const counts = countsOf(kept);
    const counted = await countJob(em, work.jobId, { ...counts, judged: kept.length }, kept.length);
    if (counted === undefined) {
      await em.rollback();
      return 'stopped';
    }
    await recordCauses(em, work.jobId, linesToCount(kind, lines, outcomes, prepared));
    return { ...counts, job: counted };
  });
}

interface Judged {
  outcomes: LineOutcome[];
  claims: boolean[];
}

/** What becomes of the lines; a second line of a key is not even tried. */
async function outcomesOf(
  em: EntityManager,
  kind: LineKind,
  job: JobAtWork,
  lines: readonly number[],
  prepared: readonly unknown[],
  write: Write,
): Promise<Judged> {
  const firsts = await firstLines(em, kind, job, lines, prepared);
  const isFirst = lines.map((line, index) => (firsts[index] ?? line) === line);
  const going = prepared.filter((_, index) => isFirst[index]);
  const leavesNothing = job.goal === 'VALIDATE' || job.goal === 'REHEARSE';
  const written = await (leavesNothing
    ? rollBackAfter(em, (part) => write(part, kind, job, going))
    : write(em, kind, job, going));
  const next = written.values();
  const outcomes = lines.map((_line, index): LineOutcome => {
    if (isFirst[index]) return next.next().value as LineOutcome;
    const detail = `Line ${firsts[index]} of the job has the same external_account_number; this line is not done.`;
    return { kind: 'failed', code: 'duplicate_in_job', errors: [], detail, key: kind.claimOf?.(prepared[index]) };
  });
  return { outcomes, claims: isFirst.map((first, index) => first && firsts[index] !== undefined) };
}

/** The first line of the job with the key of each; undefined for lines that claim none. */
async function firstLines(
  em: EntityManager,
  kind: LineKind,
  job: JobAtWork,
  lines: readonly number[],
  prepared: readonly unknown[],
): Promise<(number | undefined)[]> {
  const keys = prepared.map((one) => kind.claimOf?.(one));
  const firsts = await findClaims(em, job.jobId, [...new Set(keys.flatMap((key) => key ?? []))]);
  return keys.map((key, index) => {
    if (key === undefined) return undefined;
    if (!firsts.has(key)) firsts.set(key, lines[index]!);
    return firsts.get(key);
  });
}

function keptLine(goal: ImportJobGoal, line: number, outcome: LineOutcome, claimsKey: boolean): KeptLine {
  // Nobody looks after an account that a rehearsal could not create.
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
