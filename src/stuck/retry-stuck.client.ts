import type { Client } from '@temporalio/client';
import { findAccountNumber, findMessage, hasHeldPoints, isUnmatched, switchWorkItem } from '../switching/index.ts';
import { retryDeferredNow, findDeferred } from '../supply-points/index.ts';
import type { WritableDatabase } from '../platform/database/database.ts';
import type { Log } from '../platform/log.ts';
import type { TemporalGateway } from '../platform/temporal/temporal-gateway.ts';
import { wakeSignalOfKind, workflowIds } from '../../temporal.config.ts';
import { describeOpenRun, resetActivity, type OpenRun, type PendingActivity } from './open-run.client.ts';
import { claimIds, unmatchedIds } from './stored-views.rules.ts';
import { startWorkItem } from '../platform/work-items/dispatch-work-items.ts';
import { findWorkItem, signalWork } from '../platform/work-items/work-item.store.ts';

export interface RetryDeps {
  database: WritableDatabase;
  gateway: TemporalGateway;
}

/** `running`: an attempt is in progress, or no worker runs the work; `unchanged`: the work needs a decision, or its account does not exist yet. */
export type RetryOutcome = 'activity_reset' | 'asked_again' | 'workflow_started' | 'running' | 'unchanged';

/** A retry that has not been carried out yet. */
export interface Retry {
  outcome: RetryOutcome;
  act: () => Promise<void>;
}

const DEADLINE_MS = 5_000;

/**
 * Finds the way to retry an item; undefined if no stuck work has this id any more.
 * @param since an activity that was attempted since this time has been retried already, by a worker that was killed
 */
export async function findRetry(
  { database, gateway }: RetryDeps,
  log: Log,
  workflowId: string,
  since?: Date,
): Promise<Retry | undefined> {
  // Only the decision of an operator resolves a claim.
  const claimant = claimIds.accountNumberIn(workflowId);
  if (claimant !== undefined) {
    return (await hasHeldPoints(database, claimant)) ? { outcome: 'unchanged', act: async () => {} } : undefined;
  }
  const messageId = unmatchedIds.messageIdIn(workflowId);
  if (messageId !== undefined) return findRetryOfMessage({ database, gateway }, log, messageId);
  const client = gateway.client();
  const inTime = <T>(call: () => Promise<T>) => client.withDeadline(Date.now() + DEADLINE_MS, call);
  const run = await inTime(() => describeOpenRun(client, workflowId));
  if (run !== undefined) {
    const { activity } = run;
    const deferred = await findRetryOfDeferred(database, client, run);
    if (deferred !== undefined) return deferred;
    if (activity === undefined) return { outcome: 'running', act: async () => {} };
    // All failing activities: after an outage of a network operator, several pages fail concurrently.
    const failing = run.activities.filter(
      (one) => (one === activity || one.lastFailure !== undefined) && !wasAttemptedSince(one, since),
    );
    return {
      outcome: 'activity_reset',
      act: async () => {
        for (const one of failing) await inTime(() => resetActivity(client, run, one));
      },
    };
  }
  const pending = await findWorkItem(database, workflowId);
  return (
    pending && {
      outcome: 'workflow_started',
      act: async () => {
        // A switch is due later: the signal makes it due now.
        const [work = pending] = pending.kind === 'switch-supplier' ? await signalWork(database, [pending]) : [];
        await startWorkItem({ gateway, log }, work);
      },
    }
  );
}

function wasAttemptedSince({ attemptedAt }: PendingActivity, since: Date | undefined): boolean {
  return since !== undefined && attemptedAt !== undefined && attemptedAt >= since;
}

/** A run of lookups without failing activities may sleep until deferred identifiers are due; the retry makes them due now. */
async function findRetryOfDeferred(
  database: WritableDatabase,
  client: Client,
  { workflowId, kind, activity }: OpenRun,
): Promise<Retry | undefined> {
  const signal = wakeSignalOfKind[kind];
  const isFine = activity?.lastFailure === undefined && !activity?.isPaused;
  const deferred =
    isFine && kind === 'look-up-supply-points'
      ? (await findDeferred(database)).find(
          ({ networkOperator }) => workflowIds.lookUpSupplyPoints(networkOperator) === workflowId,
        )
      : undefined;
  if (deferred === undefined || signal === undefined) return undefined;
  return {
    outcome: 'asked_again',
    act: async () => {
      await retryDeferredNow(database, deferred.networkOperator);
      await client.withDeadline(Date.now() + DEADLINE_MS, () => client.workflow.getHandle(workflowId).signal(signal));
    },
  };
}

/** Makes the switch of the account due, which processes the message again, if the account exists by now. */
async function findRetryOfMessage(
  { database, gateway }: RetryDeps,
  log: Log,
  messageId: string,
): Promise<Retry | undefined> {
  const message = await findMessage(database, messageId);
  if (message === undefined || !isUnmatched(message)) return undefined;
  const { import_supplier: importSupplier, external_account_number: externalAccountNumber } = message;
  const accountNumber = await findAccountNumber(database, importSupplier, externalAccountNumber);
  if (accountNumber === undefined) return { outcome: 'unchanged', act: async () => {} };
  const work = switchWorkItem(accountNumber, importSupplier, externalAccountNumber);
  return {
    outcome: 'workflow_started',
    act: async () => {
      for (const signalled of await signalWork(database, [work])) await startWorkItem({ gateway, log }, signalled);
    },
  };
}
