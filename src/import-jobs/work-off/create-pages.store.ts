import type { EntityManager } from '@mikro-orm/postgresql';
import pMap from 'p-map';
import {
  bisectCreation,
  createFromStaged,
  findWarningsOfStaged,
  lockRevisions,
  markRehearsed,
  quarantine,
  refuseMissingStagedDocuments,
  type CreationEntry,
  type CreationOutcome,
} from '../../account-import/index.ts';
import { entryOf, outcomeOfCreation, rehearse } from './account-line-kind.store.ts';
import {
  findReplacedLines,
  findStagedLines,
  storeCreatedLines,
  lockPageToCreate,
  type StagedLine,
} from './worked-page.store.ts';
import { importJobBudget } from '../../../temporal.config.ts';
import type { FinishedLine, JobAtWork } from './line-kind.rules.ts';
import { isOwnTimeout, isTransientError } from '../../platform/database/faults.ts';
import { checksDocuments } from '../../suppliers/index.ts';
import type { Refused } from '../../vocabulary/refusals.ts';
import { parisDay } from '../../platform/clock.ts';
import { warning, type Warning } from '../../vocabulary/warnings.ts';
import { VendorUnavailable } from '../../vocabulary/vendor-errors.ts';
import type { TimeSlice } from '../../platform/time-slice.ts';
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

/** The state that concurrent workers of a step share. */
interface Creation {
  deps: WorkDeps;
  job: WorkedJob;
  slice: TimeSlice;
  /** Lines that may still be started; `done` counts completed lines. */
  left: number;
  done: number;
  /** Most accounts of the next transaction; reduced after a timeout. */
  batch: number;
  isStopped: boolean;
}

/** Retry interval while other workers hold all pages. */
const LOCKED_RETRY_MS = 1_000;

/**
 * Creates staged accounts page by page, two pages concurrently. Each page is stored with its outcomes in one transaction.
 * @param lines most lines to process
 */
export async function createPages(deps: WorkDeps, job: WorkedJob, lines: number, slice: TimeSlice): Promise<StepEnd> {
  const creation = { deps, job, slice, left: lines, done: 0, batch: importJobBudget.atOnce, isStopped: false };
  const workers = Array.from({ length: importJobBudget.concurrentPages }, (_, worker) =>
    createNextPages(creation, worker === 0),
  );
  const ended = await Promise.allSettled(workers);
  for (const end of ended) if (end.status === 'rejected') throw end.reason as Error;
  return {
    lines: creation.done,
    waitMs: creation.done > 0 ? slice.waitMs() : Math.max(slice.waitMs(), LOCKED_RETRY_MS),
  };
}

async function createNextPages(creation: Creation, isFirst: boolean): Promise<void> {
  const { slice } = creation;
  try {
    while (!slice.isOver() && !creation.isStopped && creation.left > 0 && (isFirst || !slice.mustYield())) {
      if (!(await slice.isReady())) return;
      const size = Math.min(creation.left, creation.batch, slice.atOnce());
      creation.left -= size;
      const began = performance.now();
      const done = await createSome(creation, size);
      creation.left += size - done;
      creation.done += done;
      if (done === 0) return;
      await slice.done(done, performance.now() - began);
    }
  } catch (error) {
    creation.isStopped = true;
    throw error;
  }
}

/** `narrowing` searches for the accounts that the database rejects; `quarantining` quarantines an account that times out alone. */
type Mode = 'together' | 'narrowing' | 'quarantining';

/** @returns the number of processed lines; 0 if no page is available or the job was stopped */
async function createSome(creation: Creation, size: number): Promise<number> {
  const { deps, job } = creation;
  const missing = await findMissingDocuments(creation, size);
  let mode: Mode = 'together';
  let limit = size;
  for (;;) {
    try {
      const counts = await createPage(creation, limit, missing, mode);
      if (counts === undefined) return 0;
      if (counts === 'stopped') {
        creation.isStopped = true;
        return 0;
      }
      deps.counted(job.record.kind, counts);
      if (!continuesStep(deps, job, counts, 'create')) creation.isStopped = true;
      creation.batch = Math.min(importJobBudget.atOnce, creation.batch * 2);
      return counts.succeeded + counts.failed;
    } catch (error) {
      if (isOwnTimeout(error)) {
        // An account that times out alone is quarantined; its own run has more time.
        if (limit === 1) mode = 'quarantining';
        else limit = Math.ceil(limit / 4);
        creation.batch = limit;
      } else if (isTransientError(error) || mode !== 'together') throw error;
      else mode = 'narrowing';
    }
  }
}

async function createPage(
  { deps, job, slice }: Creation,
  limit: number,
  missing: ReadonlyMap<number, Refused>,
  mode: Mode,
): Promise<PageCounts | 'stopped' | undefined> {
  const work = job.record;
  return deps.database.transaction(async (em) => {
    const page = await lockPageToCreate(em, work.id);
    const staged = page && (await findStagedLines(em, work.id, page, limit));
    if (page === undefined || staged === undefined || staged.length === 0) return undefined;
    const present = staged.filter(({ line }) => !missing.has(line));
    const entries = present.map(({ line, key }) => entryOf(work, line, key));
    const warnings = await warningsOf(deps, em, work, staged, slice);
    const revisions = await revisionsToRehearse(em, work, present);
    const outcomes = await create(deps, em, work, entries, mode);
    if (work.waveId !== null && work.goal === 'REHEARSE') {
      const tried = present.filter((_, index) => outcomes[index]!.kind === 'created');
      const wave = { ...work, id: work.waveId };
      await markRehearsed(em, wave, revisionsOf(revisions, tried), deps.creation.switchLeadDays);
    }
    const created = outcomes.values();
    const lines = staged.map(({ line, key }): FinishedLine => {
      const outcome = outcomeOfCreation(work, missing.get(line) ?? (created.next().value as CreationOutcome));
      return { line, outcome: { ...outcome, warnings: warnings.get(key) ?? [] } };
    });
    const earlier = await warnOfOtherData(em, work, lines);
    if (isSupplierPaused(lines)) {
      deps.suppliers.forget();
      await em.rollback();
      return 'stopped';
    }
    await storeCreatedLines(em, work.id, page, lines, earlier);
    return countPage(em, work.id, lines, 0, earlier);
  });
}

