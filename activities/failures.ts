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
 * Maps an error of an activity that uses our database. All are retried: the database recovers, or the data or the code is corrected.
 */
export function databaseFailure(error: unknown): ApplicationFailure {
  const fault = databaseFault(error);
  if (isMisconfiguration(error)) {
    return withoutStack({
      type: 'database_misconfigured',
      message: `The database rejects the settings of the worker (SQLSTATE ${fault.sqlstate ?? 'unknown'}). The worker retries automatically.`,
      details: [fault],
    });
  }
  if (fault.sqlstate === NO_NUMBER_RESERVED) {
    return withoutStack({
      type: 'numbers_held_back',
      message:
        'No account number is reserved, because the database was restarted or restored. The worker retries automatically.',
      details: [fault],
    });
  }
  if (isTransientError(error)) {
    const code = fault.sqlstate ?? (error as { code?: string }).code ?? 'no connection';
    return withoutStack({
      type: 'database_unavailable',
      message: `The database is unavailable or busy (${code}). The worker retries automatically.`,
      details: [fault],
    });
  }
  if (fault.sqlstate) {
    const location = [fault.table, fault.column ?? fault.constraint].filter(Boolean).join('.');
    return withoutStack({
      type: 'database_refuses_data',
      message: `The database rejects the data (SQLSTATE ${fault.sqlstate}${location ? ` at ${location}` : ''}). Correct and stage the account again, or mark it to skip.`,
      details: [fault],
    });
  }
  return withoutStack({
    type: 'error',
    message: `Internal error (${error instanceof Error ? error.name : typeof error}). The log of the worker contains the cause.`,
  });
}

/**
 * A creation exceeded our timeout. An immediate retry would time out again.
 * @param retryAfter time until the retry; if omitted, it is not retried, and the workflow splits the batch
 */
export function timeoutFailure(error: unknown, retryAfter?: string): ApplicationFailure {
  return withoutStack({
    type: DATABASE_TIMED_OUT,
    message: `The database did not finish within our timeout (${sqlStateOf(error) ?? 'no code'}).`,
    details: [databaseFault(error)],
    ...(retryAfter === undefined ? { nonRetryable: true } : { nextRetryDelay: retryAfter as never }),
  });
}

/**
 * Runs work on our database and maps errors to failures. Internal errors are logged, because the failure does not contain the cause.
 * @param sentence message of the log line
 * @param fields fields of the log line
 */
export async function onDatabase<T>(
  log: Log,
  sentence: string,
  work: () => Promise<T>,
  fields: Readonly<Record<string, unknown>> = {},
): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (isMisconfiguration(error) || !isTransientError(error)) {
      log.error({ ...fields, fault: loggedFault(error) }, sentence);
    }
    throw databaseFailure(error);
  }
}

/**
 * Maps an error of a vendor's port. The message of a VendorError contains no text from the vendor; any other error is mapped by
 * `databaseFailure`.
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

/** The vendor has the instruction, but it is not usable yet. @param status from the vendor's published list */
export function notYetFailure(vendor: string, status: string): ApplicationFailure {
  return withoutStack({
    type: 'payment_instruction_not_yet',
    message: `${vendor} has the instruction, but it is not usable yet (${status}).`,
  });
}

/** The receiver did not accept an event. @param why a sentence without text from the receiver */
export function receiverFailure(why: string): ApplicationFailure {
  return withoutStack({ type: 'receiver_unavailable', message: why });
}

/** The same failure with an exact time until the next attempt. */
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

/** A stack would write paths of this machine into Temporal's history. */
function withoutStack(options: ApplicationFailureOptions): ApplicationFailure {
  const failure = ApplicationFailure.create(options);
  failure.stack = '';
  return failure;
}
