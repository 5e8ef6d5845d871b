import { cancellationSignal, Context } from '@temporalio/activity';
import type { Database } from '../../src/platform/database/database.ts';
import type { Log } from '../../src/platform/log.ts';
import type { NextStep } from '../../src/switching/switch-state.rules.ts';
import { prepareRequests, storeAnswer } from '../../src/switching/switch-request.store.ts';
import { noteSilence, noteUnreachable, takeStep } from '../../src/switching/take-step.store.ts';
import type { IndustrySwitch } from '../../src/vendors/industry-switch/industry-switch.port.ts';
import { VendorMisconfigured, VendorError, VendorUnavailable } from '../../src/vocabulary/vendor-errors.ts';
import { onDatabase, vendorFailure } from '../failures.ts';
import { withHeartbeat } from '../heartbeat.ts';

export type SwitchActivities = ReturnType<typeof switchActivities>;

export interface SwitchDeps {
  database: Database;
  log: Log;
  /** Undefined: no address is set, so no switch can be asked for. */
  industrySwitch: IndustrySwitch | undefined;
  leadDays: number;
}

/** Activities of the industry switch. Each may run twice: what was done is found in the database and not done again. */
export function switchActivities(deps: SwitchDeps) {
  const { database, log, industrySwitch, leadDays } = deps;
  const step = <T>(work: () => Promise<T>): Promise<T> => inStep(log, work);
  const scheduledAtMs = () => Context.current().info.currentAttemptScheduledTimestampMs;
  return {
    /** Applies what has come in for an account and says what its run does next. */
    async takeSwitchStep({ accountNumber }: { accountNumber: string }): Promise<NextStep> {
      return step(() =>
        database.transaction((em) =>
          takeStep(em, accountNumber, { leadDays, canAsk: industrySwitch !== undefined }, scheduledAtMs()),
        ),
      );
    },

    /**
     * Asks the network operator for the switch of each point that is due, and stores each answer by itself. One point that
     * fails does not hold up the others; the first failure is told at the end, and the next attempt asks for what is left.
     */
    async sendSwitchRequests({ accountNumber }: { accountNumber: string }): Promise<void> {
      if (industrySwitch === undefined) {
        throw vendorFailure(
          new VendorMisconfigured('No address of the industry switch is set: set INDUSTRY_SWITCH_URL for the worker.'),
        );
      }
      // A network operator may keep us waiting.
      await withHeartbeat(() => sendDue(deps, industrySwitch, accountNumber));
    },

    /** Notes that the network operator could not be asked within the budget. */
    async noteSwitchUnreachable({ accountNumber }: { accountNumber: string }): Promise<void> {
      await step(() => database.transaction((em) => noteUnreachable(em, accountNumber, scheduledAtMs())));
    },

    /** Notes that the network operator has said nothing for longer than the budget allows. */
    async noteSwitchSilence({ accountNumber }: { accountNumber: string }): Promise<void> {
      await step(() => database.transaction((em) => noteSilence(em, accountNumber, scheduledAtMs())));
    },
  };
}

function inStep<T>(log: Log, work: () => Promise<T>): Promise<T> {
  return onDatabase(log, 'a step of a switch failed by a fault of ours', work);
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
        log.error({ requestId: request.requestId, fault: error.message }, 'the industry switch refuses us');
      }
      failure ??= error;
      // The party rests or the database is away: the others would fail the same way.
      if (!(error instanceof VendorError) || (error instanceof VendorUnavailable && !error.wasAsked)) break;
    }
  }
  if (failure === undefined) return;
  // Cancelled is no failure of anybody: the worker stops, and the next attempt goes on.
  cancellationSignal().throwIfAborted();
  throw vendorFailure(failure);
}
