import { ApplicationFailure, CancelledFailure } from '@temporalio/common';
import type { ActivityInterceptorsFactory } from '@temporalio/worker';
import { workflowOfKind } from '../../../temporal.config.ts';
import { parties } from '../../vocabulary/parties.ts';
import type { Database } from '../database/database.ts';
import { noteFailure, noteRecovery } from './work-failure.store.ts';

/** Runs without a work item. */
const WITHOUT_WORK: ReadonlySet<string> = new Set([workflowOfKind['create-accounts'], 'createSlowBatch']);

const OF_SWITCHES: ReadonlySet<string> = new Set([
  workflowOfKind['switch-supplier'],
  workflowOfKind['request-switches'],
]);

/** Activities beside one that may be failing in the same run: their success does not show that the run has recovered. */
const BESIDE_OTHERS: ReadonlySet<string> = new Set(['applySwitchMessages', 'endSwitchPages']);

/**
 * Stores in the work item why an attempt failed, and removes the cause when a step of the run succeeds, so that pages and metrics can count
 * stuck work in Postgres. While the database is unavailable nothing is stored.
 */
export function noteFailures(database: Database): ActivityInterceptorsFactory {
  return ({ info }) => ({
    inbound: {
      execute: async (input, next) => {
        const workflowId = info.workflowExecution?.workflowId;
        if (workflowId === undefined || WITHOUT_WORK.has(info.workflowType ?? '')) return next(input);
        try {
          const result = await next(input);
          if (!BESIDE_OTHERS.has(info.activityType)) await noteRecovery(database, workflowId).catch(() => {});
          return result;
        } catch (error) {
          if (!(error instanceof CancelledFailure)) {
            const failure = failureOf(error, { args: input.args, workflowType: info.workflowType ?? '' });
            await noteFailure(database, workflowId, failure).catch(() => {});
          }
          throw error;
        }
      },
    },
  });
}

function failureOf(error: unknown, names: { args: unknown[]; workflowType: string }) {
  const isOurs = error instanceof ApplicationFailure;
  const cause = (isOurs ? error.type : undefined) ?? 'error';
  const message = isOurs ? error.message : 'Internal error. The cause is in the log of the worker.';
  return { cause, message, party: partyOf(cause, message, names) };
}

/** Returns the party that has to act: an outside party, `database`, `receiver`, `operator`, or `gangway` itself. */
function partyOf(cause: string, message: string, { args, workflowType }: { args: unknown[]; workflowType: string }) {
  if (cause === 'database_refuses_data') return 'operator';
  if (cause.startsWith('database') || cause === 'numbers_held_back') return 'database';
  if (cause.startsWith('receiver')) return 'receiver';
  if (!cause.startsWith('vendor') && cause !== 'payment_instruction_not_yet') return 'gangway';
  if (OF_SWITCHES.has(workflowType)) return 'industry-switch';
  const { vendor, networkOperator } = (args[0] ?? {}) as { vendor?: unknown; networkOperator?: unknown };
  const named = parties.find((party) => party === vendor || party === networkOperator);
  return named ?? parties.find((party) => message.toLowerCase().includes(party.toLowerCase())) ?? 'gangway';
}
