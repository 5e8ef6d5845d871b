import { ApplicationFailure, type ApplicationFailureOptions } from '@temporalio/common';
import {
  databaseFault,
  isTransientError,
  isMisconfiguration,
  NO_NUMBER_RESERVED,
  sqlStateOf,
} from '../src/platform/database/faults.ts';
import { DATABASE_TIMED_OUT } from '../temporal.config.ts';
import { loggedFault, type Log } from '../src/platform/log.ts';
import { VendorBusy, VendorMisconfigured, VendorRejected, VendorUnavailable } from '../src/vocabulary/vendor-errors.ts';

/**
 * Maps an error of an activity that works on our own database. All of them are retried: the database comes back, or the
 * data or the code is mended and the next attempt goes through.
 */
export function databaseFailure(error: unknown): ApplicationFailure {
  const fault = databaseFault(error);
  if (isMisconfiguration(error)) {
    return withoutStack({
      type: 'database_misconfigured',
      message: `The database refuses the settings of the worker (SQLSTATE ${fault.sqlstate ?? 'unknown'}); this is tried again by itself.`,
      details: [fault],
    });
  }
  if (fault.sqlstate === NO_NUMBER_RESERVED) {
    return withoutStack({
      type: 'numbers_held_back',
      message:
        'No account number is reserved, because the database was started anew or set back; this is tried again by itself.',
      details: [fault],
    });
  }
  if (isTransientError(error)) {
    const code = fault.sqlstate ?? (error as { code?: string }).code ?? 'no connection';
    return withoutStack({
      type: 'database_unavailable',
      message: `The database cannot be reached or is busy (${code}); this is tried again by itself.`,
      details: [fault],
    });
  }
  if (fault.sqlstate) {
    const place = [fault.table, fault.column ?? fault.constraint].filter(Boolean).join('.');
    return withoutStack({
      type: 'database_refuses_data',
      message: `The database refuses the data (SQLSTATE ${fault.sqlstate}${place ? ` at ${place}` : ''}); correct and stage the account again, or mark it to skip.`,
      details: [fault],
    });
  }
  return withoutStack({
    type: 'error',
    message: `A fault of ours (${error instanceof Error ? error.name : typeof error}); the log of the worker has the cause.`,
  });
}

/**
 * A creation took longer than our own limit. The same attempt at once would take as long, so it is not made.
 * @param retryAfter when it is tried again all the same; left out, never: it is for the workflow to do less at once
 */
export function timeoutFailure(error: unknown, retryAfter?: string): ApplicationFailure {
  return withoutStack({
    type: DATABASE_TIMED_OUT,
    message: `The database did not get through with it in the time that we give it (${sqlStateOf(error) ?? 'no code'}).`,
    details: [databaseFault(error)],
    ...(retryAfter === undefined ? { nonRetryable: true } : { nextRetryDelay: retryAfter as never }),
  });
}

/**
 * Works on our own database; what it throws becomes a failure. A fault of ours is logged, because the failure says no more
 * than that the log has its cause.
 * @param sentence of the log line
 * @param place keys and codes of the log line
 */
export async function onDatabase<T>(
  log: Log,
  sentence: string,
  work: () => Promise<T>,
  place: Readonly<Record<string, unknown>> = {},
): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (isMisconfiguration(error) || !isTransientError(error)) {
      log.error({ ...place, fault: loggedFault(error) }, sentence);
    }
    throw databaseFailure(error);
  }
}

/**
 * Maps what a vendor's port throws. The message of a VendorError is a sentence of ours; anything else is a
 * fault of the database or of ours and is told as that.
 */
export function vendorFailure(error: unknown): ApplicationFailure {
  if (error instanceof VendorRejected) {
    return withoutStack({
      type: 'vendor_rejected',
      message: error.message,
      nonRetryable: true,
      details: [{ reason: error.reason }],
    });
  }
  if (error instanceof VendorBusy) {
    return withoutStack({ type: 'vendor_busy', message: error.message, nextRetryDelay: `${error.retryAfterSeconds}s` });
  }
  if (error instanceof VendorMisconfigured) {
    return withoutStack({ type: 'vendor_misconfigured', message: error.message });
  }
  if (error instanceof VendorUnavailable) return withoutStack({ type: 'vendor_unavailable', message: error.message });
  return databaseFailure(error);
}

/** An instruction that its vendor has, but that cannot be used yet. @param status of the vendor's published list */
export function notYetFailure(vendor: string, status: string): ApplicationFailure {
  return withoutStack({
    type: 'payment_instruction_not_yet',
    message: `${vendor} has the instruction, but it is not usable yet (${status}).`,
  });
}

/** The receiver of events did not take one. @param why a sentence of ours, without anything that it said */
export function receiverFailure(why: string): ApplicationFailure {
  return withoutStack({ type: 'receiver_unavailable', message: why });
}

/** The same failure with the time until the next attempt, which the retry policy knows only roughly. */
export function afterDelay(failure: ApplicationFailure, delayMs: number): ApplicationFailure {
  const { type, message, details } = failure;
  return withoutStack({
    type: type ?? 'error',
    message,
    nonRetryable: failure.nonRetryable ?? false,
    nextRetryDelay: delayMs,
    ...(details ? { details } : {}),
  });
}

/** A stack would name the folders of this machine in Temporal's history. */
function withoutStack(options: ApplicationFailureOptions): ApplicationFailure {
  const failure = ApplicationFailure.create(options);
  failure.stack = '';
  return failure;
}