/** Locks the accounts that a wave rehearses, so that exactly these revisions are tried. */
async function revisionsToRehearse(
  em: EntityManager,
  { goal, waveId, importSupplier }: JobAtWork,
  staged: readonly StagedLine[],
): Promise<ReadonlyMap<string, number>> {
  if (goal !== 'REHEARSE' || waveId === null) return new Map();
  return lockRevisions(
    em,
    importSupplier,
    staged.map(({ key }) => key),
  );
}

function revisionsOf(revisions: ReadonlyMap<string, number>, lines: readonly StagedLine[]): Map<string, number> {
  return new Map(lines.flatMap(({ key }) => (revisions.has(key) ? [[key, revisions.get(key)!] as const] : [])));
}

/** The staging warnings of a rehearsal; for other goals they were stored at validation. */
async function warningsOf(
  { clock }: WorkDeps,
  em: EntityManager,
  { goal, importSupplier }: JobAtWork,
  staged: readonly StagedLine[],
  slice: TimeSlice,
): Promise<Map<string, Warning[]>> {
  if (goal !== 'REHEARSE') return new Map();
  const externalAccountNumbers = staged.map(({ key }) => key);
  return findWarningsOfStaged(
    em,
    { importSupplier, externalAccountNumbers },
    parisDay(clock.now()),
    slice.yieldToEventLoop,
  );
}

/**
 * Adds a warning to each line whose account was staged again with other data after the line was validated: the latest data is created.
 * @returns the warnings that these lines have from validation
 */
async function warnOfOtherData(
  em: EntityManager,
  work: JobAtWork,
  lines: readonly FinishedLine[],
): Promise<ReadonlyMap<number, readonly unknown[]>> {
  if (work.goal !== 'CREATE') return new Map();
  const created = lines.flatMap(({ line, outcome }) => (outcome.kind === 'succeeded' ? [line] : []));
  const replaced = await findReplacedLines(em, work, created);
  for (const finished of lines) {
    if (!replaced.has(finished.line)) continue;
    const warnings = [...(finished.outcome.warnings ?? []), warning('other_data_staged', ['external_account_number'])];
    finished.outcome = { ...finished.outcome, warnings };
  }
  return replaced;
}

async function create(
  { creation, log }: WorkDeps,
  em: EntityManager,
  { goal }: JobAtWork,
  entries: readonly CreationEntry[],
  mode: Mode,
): Promise<CreationOutcome[]> {
  if (entries.length === 0) return [];
  if (goal === 'REHEARSE') {
    return mode === 'quarantining'
      ? entries.map(() => ({ kind: 'quarantined' }))
      : rollBackAfter(em, (part) => rehearse(part, entries, creation));
  }
  const quarantineEntry = (part: EntityManager, entry: CreationEntry, error: unknown) =>
    quarantine(part, log, entry, error);
  if (mode === 'together') return createFromStaged(em, entries, creation);
  if (mode === 'narrowing') return bisectCreation(em, entries, creation, quarantineEntry);
  for (const entry of entries) await quarantineEntry(em, entry, new CreationTimedOut());
  return entries.map(() => ({ kind: 'quarantined' }));
}

/** Recorded as the error of an account whose creation times out; has the SQLSTATE of a timeout. */
class CreationTimedOut extends Error {
  override name = 'TookTooLong';
  readonly code = '57014';
}

const DOCUMENT_CHECKS_AT_ONCE = 4;

/**
 * Checks again the documents of accounts that were staged under another document root. Runs before the transaction, so that no lock waits
 * for the document store.
 */
async function findMissingDocuments({ deps, job }: Creation, size: number): Promise<ReadonlyMap<number, Refused>> {
  const missing = new Map<number, Refused>();
  const supplier = await deps.suppliers.find(job.record.importSupplier);
  if (supplier === undefined || !checksDocuments(supplier)) return missing;
  const next = await deps.database.transaction(async (em) => {
    const page = await lockPageToCreate(em, job.record.id);
    return page === undefined ? [] : findStagedLines(em, job.record.id, page, size);
  });
  await pMap(
    next,
    async ({ line, key }) => {
      const wanted = {
        importSupplier: job.record.importSupplier,
        externalAccountNumber: key,
        isDryRun: job.record.goal === 'REHEARSE',
      };
      const refused = await refuseMissingStagedDocuments(deps, wanted, deps.log);
      if (refused?.code === 'service_unavailable') throw new VendorUnavailable('The document store is unavailable.');
      if (refused) missing.set(line, refused);
    },
    { concurrency: DOCUMENT_CHECKS_AT_ONCE },
  );
  return missing;
}
