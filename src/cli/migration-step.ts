import { kindsBeforeCreation } from '../vocabulary/import-jobs.ts';
import { isOfOtherContent, type MigrationFile } from './migration-files.ts';
import { decisionOf, hasWaveEnded, isAtWork, isGatePassed, reconciliationOf, type Decision } from './wave-decision.ts';
import type { WaveJob, WaveView } from './wave-view.ts';

/** What a migration does next. */
export type MigrationStep =
  | { do: 'upload'; file: MigrationFile; job: WaveJob | undefined }
  /** Cancels an upload that was not started: its file has changed since. */
  | { do: 'discard'; job: WaveJob }
  | { do: 'rehearse' | 'create' | 'compare' | 'wait' }
  | { do: 'stop'; decision: Decision }
  | { do: 'end' };

const WAIT: MigrationStep = { do: 'wait' };
/** Statuses of jobs whose file is imported again. */
const GIVEN_UP: ReadonlySet<string> = new Set(['CANCELLED', 'EXPIRED']);

/**
 * Decides what a migration does next, from the state of its wave alone, so that it can be resumed at any moment.
 * @param hasRehearsed whether the command has rehearsed the wave since its files were uploaded: then a gate that is not passed needs a person
 */
export function nextStep(wave: WaveView, files: readonly MigrationFile[], hasRehearsed: boolean): MigrationStep {
  if (hasWaveEnded(wave)) return { do: 'end' };
  if (wave.status !== 'PREPARING' && wave.status !== 'CREATED') return stopOrWait(wave);
  const before = files.filter(({ kind }) => kindsBeforeCreation.includes(kind));
  const after = files.filter(({ kind }) => !kindsBeforeCreation.includes(kind));
  return stepBefore(wave, before) ?? stepOfCreation(wave, hasRehearsed) ?? stepAfter(wave, after);
}

/** Businesses, contracts and accounts: each file after the one before it, because later records refer to earlier ones. */
function stepBefore(wave: WaveView, files: readonly MigrationFile[]): MigrationStep | undefined {
  for (const file of files) {
    const step = stepOfFile(wave, file);
    if (step !== undefined) return step;
    if (jobOf(wave, file)?.status !== 'COMPLETED') return stopOrWait(wave);
  }
  return isGatePassed(wave, 'complete') ? undefined : stopOrWait(wave);
}

/** An upload that is to be opened, continued or discarded. */
function stepOfFile(wave: WaveView, file: MigrationFile): MigrationStep | undefined {
  const job = jobOf(wave, file);
  const outdated = wave.jobs.find(
    (one) => one !== job && one.status === 'OPEN' && (one.name === file.jobName || isOfOtherContent(file, one)),
  );
  if (outdated !== undefined) return { do: 'discard', job: outdated };
  return job === undefined || job.status === 'OPEN' ? { do: 'upload', file, job } : undefined;
}

/** The newest job of a file that is not given up. */
function jobOf({ jobs }: Pick<WaveView, 'jobs'>, { kind, jobName }: MigrationFile): WaveJob | undefined {
  return jobs.find((job) => job.kind === kind && job.name === jobName && !GIVEN_UP.has(job.status));
}

function stepOfCreation(wave: WaveView, hasRehearsed: boolean): MigrationStep | undefined {
  const { pending, created } = wave.counts;
  const isBusy = wave.jobs.some((job) => job.kind === 'accounts' && (isAtWork(job) || job.status === 'PAUSED'));
  if (isBusy) return stopOrWait(wave);
  // Before the faults of the uploads are corrected, so that those of the rehearsal are known, too.
  const mustRehearse = pending > 0 && !isGatePassed(wave, 'rehearsed');
  if (mustRehearse && !hasRehearsed && canRehearsalHelp(wave)) return { do: 'rehearse' };
  const gates = ['valid', 'rehearsed', 'approved'] as const;
  if (gates.some((name) => !isGatePassed(wave, name) && (pending > 0 || name === 'valid'))) return stopOrWait(wave);
  if (pending > 0) return { do: 'create' };
  return created > 0 ? undefined : stopOrWait(wave);
}

/**
 * Whether another rehearsal can have another result: accounts changed or were not tried, or businesses and contracts were imported since,
 * which the accounts may have lacked.
 */
function canRehearsalHelp({ counts, jobs, rehearsal_job_id: last }: WaveView): boolean {
  const isChanged = counts.not_rehearsed > counts.failed_rehearsal;
  const importedSince = jobs.some(
    ({ job_id: id, goal, kind, succeeded }) =>
      goal === 'IMPORT' && ['businesses', 'business-contracts'].includes(kind) && succeeded > 0 && id > (last ?? ''),
  );
  return isChanged || importedSince;
}

/** Attachments may run concurrently; the comparison follows when all have ended. */
function stepAfter(wave: WaveView, files: readonly MigrationFile[]): MigrationStep {
  if (wave.status !== 'CREATED') return WAIT;
  for (const file of files) {
    const step = stepOfFile(wave, file);
    if (step !== undefined) return step;
  }
  if (wave.jobs.some((job) => job.status === 'PAUSED') || !isGatePassed(wave, 'attached')) return stopOrWait(wave);
  if (isGatePassed(wave, 'reconciled')) return { do: 'end' };
  return reconciliationOf(wave) === undefined ? { do: 'compare' } : stopOrWait(wave);
}

function stopOrWait(wave: WaveView): MigrationStep {
  const decision = decisionOf(wave);
  return decision === undefined ? WAIT : { do: 'stop', decision };
}
