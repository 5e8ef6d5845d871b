import type { Client } from '@temporalio/client';
import { decodeFromPayloadsAtIndex } from '@temporalio/common/lib/internal-non-workflow/index.js';
import { workflowOfKind, type RunKind } from '../../temporal.config.ts';
import { isNotFound, isTemporalAway } from '../platform/temporal/temporal-faults.ts';

/** Kinds of runs that can be stuck, by workflow type. */
const kindOfWorkflow = new Map<string, RunKind>(
  Object.entries(workflowOfKind).map(([kind, type]) => [type, kind as RunKind]),
);

export interface ConcernedAccount {
  import_supplier: string;
  external_account_number: string;
}

/** An activity that has not ended. */
export interface PendingActivity {
  id: string;
  attempt: number;
  nextAttemptAt: Date | undefined;
  /** When its last attempt was due, started or ended, whichever is latest. */
  attemptedAt: Date | undefined;
  lastFailure: { type: string; message: string } | undefined;
  isPaused: boolean;
}

/** An open run. */
export interface OpenRun {
  workflowId: string;
  runId: string;
  kind: RunKind;
  startedAt: Date;
  activity: PendingActivity | undefined;
  /** All open activities; `activity` is the failing one, if there is one. */
  activities: PendingActivity[];
  /** A workflow task waits for a worker, or fails. */
  waitsForWorker: boolean;
}

/** More recent runs are in progress, not stuck. */
const WAITING_AFTER_MS = 2_000;
/** Page size of lists of Temporal. */
const LISTED_AT_ONCE = 1_000;
/** PENDING_WORKFLOW_TASK_STATE_SCHEDULED and WORKFLOW_EXECUTION_STATUS_RUNNING of Temporal's API. */
const TASK_SCHEDULED = 1;
const STATUS_RUNNING = 1;

/** Ids of open runs that are old enough to be stuck, sorted by age. */
export async function listOpenRuns(client: Client, limit: number): Promise<string[]> {
  const types = [...kindOfWorkflow.keys()].map((type) => `'${type}'`).join(', ');
  const before = new Date(Date.now() - WAITING_AFTER_MS).toISOString();
  const query = `WorkflowType IN (${types}) AND ExecutionStatus = 'Running' AND StartTime < '${before}'`;
  const found: { id: string; startedAt: number }[] = [];
  let nextPageToken: Uint8Array | undefined;
  do {
    const page = await client.workflowService.listWorkflowExecutions({
      namespace: client.options.namespace,
      pageSize: Math.min(limit - found.length, LISTED_AT_ONCE),
      query,
      nextPageToken: nextPageToken ?? null,
    });
    for (const { execution, startTime } of page.executions) {
      if (execution?.workflowId) found.push({ id: execution.workflowId, startedAt: dateOf(startTime)?.getTime() ?? 0 });
    }
    nextPageToken = page.nextPageToken?.length ? page.nextPageToken : undefined;
  } while (nextPageToken !== undefined && found.length < limit);
  return found.sort((one, other) => one.startedAt - other.startedAt).map(({ id }) => id);
}

/** The current state of a run; undefined if it is closed, unknown, or not from this service. */
export async function describeOpenRun(client: Client, workflowId: string): Promise<OpenRun | undefined> {
  const { namespace } = client.options;
  try {
    const {
      workflowExecutionInfo: info,
      pendingActivities,
      pendingWorkflowTask: task,
    } = await client.workflowService.describeWorkflowExecution({ namespace, execution: { workflowId } });
    const kind = kindOfWorkflow.get(info?.type?.name ?? '');
    if (info?.status !== STATUS_RUNNING || kind === undefined) return undefined;
    const activities = (pendingActivities ?? []).map((pending) => ({
      id: pending.activityId ?? '',
      attempt: pending.attempt ?? 1,
      nextAttemptAt: dateOf(pending.nextAttemptScheduleTime),
      attemptedAt: latestPast(
        [pending.scheduledTime, pending.lastStartedTime, pending.lastAttemptCompleteTime].map(dateOf),
      ),
      lastFailure: failureOf(pending.lastFailure),
      isPaused: pending.paused ?? false,
    }));
    return {
      workflowId,
      runId: info.execution?.runId ?? '',
      kind,
      startedAt: dateOf(info.startTime) ?? new Date(),
      activity: activities.find(({ lastFailure, isPaused }) => lastFailure !== undefined || isPaused) ?? activities[0],
      activities,
      waitsForWorker: task !== null && task !== undefined && (task.state === TASK_SCHEDULED || (task.attempt ?? 1) > 1),
    };
  } catch (error) {
    if (isNotFound(error)) return undefined;
    throw error;
  }
}

