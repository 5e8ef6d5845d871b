import type { OpenRun } from './open-runs.ts';

const MEND_DATA = 'Stage corrected data for the account, or mark it to skip; the next attempt then ends it, and a retry makes that attempt at once.';

const ofFailure: Record<string, string> = {
  database_unavailable: 'Nothing: it goes on by itself as soon as the database answers. A retry tries at once.',
  timeout: 'Nothing: the attempt took too long and is made again by itself. A retry tries at once.',
  database_refuses_data: MEND_DATA,
  vendor_unavailable: 'Nothing: the other party is down or cannot be reached, and is tried again by itself. A retry tries at once.',
  vendor_busy: 'Nothing: the other party asked us to slow down, and is tried again by itself.',
  vendor_misconfigured: 'Mend it, as last_failure says: credentials, certificate, contract or address of the other party. It then goes on by itself; a retry tries at once.',
};

/** What an operator can do about work whose run is not there. */
export const START_OWED = 'Nothing: its run was never started or got lost, and the sweeper starts it at next_attempt_at. A retry starts it at once.';

/** What an operator can do about a run that waits. */
export function adviceFor({ activity, waitsForWorker }: OpenRun): string {
  if (activity?.isPaused) return 'Somebody paused it in the web UI: unpause it there, or retry, which ends the pause.';
  if (activity?.lastFailure) return ofFailure[activity.lastFailure.type] ?? 'A fault of ours: its cause is in the log of the worker. Retry when it is mended.';
  if (waitsForWorker) return 'No worker takes it up: check that a worker process runs and reaches Temporal; the web UI shows it under Workers.';
  return 'Nothing: an attempt is under way.';
}
