import type { ImportJobStatus, PauseReason } from '../vocabulary/import-jobs.ts';
import type { ImportJobRecord } from './import-job.entity.ts';
import { refuse, type Refused } from '../vocabulary/refusals.ts';

/** The state that decides which changes of status are allowed. */
export type JobState = Pick<
  ImportJobRecord,
  'status' | 'pausedBecause' | 'accepted' | 'judged' | 'failed' | 'isCanaryPassed' | 'failuresAccepted'
>;

/** The columns that a change of status writes. */
export type StateChange = Partial<Pick<JobState, 'status' | 'pausedBecause' | 'isCanaryPassed' | 'failuresAccepted'>>;

/** Pauses that last until the job is resumed; the others end automatically. */
export const ENDED_BY_RESUME: ReadonlySet<PauseReason> = new Set([
  'asked',
  'canary',
  'too_many_failures',
  'key_revoked',
  'manifest_mismatch',
]);

/** Whether the status is final. */
export function hasEnded(status: ImportJobStatus): boolean {
  return status === 'COMPLETED' || status === 'CANCELLED' || status === 'EXPIRED';
}

/** The status of a running job: it validates all lines before it creates accounts. */
export function statusAtWork({ accepted, judged }: Pick<JobState, 'accepted' | 'judged'>): 'VALIDATING' | 'RUNNING' {
  return judged < accepted ? 'VALIDATING' : 'RUNNING';
}

/** Start. @returns undefined for a job that was started already, so that the request can be repeated after a lost response */
export function changeOfStart(job: JobState): StateChange | undefined | Refused {
  if (job.status === 'OPEN') return { status: 'VALIDATING' };
  return job.status === 'COMPLETED' || !hasEnded(job.status) ? undefined : jobEnded(job.status);
}

/**
 * Pause. A pause that would end automatically becomes a requested one; a pause that waits for a resume keeps its reason.
 * @returns undefined if nothing changes; an open job cannot be paused
 */
export function changeOfPause(job: JobState): StateChange | undefined | Refused {
  return hasEnded(job.status) ? jobEnded(job.status) : changeToPaused(job, 'asked');
}

/** Pause because the API key of the job was revoked. */
export function changeOfKeyRevoked(job: JobState): StateChange | undefined {
  return hasEnded(job.status) ? undefined : changeToPaused(job, 'key_revoked');
}

function changeToPaused(job: JobState, pausedBecause: PauseReason): StateChange | undefined {
  if (job.status === 'OPEN') return undefined;
  if (job.pausedBecause !== null && ENDED_BY_RESUME.has(job.pausedBecause)) return undefined;
  return { status: 'PAUSED', pausedBecause };
}

/** Resume: continues a paused job and accepts the reason for the pause: the canary, or the failures so far. */
export function changeOfResume(job: JobState): StateChange | undefined | Refused {
  if (hasEnded(job.status)) return jobEnded(job.status);
  if (job.status !== 'PAUSED') return undefined;
  if (job.pausedBecause === 'manifest_mismatch') return refuse('manifest_differs');
  return {
    status: statusAtWork(job),
    pausedBecause: null,
    ...(job.pausedBecause === 'canary' ? { isCanaryPassed: true } : {}),
    ...(job.pausedBecause === 'too_many_failures' ? { failuresAccepted: job.failed } : {}),
  };
}

/** Continues a job after an operator accepted the differences from its manifest. */
export function changeOfAcceptance(job: JobState): StateChange | undefined {
  return job.pausedBecause === 'manifest_mismatch' ? { status: statusAtWork(job), pausedBecause: null } : undefined;
}

/** Cancel: ends a job in any state. Processed lines keep their results; the others stay unprocessed. */
export function changeOfCancel(job: JobState): StateChange | undefined | Refused {
  if (job.status === 'CANCELLED') return undefined;
  return hasEnded(job.status) ? jobEnded(job.status) : { status: 'CANCELLED', pausedBecause: null };
}

/**
 * Finds gaps in the part numbers of a job.
 * @param parts the existing numbers in ascending order
 * @param listedMax most missing numbers to return
 */
export function missingParts(parts: readonly number[], listedMax = 20): number[] {
  const missing: number[] = [];
  let expected = 1;
  for (const part of parts) {
    for (; expected < part && missing.length < listedMax; expected += 1) missing.push(expected);
    expected = part + 1;
  }
  return parts.length === 0 ? [1] : missing;
}

function jobEnded(status: ImportJobStatus): Refused {
  return refuse('import_job_ended', { detail: `The import job has ended: its status is ${status}.` });
}

/** The refusal of an upload to a job that accepts no parts. */
export function partRejected({ status, selection }: Pick<ImportJobRecord, 'status' | 'selection'>): Refused {
  if (hasEnded(status)) return jobEnded(status);
  return refuse('import_job_not_open', {
    detail:
      selection !== 'uploaded'
        ? 'The import job processes staged accounts and accepts no parts.'
        : 'The import job has started and accepts no new or changed parts. Upload the part to another job.',
  });
}
