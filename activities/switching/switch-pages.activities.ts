import { cancellationSignal } from '@temporalio/activity';
import type { Database } from '../../src/platform/database/database.ts';
import type { Log } from '../../src/platform/log.ts';
import {
  advanceAlone,
  applyMessages,
  beginPage,
  beginRequests,
  endPages,
  endRequests,
  type PageContext,
  type PendingSwitches,
  prepareAlone,
  readPending,
  type FailedRequest,
} from '../../src/switching/switch-page.store.ts';
import { storeAnswers, type AnsweredRequest, type PreparedRequest } from '../../src/switching/switch-request.store.ts';
import type { NextStep } from '../../src/switching/switch-state.rules.ts';
import { recordUnreachable } from '../../src/switching/switch-step.store.ts';
import type { IndustrySwitch } from '../../src/vendors/industry-switch/industry-switch.port.ts';
import { VendorMisconfigured, VendorBusy, VendorError, VendorUnavailable } from '../../src/vocabulary/vendor-errors.ts';
import type { SwitchPageBudget } from '../../temporal.config.ts';
import { onDatabase, vendorFailure } from '../failures.ts';
import { withHeartbeat } from '../heartbeat.ts';
import pMap from 'p-map';

export type SwitchSteps = ReturnType<typeof switchSteps>;
export type RequestActivities = ReturnType<typeof requestActivities>;

export interface RequestDeps extends PageContext {
  database: Database;
  log: Log;
  /** Undefined if no address is set; then no switch can be requested. */
  industrySwitch: IndustrySwitch | undefined;
  /** Whether single creations wait: pages are smaller then. */
  activity: { isActive(): boolean };
}

/** Activities of the industry switch that use only Postgres. All are idempotent. */
export function switchSteps({ database, log, ...context }: Pick<RequestDeps, 'database' | 'log' | keyof PageContext>) {
  const step = <T>(work: () => Promise<T>): Promise<T> => onDatabase(log, 'step of a switch failed', work);
  return {
    /** Applies the market messages and statuses set by hand of a page of accounts. */
    applySwitchMessages: (budget: SwitchPageBudget): Promise<PendingSwitches> =>
      step(async () => {
        await beginPage(database);
        await database.transaction((em) => applyMessages(em, context, budget));
        return readPending(database, context);
      }),

    /** Completes the work item of the run of pages. Returns the seconds until a switch is due if that is soon, otherwise null. */
    endSwitchPages: ({ soonSeconds }: SwitchPageBudget): Promise<number | null> =>
      step(() => database.transaction((em) => endPages(em, context, soonSeconds))),

    /** Applies the new events of an account with a run of its own. @returns its next step */
    takeSwitchStep: ({ accountNumber }: { accountNumber: string }): Promise<NextStep> =>
      step(() => database.transaction((em) => advanceAlone(em, accountNumber, context.leadDays))),

    /** Records that the network operator was unavailable for the whole budget. */
    noteSwitchUnreachable: ({ accountNumber }: { accountNumber: string }): Promise<void> =>
      step(() => database.transaction((em) => recordUnreachable(em, accountNumber))),
  };
}

/** Time for which an answer shows that the industry switch is up, so that a failure concerns one account. */
const ANSWERED_RECENTLY_MS = 10 * 60_000;

/** Activities that call the industry switch. */
export function requestActivities(deps: RequestDeps) {
  const { database, log, industrySwitch, activity, ...context } = deps;
  const step = <T>(work: () => Promise<T>): Promise<T> => onDatabase(log, 'step of a switch failed', work);
  let answeredAt = Number.NEGATIVE_INFINITY;
  const send = async (requests: Parameters<typeof sendRequests>[1], callsAtOnce: number, seconds: number) => {
    const sent = await sendRequests(addressed(industrySwitch), requests, { callsAtOnce, seconds, log });
    if (sent.answers.length > 0) answeredAt = performance.now();
    return { ...sent, isUp: performance.now() - answeredAt < ANSWERED_RECENTLY_MS };
  };
  return {
    /**
     * Requests the switches of a page of due accounts, and stores and applies the answers. A failed account does not block the others.
     * @throws the failure of the industry switch as a whole; no account loses a try then
     */
    requestDueSwitches: (budget: SwitchPageBudget): Promise<PendingSwitches> =>
      withHeartbeat(async () => {
        const { requestPageSize, requestPageSizeBesideRequests, callsAtOnce, sendSeconds } = budget;
        const size = activity.isActive() ? requestPageSizeBesideRequests : requestPageSize;
        const page = await step(async () => {
          await beginPage(database);
          return database.transaction((em) => beginRequests(em, context, budget, size));
        });
        if (page.accountNumbers.length > 0) {
          const { answers, failures, partyError, isUp } = await send(page.requests, callsAtOnce, sendSeconds);
          await step(() =>
            database.transaction((em) =>
              endRequests(em, context, budget, {
                accountNumbers: page.accountNumbers,
                answers,
                failures: failedRequests(failures, isUp),
              }),
            ),
          );
          cancellationSignal().throwIfAborted();
          const failure = partyError ?? (isUp ? undefined : failures[0]?.error);
          if (failure !== undefined) throw vendorFailure(failure);
        }
        return step(() => readPending(database, context));
      }),

    /**
     * Requests the due switches of an account with a run of its own, and stores each answer.
     * @throws the first failure at the end; the next attempt sends the remaining requests
     */
    sendSwitchRequests: ({ accountNumber }: { accountNumber: string }): Promise<void> =>
      withHeartbeat(async () => {
        const requests = await step(() =>
          database.transaction((em) => prepareAlone(em, accountNumber, context.leadDays)),
        );
        const { answers, failures, partyError } = await send(requests, 1, Number.POSITIVE_INFINITY);
        await step(() => database.transaction((em) => storeAnswers(em, answers)));
        // A cancellation is not a failure: the worker stops, and the next attempt continues.
        cancellationSignal().throwIfAborted();
        const failure = partyError ?? failures[0]?.error;
        if (failure !== undefined) throw vendorFailure(failure);
      }),
  };
}

function addressed(industrySwitch: IndustrySwitch | undefined): IndustrySwitch {
  if (industrySwitch !== undefined) return industrySwitch;
  throw vendorFailure(
    new VendorMisconfigured('The industry switch has no address. Set INDUSTRY_SWITCH_URL for the worker.'),
  );
}

interface Failure {
  accountNumber: string;
  error: unknown;
}

/** The results of the requests of a page. */
interface SentRequests {
  answers: AnsweredRequest[];
  /** Failures of single requests. */
  failures: Failure[];
  /** A failure of the party as a whole, after which no further request was sent: it is paused, busy, or rejects our credentials. */
  partyError: unknown;
}

/** Sends requests concurrently. A failed request does not block the others; a failure of the party as a whole ends the page. */
async function sendRequests(
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
function failedRequests(failures: readonly Failure[], isUp: boolean): FailedRequest[] {
  return failures.map(({ accountNumber, error }) => {
    const { type, message } = vendorFailure(error);
    return { accountNumber, cause: type ?? 'error', message, isCounted: isUp && !concernsParty(error) };
  });
}
