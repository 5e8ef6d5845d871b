import type { UnmatchedMessage } from '../switching/index.ts';
import { tableOf } from '../foundation/table.ts';
import type { OpenRun } from './open-run.client.ts';

const MEND_DATA =
  'Stage corrected data for the account, or mark it to skip; the next attempt then ends it, and a retry makes that attempt at once.';

const ofFailure = tableOf({
  database_unavailable: 'Nothing: it goes on by itself as soon as the database answers. A retry tries at once.',
  database_misconfigured:
    'The database refuses the worker: check user, password and database name in its DATABASE_URL, and the rights of that user. It goes on by itself then; a retry tries at once.',
  numbers_held_back:
    'Numbers are given again once some are reserved in Temporal and in the database, which takes a second when both answer. If it lasts, look at the log (no numbers can be reserved) and at Temporal.',
  timeout: 'Nothing: the attempt took too long and is made again by itself. A retry tries at once.',
  database_refuses_data: MEND_DATA,
  database_timed_out:
    'The account is too large for the time that it gets, or the database is slow. Look at the database; stage the account with less in it, or give it more time (CREATION_ALONE_STATEMENT_MS). A retry tries at once.',
  vendor_unavailable:
    'Nothing: the outside party is unavailable, and the request is repeated automatically. A retry repeats it now.',
  vendor_busy: 'Nothing: the outside party asked for a pause and is asked again after it. A retry asks at once.',
  vendor_misconfigured:
    'The outside party refuses us: check its address, credentials and certificate in the settings. It goes on by itself then; a retry asks at once.',
  receiver_unavailable:
    'Tell the supplier: their receiver of events does not take them. Delivery is retried automatically, and events are kept for 30 days. A retry delivers now.',
  payment_instruction_not_yet:
    'Nothing, or remind the customer: the instruction is not usable yet at its vendor, and is asked about again. A retry asks at once.',
});

/** What an operator can do about work whose run is not there. */
export const START_WORK_ITEM =
  'Nothing: its run was never started or was lost, and the dispatcher starts it automatically. A retry starts it now.';

/** What an operator can do about a receiver of events that has failed for a day. */
export const RECEIVER_UNREACHABLE =
  'Tell the supplier, or end the endpoint: DELETE event-endpoints/<endpoint_id>/. Delivery is retried automatically; a retry delivers now.';

/** What an operator can do about identifiers that a network operator keeps failing on. */
export const ASK_LATER =
  'Nothing: they are asked for again hourly, and end as errored after a day. A retry asks at once; tell the network operator if it goes on.';

/** What an operator can do about supply points that are on another account too. */
export const DECIDE_CLAIM =
  'Decide: GET accounts/<supplier>/<number>/ names the other account in warnings; then PUT account-import-processes/<supplier>/<number>/supply-point-claim/ with GO_ON or LEAVE. A retry changes nothing.';

/** What an operator can do about a run that waits. */
export function adviceFor({ activity, waitsForWorker }: OpenRun): string {
  if (activity?.isPaused) return 'Somebody paused it in the web UI: unpause it there, or retry, which ends the pause.';
  if (activity?.lastFailure) return adviceForFailure(activity.lastFailure.type);
  if (waitsForWorker) {
    return 'No worker takes it up: check that a worker process runs and reaches Temporal; the web UI shows it under Workers.';
  }
  return 'Nothing: an attempt is under way.';
}

/** What an operator can do about a failure of this type. */
export function adviceForFailure(type: string): string {
  return ofFailure.get(type) ?? 'Internal error: its cause is in the log of the worker. Retry when it is corrected.';
}

/** The code by which a run that is pending is counted. */
export function causeOf({ activity, waitsForWorker }: OpenRun): string {
  if (activity?.isPaused) return 'paused';
  if (activity?.lastFailure) return activity.lastFailure.type;
  return waitsForWorker ? 'no_worker' : 'under_way';
}

/** What an operator can do about work whose last run ended without completing it. */
export const ofState = {
  unreachable:
    'The industry switch could not be asked for a week. Correct that, then retry; it is also retried automatically.',
  silent:
    'The network operator has said nothing for weeks: ask it. A market message goes on with it, or set the switch status by hand.',
} as const;

/** What an operator can do about a market message that moves nothing; it names the message, which the id in the list does not. */
export function whatToDoAbout({ kind, messageId }: Pick<UnmatchedMessage, 'kind' | 'messageId'>): string {
  const dismiss = `dismiss it with DELETE market-messages/${encodeURIComponent(messageId)}/.`;
  const sentences = {
    'fits-nothing': `A message may be missing: once it comes, this one is applied by itself. Else set the switch status by hand, or ${dismiss}`,
    'unknown-account': `If the account is created later, the message is applied by itself then. Else ${dismiss}`,
    'unknown-point': `The account has no such supply point: tell the network operator, then ${dismiss}`,
  };
  return sentences[kind];
}
