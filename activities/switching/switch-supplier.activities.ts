import { cancellationSignal, Context } from '@temporalio/activity';
import type { Database } from '../../src/platform/database/database.ts';
import type { Log } from '../../src/platform/log.ts';
import type { NextStep } from '../../src/switching/switch-state.rules.ts';
import { prepareRequests, storeAnswer } from '../../src/switching/switch-request.store.ts';
import { recordStuck, advanceSwitch } from '../../src/switching/apply-events.store.ts';
import type { IndustrySwitch } from '../../src/vendors/industry-switch/industry-switch.port.ts';
import { VendorMisconfigured, VendorError, VendorUnavailable } from '../../src/vocabulary/vendor-errors.ts';
import { onDatabase, vendorFailure } from '../failures.ts';
import { withHeartbeat } from '../heartbeat.ts';

export type SwitchActivities = ReturnType<typeof switchActivities>;

export interface SwitchDeps {
  database: Database;
  log: Log;
  /** Undefined if no address is set; then no switch can be requested. */
  industrySwitch: IndustrySwitch | undefined;
  leadDays: number;
}

/** Activities of the industry switch. All are idempotent. */
export function switchActivities(deps: SwitchDeps) {
  const { database, log, industrySwitch, leadDays } = deps;
  const step = <T>(work: () => Promise<T>): Promise<T> => inStep(log, work);
  const scheduledAtMs = () => Context.current().info.currentAttemptScheduledTimestampMs;
  return {
    /** Applies the new events of an account. @returns the next step of its run */
    async takeSwitchStep({ accountNumber }: { accountNumber: string }): Promise<NextStep> {
      return step(() =>
        database.transaction((em) =>
          advanceSwitch(em, accountNumber, { leadDays, canRequest: industrySwitch !== undefined }, scheduledAtMs()),
        ),
      );
    },

    /**
     * Requests the switch of each due point, and stores each answer separately. A failed point does not block the others.
     * @throws the first failure at the end; the next attempt sends the remaining requests
     */
    async sendSwitchRequests({ accountNumber }: { accountNumber: string }): Promise<void> {
      if (industrySwitch === undefined) {
        throw vendorFailure(
          new VendorMisconfigured('The industry switch has no address. Set INDUSTRY_SWITCH_URL for the worker.'),
        );
      }
      await withHeartbeat(() => sendDue(deps, industrySwitch, accountNumber));
    },

    /** Records that the network operator was unavailable for the whole budget. */
    async noteSwitchUnreachable({ accountNumber }: { accountNumber: string }): Promise<void> {
      await step(() => database.transaction((em) => recordStuck(em, accountNumber, scheduledAtMs(), 'unreachable')));
    },

    /** Records that the network operator has sent no message within the budget. */
    async noteSwitchSilence({ accountNumber }: { accountNumber: string }): Promise<void> {
      await step(() => database.transaction((em) => recordStuck(em, accountNumber, scheduledAtMs(), 'silent')));
    },
  };
}

function inStep<T>(log: Log, work: () => Promise<T>): Promise<T> {
  return onDatabase(log, 'step of a switch failed', work);
}

async function sendDue(
  { database, log, leadDays }: SwitchDeps,
  industrySwitch: IndustrySwitch,
  accountNumber: string,
): Promise<void> {
  const requests = await inStep(log, () => prepareRequests(database, accountNumber, leadDays));
  let failure: unknown;
  for (const request of requests) {
    try {
      const answer = await industrySwitch.request(request, cancellationSignal());
      await database.transaction((em) => storeAnswer(em, request.requestId, answer));
    } catch (error) {
      if (error instanceof VendorMisconfigured) {
        log.error({ requestId: request.requestId, fault: error.message }, 'industry switch rejects our credentials');
      }
      failure ??= error;
      // The party is paused or the database is unavailable, so the other requests would fail too.
      if (!(error instanceof VendorError) || (error instanceof VendorUnavailable && !error.wasCalled)) break;
    }
  }
  if (failure === undefined) return;
  // A cancellation is not a failure: the worker stops, and the next attempt continues.
  cancellationSignal().throwIfAborted();
  throw vendorFailure(failure);
}
