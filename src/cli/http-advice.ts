import {
  AddressError,
  RefusedError,
  TokenRefusedError,
  UnreachableError,
} from '../../clients/typescript/src/errors.ts';
import { PartError, RecordsError } from '../../clients/typescript/src/parts.ts';
import { CommandError, exitStatuses } from './command-error.ts';

/** Advice after a rejected or failed call; it depends on the command line in use. */
export interface Advice {
  /** If the address does not respond. */
  unreachable: string;
  /** If the token or key is rejected. */
  notAuthenticated: string;
  /** If the key may not make the call. */
  notPermitted: string;
}

/**
 * Awaits calls of the service.
 * @throws CommandError with advice instead of an error of the client
 */
export async function withAdvice<T>(advice: Advice, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw commandErrorOf(error, advice);
  }
}

function commandErrorOf(error: unknown, advice: Advice): unknown {
  if (error instanceof RefusedError) return refusalError(error, advice);
  if (error instanceof UnreachableError) {
    return new CommandError(`${error.message} ${advice.unreachable}`, exitStatuses.unreachable);
  }
  if (error instanceof AddressError) return new CommandError(error.message, exitStatuses.unreachable);
  if (error instanceof RecordsError) return new CommandError(error.message, exitStatuses.usage);
  return error instanceof TokenRefusedError || error instanceof PartError ? new CommandError(error.message) : error;
}

/** Describes what was rejected, where, and what to do next. */
function refusalError({ message, status, errors, requestId, retryAfter }: RefusedError, advice: Advice): CommandError {
  const again = retryAfter === undefined ? 'Try again in a moment.' : `Try again in ${retryAfter} s.`;
  if (status === 401) return new CommandError(advice.notAuthenticated);
  if (status === 403) return new CommandError(advice.notPermitted);
  if (status === 429) return new CommandError(`${message} ${again}`);
  if (status === 503) return new CommandError(`${message} ${again}`, exitStatuses.unreachable);
  if (status >= 500) return new CommandError(`${message} Report it with the request id ${requestId ?? '(none)'}.`);
  return new CommandError([message, ...errors.map((one) => `  ${one?.attr}: ${one?.detail}`)].join('\n'));
}
