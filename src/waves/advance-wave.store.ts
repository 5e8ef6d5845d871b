import type { EntityManager } from '@mikro-orm/postgresql';
import { findJobsAtWork, findJobState, pauseJobOfWave, startJobOfWave } from '../import-jobs/index.ts';
import type { Database } from '../platform/database/database.ts';
import type { WorkRuns } from '../platform/temporal/start-run.ts';
import { isRefused } from '../vocabulary/refusals.ts';
import { isPassed, gatesOf } from './gate.rules.ts';
import { exactCounts, freshCounts, readFacts } from './wave-facts.store.ts';
import { hasWaveEnded } from './wave.rules.ts';
import type { WaveRecord } from './wave.entity.ts';
import { changeWave, lockWave } from './wave.store.ts';

/** What the run of a wave shows, and when it looks again. */
export interface WaveProgress {
  status: WaveRecord['status'];
  hasEnded: boolean;
  details: string;
  waitMs: number;
}

/** Intervals at which a wave is looked at: while its accounts are created, and otherwise. Signals come in between. */
const CREATING_MS = 2_000;
const WAITING_MS = 60_000;

/**
 * Takes the next step of a wave: starts its creation when its plan begins, pauses it when its plan ends, ends it with its job, and counts.
 * Each call is one transaction that decides from what is stored, so that it may be repeated.
 * @returns undefined if there is no such wave
 */
export async function advanceWave(
  { database, runs }: { database: Database; runs: WorkRuns },
  waveId: string,
  now: Date,
): Promise<WaveProgress | undefined> {
  const step = await database.transaction(async (em) => {
    const wave = await lockWave(em, waveId);
    if (wave === undefined) return undefined;
    const { changed, waitMs } = await stepOf(em, wave, now);
    const facts = await readFacts(em, changed, changed === wave ? freshCounts : exactCounts);
    return { wave: changed, isChanged: changed !== wave, facts, waitMs };
  });
  if (step === undefined) return undefined;
  const { creationJobId } = step.wave;
  if (step.isChanged && creationJobId !== null) void runs.start(await findJobsAtWork(database, [creationJobId]));
  const gates = gatesOf(step.facts);
  const { counts } = step.facts;
  const open = gates.find((gate) => !isPassed(gate));
  const details = [
    `Wave "${step.wave.name}": ${step.wave.status}${step.wave.pausedBecause === null ? '' : ` (${step.wave.pausedBecause})`}.`,
    `${counts.accounts} accounts, ${counts.created} created, ${counts.pending} pending.`,
    open === undefined ? 'All gates are passed.' : `Gate ${open.name}: ${open.evidence}`,
    'Signals: `pause`, `resume`. Cancelling this run cancels the wave.',
  ].join('\n');
  return { status: step.wave.status, hasEnded: hasWaveEnded(step.wave.status), details, waitMs: step.waitMs };
}

async function stepOf(
  em: EntityManager,
  wave: WaveRecord,
  now: Date,
): Promise<{ changed: WaveRecord; waitMs: number }> {
  const { createFrom, createUntil } = wave;
  const isOver = createUntil !== null && now >= createUntil;
  if (wave.status === 'SCHEDULED') {
    if (isOver) return { changed: await pausePast(em, wave), waitMs: WAITING_MS };
    const waitMs = createFrom === null ? 0 : createFrom.getTime() - now.getTime();
    if (waitMs > 0) return { changed: wave, waitMs: Math.min(waitMs, WAITING_MS) };
    const { canary, stop_after_failures, max_per_second } = wave.options;
    const options = {
      ...(canary === undefined ? {} : { canary }),
      ...(stop_after_failures === undefined ? {} : { stop_after_failures }),
      ...(max_per_second === undefined ? {} : { max_per_second }),
    };
    const jobId = await startJobOfWave(em, wave, 'CREATE', options);
    // The organization has too many open jobs: look again later.
    if (isRefused(jobId)) return { changed: wave, waitMs: WAITING_MS };
    return { changed: await changeWave(em, wave, { status: 'CREATING', creationJobId: jobId }), waitMs: CREATING_MS };
  }
  if (wave.status !== 'CREATING') return { changed: wave, waitMs: WAITING_MS };
  const job = wave.creationJobId === null ? undefined : await findJobState(em, wave.creationJobId);
  if (job === undefined || job.hasEnded) {
    return { changed: await changeWave(em, wave, { status: 'CREATED' }), waitMs: WAITING_MS };
  }
  if (isOver) return { changed: await pausePast(em, wave), waitMs: WAITING_MS };
  return { changed: wave, waitMs: job.isPaused ? WAITING_MS : CREATING_MS };
}

/** Pauses a wave whose plan ended before all its accounts were created. */
async function pausePast(em: EntityManager, wave: WaveRecord): Promise<WaveRecord> {
  if (wave.creationJobId !== null) await pauseJobOfWave(em, wave.creationJobId);
  return changeWave(em, wave, { status: 'PAUSED', pausedBecause: 'past_create_until' });
}
