import { cancellationSignal } from '@temporalio/activity';
import pMap from 'p-map';
import type { Log } from '../../src/platform/log.ts';
import type { FailedRequest } from '../../src/switching/switch-page.store.ts';
import type { AnsweredRequest, PreparedRequest } from '../../src/switching/switch-request.store.ts';
import type { IndustrySwitch } from '../../src/vendors/industry-switch/industry-switch.port.ts';
import { VendorBusy, VendorError, VendorMisconfigured, VendorUnavailable } from '../../src/vocabulary/vendor-errors.ts';
import { vendorFailure } from '../failures.ts';

interface Failure {
  accountNumber: string;
  error: unknown;
}

/** The results of the requests of a page. */
export interface SentRequests {
  answers: AnsweredRequest[];
  /** Failures of single requests. */
  failures: Failure[];
  /** A failure of the party as a whole, after which no further request was sent: it is paused, busy, or rejects our credentials. */
  partyError: unknown;
}

/** Sends requests concurrently. A failed request does not block the others; a failure of the party as a whole ends the page. */
export async function sendRequests(
  industrySwitch: IndustrySwitch,
  requests: readonly PreparedRequest[],
  { callsAtOnce, seconds, log }: { callsAtOnce: number; seconds: number; log: Log },
): Promise<SentRequests> {
  const sent: SentRequests = { answers: [], failures: [], partyError: undefined };
  const signal = cancellationSignal();
  const endsAt = performance.now() + seconds * 1_000;
  const isOver = () => signal.aborted || sent.partyError !== undefined || performance.now() > endsAt;
  const sendOne = async (request: PreparedRequest): Promise<void> => {
    if (isOver()) return;
    const { requestId, accountNumber } = request;
    try {
      sent.answers.push({ ...(await industrySwitch.request(request, signal)), requestId });
    } catch (error) {
      if (signal.aborted) return;
      if (error instanceof VendorMisconfigured) {
        log.error({ requestId, fault: error.message }, 'industry switch rejects our credentials');
      }
      if (concernsParty(error)) sent.partyError ??= error;
      if (isCalled(error)) sent.failures.push({ accountNumber, error });
    }
  };
  await pMap(requests, sendOne, { concurrency: callsAtOnce });
  return sent;
}

/** Whether the error was provoked by this request, and not by an open circuit breaker. */
function isCalled(error: unknown): boolean {
  return error instanceof VendorError && !(error instanceof VendorUnavailable && !error.wasCalled);
}

function concernsParty(error: unknown): boolean {
  return !isCalled(error) || error instanceof VendorMisconfigured || error instanceof VendorBusy;
}

/**
 * Describes the failures for the work items of their accounts.
 * @param isUp whether the industry switch answers others: only then does a failure count as a try
 */
export function failedRequests(failures: readonly Failure[], isUp: boolean): FailedRequest[] {
  return failures.map(({ accountNumber, error }) => {
    const { type, message } = vendorFailure(error);
    return { accountNumber, cause: type ?? 'error', message, isCounted: isUp && !concernsParty(error) };
  });
}
