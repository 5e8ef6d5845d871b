import { randomUUID } from 'node:crypto';
import { Context } from '@temporalio/activity';
import type { Database } from '../../src/platform/database/database.ts';
import { loggedFault, type Log } from '../../src/platform/log.ts';
import { createCallSlots } from '../../src/supply-points/throttle/call-slot.queue.ts';
import { summarizeDeferredOf } from '../../src/supply-points/lookup/deferred-lookup.store.ts';
import { completeLookups, acquirePage } from '../../src/supply-points/lookup/lookup.store.ts';
import { createOutcomeQueue } from '../../src/supply-points/lookup/outcome.queue.ts';
import { reserveSlots } from '../../src/supply-points/throttle/throttle.store.ts';
import type { NetworkOperator } from '../../src/vendors/network-operator/network-operator.port.ts';
import type { NetworkOperatorName } from '../../src/vocabulary/network-operators.ts';
import { VendorMisconfigured, VendorError } from '../../src/vocabulary/vendor-errors.ts';
import { vendorFailure } from '../failures.ts';
import { withHeartbeat } from '../heartbeat.ts';
import { workOffPage, type PageInput, type PageResult } from './work-off-page.activities.ts';

export type LookupActivities = ReturnType<typeof lookupActivities>;

interface LookupDeps {
  database: Database;
  networkOperator: NetworkOperatorName;
  client: NetworkOperator;
  /** Identifiers that were looked up within this number of days are not looked up again. */
  knownDays: number;
  /** Notifies the runs of batches that have ended. */
  batchesEnded: (batchIds: readonly string[]) => void;
  log: Log;
}

/** The activity of one network operator's queue: looks up a page of identifiers at the set speed. */
export function lookupActivities({ database, networkOperator, client, knownDays, batchesEnded, log }: LookupDeps) {
  const workerId = randomUUID();
  const slots = createCallSlots((wanted) => reserveSlots(database, networkOperator, workerId, wanted));
  const reportEnded = (ended: readonly string[]): void => {
    if (ended.length > 0) batchesEnded(ended);
  };
  const outcomes = createOutcomeQueue(async (some) =>
    reportEnded(await completeLookups(database, networkOperator, some)),
  );

  return {
    /**
     * Looks up one page. Each outcome is stored separately; a retry with the same page looks up only the rest.
     * If the network operator as a whole fails, the page ends, the rest is released, and no identifier loses a try.
     */
    async lookUpPage(input: PageInput): Promise<PageResult> {
      const { cancellationSignal: cancelled } = Context.current();
      try {
        return await withHeartbeat(async () => {
          const page = await acquirePage(database, { ...input, knownDays });
          const result: PageResult =
            'dueSeconds' in page
              ? { kind: 'idle', waitSeconds: page.dueSeconds }
              : await workOffPage(
                  { database, networkOperator, client, slots, outcomes, reportEnded },
                  input,
                  page,
                  cancelled,
                );
          const deferred = await summarizeDeferredOf(database, networkOperator);
          return deferred === undefined ? result : { ...result, deferred };
        });
      } catch (error) {
        if (!(error instanceof VendorError)) {
          log.warn({ networkOperator, fault: loggedFault(error) }, 'page of lookups failed');
        }
        if (error instanceof VendorMisconfigured) {
          log.error(
            { networkOperator, fault: loggedFault(error) },
            'network operator rejects our credentials; lookups are stopped until this is fixed',
          );
        }
        // A cancellation is not a failure.
        if (cancelled.aborted) throw cancelled.reason;
        throw vendorFailure(error);
      }
    },
  };
}
