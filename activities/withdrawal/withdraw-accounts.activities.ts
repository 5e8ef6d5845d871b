import { setTimeout as sleep } from 'node:timers/promises';
import { Context } from '@temporalio/activity';
import type { CreationActivity } from '../../src/account-import/index.ts';
import type { Database } from '../../src/platform/database/database.ts';
import type { Log } from '../../src/platform/log.ts';
import { beginTimeSlice } from '../../src/platform/time-slice.ts';
import { freePoints, withdrawPage } from '../../src/withdrawal/withdraw-page.store.ts';
import { endWithdrawal, findWithdrawal } from '../../src/withdrawal/withdrawal.store.ts';
import type { WithdrawalProgress } from '../../src/withdrawal/withdrawal-progress.rules.ts';
import { withdrawalBudget } from '../../temporal.config.ts';
import { onDatabase } from '../failures.ts';
import { withHeartbeat } from '../heartbeat.ts';

export type WithdrawalActivities = ReturnType<typeof withdrawalActivities>;
export type WithdrawalSteps = ReturnType<typeof withdrawalSteps>;

export interface WithdrawalDeps {
  database: Database;
  log: Log;
  /** Single creations, which have priority. */
  activity: CreationActivity;
}

/** Wait for a transaction that holds a page or a supply point. */
const LOCKED_MS = 200;

/** The activity of withdrawals, on the queue of import jobs. Concurrent runs count each account once. */
export function withdrawalActivities(deps: WithdrawalDeps) {
  return {
    /** Withdraws accounts for some seconds, and returns the progress. Null if the withdrawal does not exist. */
    async withdrawAccounts(id: string): Promise<WithdrawalProgress | null> {
      const { cancellationSignal: cancelled } = Context.current();
      return withHeartbeat(() =>
        onDatabase(deps.log, 'withdrawal not continued', () => withdrawForAWhile(deps, id, cancelled), {
          withdrawalId: id,
        }),
      );
    },
  };
}

/** Short steps of withdrawals. */
export function withdrawalSteps({ database, log }: Pick<WithdrawalDeps, 'database' | 'log'>) {
  return {
    /** Cancels a withdrawal after its run was cancelled in Temporal's web UI. The remaining accounts are kept. */
    cancelWithdrawal: (id: string): Promise<void> =>
      onDatabase(log, 'withdrawal not cancelled', () =>
        database.transaction((em) => endWithdrawal(em, id, 'CANCELLED')),
      ),
  };
}

async function withdrawForAWhile(
  { database, activity }: WithdrawalDeps,
  id: string,
  cancelled: AbortSignal,
): Promise<WithdrawalProgress | null> {
  const slice = beginTimeSlice({ maxPerSecond: undefined, activity, cancelled, budget: withdrawalBudget });
  let most: number = withdrawalBudget.atOnce;
  while (!slice.isOver()) {
    await database.transaction((em) => freePoints(em, id));
    const began = performance.now();
    const step = await database.transaction((em) => withdrawPage(em, id, Math.min(most, slice.atOnce())));
    if (step === 'ended') break;
    if (step === 'locked') {
      await sleep(LOCKED_MS, undefined, { signal: cancelled }).catch(() => {});
      continue;
    }
    const durationMs = performance.now() - began;
    most =
      durationMs > withdrawalBudget.pageMs
        ? Math.max(1, Math.floor(most / 2))
        : Math.min(withdrawalBudget.atOnce, most * 2);
    await slice.done(step.accounts, durationMs);
  }
  const record = await findWithdrawal(database, id);
  return record === undefined ? null : { status: record.status, withdrawn: record.withdrawn, kept: record.kept };
}
