import type { MessageView } from '../switching/index.ts';
import { tableOf } from '../foundation/table.ts';
import type { OpenRun } from './open-run.client.ts';

const CORRECT_DATA =
  'Stage corrected data for the account, or mark it to skip. The next attempt then completes it; a retry starts the attempt immediately.';

const ofFailure = tableOf({
  database_unavailable:
    'Nothing: the work resumes automatically when the database answers. A retry starts an attempt immediately.',
  database_misconfigured:
    'The database rejects the worker: check user, password and database name in its DATABASE_URL, and the rights of that user. The work then resumes automatically; a retry starts an attempt immediately.',
  numbers_held_back:
    'Nothing: the worker reserves new numbers within a second when Temporal and the database answer. If this lasts, check Temporal, and the log for `no numbers can be reserved`.',
  timeout: 'Nothing: the attempt timed out and is repeated automatically. A retry repeats it immediately.',
  database_refuses_data: CORRECT_DATA,
  database_timed_out:
    'The account is too large for its time limit, or the database is slow. Check the database; or stage the account with less data. A retry starts an attempt immediately.',
  vendor_unavailable:
    'Nothing: the outside party is unavailable, and the request is repeated automatically. A retry repeats it now.',
  vendor_busy:
    'Nothing: the outside party requested a pause, and the request is repeated after it. A retry repeats it now.',
  vendor_misconfigured:
    'The outside party rejects our requests: check its address, credentials and certificate in the settings. The work then resumes automatically; a retry sends a request now.',
  receiver_unavailable:
    'Notify the supplier: their receiver does not accept events. Delivery is retried automatically, and events are kept for 30 days. A retry delivers now.',
  payment_instruction_not_yet:
    'Nothing, or remind the customer: the instruction is not usable yet at its vendor, and is checked again automatically. A retry checks it now.',
});

/** Advice for a work item without a run. */
export const START_WORK_ITEM =
  'Nothing: its run was never started or was lost, and the dispatcher starts it automatically. A retry starts it now.';

/** Advice for a receiver of events that has failed for a day. */
export const RECEIVER_UNREACHABLE =
  'Notify the supplier, or end the endpoint: DELETE event-endpoints/<endpoint_id>/. Delivery is retried automatically; a retry delivers now.';

/** Advice for deferred identifiers. */
export const ASK_LATER =
  'Nothing: they are requested again every hour, and end as errored after a day. A retry requests them now. Notify the network operator if this continues.';

/** Advice for a claim. */
export const DECIDE_CLAIM =
  'Decide: GET accounts/<supplier>/<number>/ names the other account in warnings; then PUT account-import-processes/<supplier>/<number>/supply-point-claim/ with GO_ON or LEAVE. A retry changes nothing.';

/** Advice for a waiting run. */
export function adviceFor({ activity, waitsForWorker }: OpenRun): string {
  if (activity?.isPaused) return 'It was paused in the web UI: unpause it there, or retry, which ends the pause.';
  if (activity?.lastFailure) return adviceForFailure(activity.lastFailure.type);
  if (waitsForWorker) {
    return 'No worker runs it: check that a worker process is running and reaches Temporal; the web UI lists workers under Workers.';
  }
  return 'Nothing: an attempt is in progress.';
}

/** Advice for a failure of this type. */
export function adviceForFailure(type: string): string {
  return ofFailure.get(type) ?? 'Internal error: its cause is in the log of the worker. Retry when it is corrected.';
}

/** The cause of a waiting run. */
export function causeOf({ activity, waitsForWorker }: OpenRun): string {
  if (activity?.isPaused) return 'paused';
  if (activity?.lastFailure) return activity.lastFailure.type;
  return waitsForWorker ? 'no_worker' : 'under_way';
}

/** Advice for work whose last run ended without completing it. */
export const ofState = {
  unreachable:
    'The industry switch did not answer for a week. Correct that, then retry; it is also retried automatically.',
  silent:
    'The industry switch has sent no message for weeks: contact it. A market message continues the switch; otherwise set the switch status manually.',
} as const;

/** Advice for an unmatched market message, with its id. */
export function whatToDoAbout({ effect, message_id: messageId }: MessageView): string {
  const dismiss = `dismiss it with DELETE market-messages/${encodeURIComponent(messageId)}/.`;
  const sentences = tableOf({
    'fits-nothing': `A message may be missing: when it arrives, this one is applied automatically. Otherwise set the switch status manually, or ${dismiss}`,
    'unknown-account': `If the account is created later, the message is applied automatically. Otherwise ${dismiss}`,
    'unknown-point': `The account has no such supply point: notify the network operator, then ${dismiss}`,
  });
  return sentences.get(effect) ?? '';
}
