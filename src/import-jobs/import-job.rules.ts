import type { ImportJobSelection, ImportJobStatus, PauseReason } from '../vocabulary/import-jobs.ts';
import { refuse, type Refused } from '../vocabulary/refusals.ts';

/** What the life of a job turns on. */
export interface JobStanding {
  status: ImportJobStatus;
  pausedBecause: PauseReason | null;
  accepted: number;
  judged: number;
  failed: number;
  isCanaryPassed: boolean;
  failuresAccepted: number;
}

/** What a change of status writes; undefined where the job is already as it was asked to be. */
export type StandingChange = Partial<
  Pick<JobStanding, 'status' | 'pausedBecause' | 'isCanaryPassed' | 'failuresAccepted'>
>;

/** Pauses that last until somebody resumes the job; the others end by themselves. */
export const ENDED_BY_RESUME: ReadonlySet<PauseReason> = new Set([
  'asked',
  'canary',
  'too_many_failures',
  'key_revoked',
]);

/** Tells whether nothing more happens with a job of this status. */
export function hasEnded(status: ImportJobStatus): boolean {
  return status === 'COMPLETED' || status === 'CANCELLED' || status === 'EXPIRED';
}

/** The status of a job that is at work: every line is judged first. */
export function statusAtWork({ accepted, judged }: Pick<JobStanding, 'accepted' | 'judged'>): 'VALIDATING' | 'RUNNING' {
  return judged < accepted ? 'VALIDATING' : 'RUNNING';
}

/** Start: an open job begins; one that was started already goes on as it is, so that a lost answer can be asked for again. */
export function changeOfStart(job: JobStanding): StandingChange | undefined | Refused {
  if (job.status === 'OPEN') return { status: 'VALIDATING' };
  return job.status === 'COMPLETED' || !hasEnded(job.status) ? undefined : jobEnded(job.status);
}

/**
 * Pause: holds a job that is at work. A pause that would end by itself becomes one that was asked for; one that waits for a resume stays
 * what it is. An open job has nothing to hold.
 */
export function changeOfPause(job: JobStanding): StandingChange | undefined | Refused {
  return hasEnded(job.status) ? jobEnded(job.status) : changeToPaused(job, 'asked');
}

/** The same because the key of a job was revoked. A job that has ended has nothing to pause. */
export function changeOfKeyRevoked(job: JobStanding): StandingChange | undefined {
  return hasEnded(job.status) ? undefined : changeToPaused(job, 'key_revoked');
}

function changeToPaused(job: JobStanding, pausedBecause: PauseReason): StandingChange | undefined {
  if (job.status === 'OPEN') return undefined;
  if (job.pausedBecause !== null && ENDED_BY_RESUME.has(job.pausedBecause)) return undefined;
  return { status: 'PAUSED', pausedBecause };
}

/** Resume: lets a paused job go on, and accepts what it was paused for: the canary, or as many failures as there are. */
export function changeOfResume(job: JobStanding): StandingChange | undefined | Refused {
  if (hasEnded(job.status)) return jobEnded(job.status);
  if (job.status !== 'PAUSED') return undefined;
  return {
    status: statusAtWork(job),
    pausedBecause: null,
    ...(job.pausedBecause === 'canary' ? { isCanaryPassed: true } : {}),
    ...(job.pausedBecause === 'too_many_failures' ? { failuresAccepted: job.failed } : {}),
  };
}

/** Cancel: ends a job wherever it stands; what was done stays, the rest is unprocessed. */
export function changeOfCancel(job: JobStanding): StandingChange | undefined | Refused {
  if (job.status === 'CANCELLED') return undefined;
  return hasEnded(job.status) ? jobEnded(job.status) : { status: 'CANCELLED', pausedBecause: null };
}

/**
 * The numbers that are missing among the parts of a job, at most so many.
 * @param parts the numbers that are there, in their order
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

/** Why a job takes no part, or no other content under its number. */
export function partNotTaken({
  status,
  selection,
}: {
  status: ImportJobStatus;
  selection: ImportJobSelection;
}): Refused {
  if (hasEnded(status)) return jobEnded(status);
  return refuse('import_job_not_open', {
    detail:
      selection === 'staged'
        ? 'The import job takes what is staged; it has no parts.'
        : 'The import job was started: it takes no further part, and no other content for one that it has. Send it in another job.',
  });
}