/** The input of a run. */
export async function inputOfRun(client: Client, run: OpenRun): Promise<unknown> {
  const { history } = await client.workflowService.getWorkflowExecutionHistory({
    namespace: client.options.namespace,
    execution: { workflowId: run.workflowId, runId: run.runId },
    maximumPageSize: 1,
  });
  const payloads = history?.events?.[0]?.workflowExecutionStartedEventAttributes?.input?.payloads ?? [];
  // The converter of the client decrypts payloads if a payload key is set.
  return payloads.length > 0 ? decodeFromPayloadsAtIndex(client.options.loadedDataConverter, 0, payloads) : undefined;
}

export interface Subject {
  network_operator: string | null;
  batch_id: string | null;
  job_id: string | null;
  reconciliation_id: string | null;
  withdrawal_id: string | null;
  endpoint_id: string | null;
}

/** The subject of work without an account: a network operator, batch, import job, reconciliation, withdrawal or endpoint. */
export function subjectIn(input: unknown): Subject {
  const { networkOperator, batchId, jobId, reconciliationId, withdrawalId, endpointId } = (input ?? {}) as Record<
    string,
    unknown
  >;
  return {
    network_operator: typeof networkOperator === 'string' ? networkOperator : null,
    batch_id: typeof batchId === 'string' ? batchId : null,
    job_id: typeof jobId === 'string' ? jobId : null,
    reconciliation_id: typeof reconciliationId === 'string' ? reconciliationId : null,
    withdrawal_id: typeof withdrawalId === 'string' ? withdrawalId : null,
    endpoint_id: typeof endpointId === 'string' ? endpointId : null,
  };
}

/** The accounts in the input of work: one, or those of a creation batch. */
export function accountsIn(input: unknown): ConcernedAccount[] {
  return ((input as { entries?: unknown[] } | undefined)?.entries ?? [input]).flatMap(accountIn);
}

function accountIn(input: unknown): ConcernedAccount[] {
  const { importSupplier, externalAccountNumber } = (input ?? {}) as {
    importSupplier?: unknown;
    externalAccountNumber?: unknown;
  };
  if (typeof importSupplier !== 'string' || typeof externalAccountNumber !== 'string') return [];
  return [{ import_supplier: importSupplier, external_account_number: externalAccountNumber }];
}

/** Retries an activity immediately like "Reset" in the web UI: attempts start again, and a pause ends. */
export async function resetActivity(client: Client, run: OpenRun, activity: PendingActivity): Promise<void> {
  await client.workflowService.resetActivity({
    namespace: client.options.namespace,
    execution: { workflowId: run.workflowId, runId: run.runId },
    identity: client.options.identity,
    id: activity.id,
  });
}

function dateOf(time: { seconds?: unknown; nanos?: number | null } | null | undefined): Date | undefined {
  if (!time) return undefined;
  return new Date(Number(time.seconds ?? 0) * 1_000 + Math.floor((time.nanos ?? 0) / 1_000_000));
}

/** Ignores the scheduled time of an attempt in the future. */
function latestPast(times: readonly (Date | undefined)[], now = Date.now()): Date | undefined {
  const past = times.flatMap((time) => (time !== undefined && time.getTime() <= now ? [time.getTime()] : []));
  return past.length === 0 ? undefined : new Date(Math.max(...past));
}

interface WireFailure {
  message?: string | null;
  applicationFailureInfo?: { type?: string | null } | null;
  timeoutFailureInfo?: object | null;
}

/** Failures of activities contain only codes and paths (activities/failures.ts), so they can be shown. */
function failureOf(failure: WireFailure | null | undefined): PendingActivity['lastFailure'] {
  if (!failure) return undefined;
  const type = failure.applicationFailureInfo?.type || (failure.timeoutFailureInfo ? 'timeout' : 'error');
  return { type, message: failure.message ?? '' };
}

/** The result of a call; the error while Temporal is unavailable. A process that starts meanwhile has no client yet. */
export async function errorIfAway<Result>(call: () => Result | Promise<Result>): Promise<Result | Error> {
  try {
    return await call();
  } catch (error) {
    if (isTemporalAway(error)) return error as Error;
    throw error;
  }
}
