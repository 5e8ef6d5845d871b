import { setTimeout as sleep } from 'node:timers/promises';
import type { Client } from '@temporalio/client';
import pMap from 'p-map';
import { workflowOfKind, type RunKind } from '../../temporal.config.ts';
import { findOpenRun, type FoundRun } from '../platform/temporal/find-open-run.ts';
import { isTemporalAway } from '../platform/temporal/temporal-faults.ts';
import { findKnownWork } from '../platform/work-items/compared-work.store.ts';
import type { CheckStep, ComparedPage, Mismatch, CheckDeps } from './check-step.rules.ts';

/** Requests start batches of creations, without work items. */
const WITHOUT_WORK: ReadonlySet<RunKind> = new Set<RunKind>(['create-accounts']);
const TYPES = Object.entries(workflowOfKind)
  .filter(([kind]) => !WITHOUT_WORK.has(kind as RunKind))
  .map(([, type]) => `'${type}'`)
  .join(', ');

const CALLS_AT_ONCE = 16;
/** A run that has completed its work ends within this time; a run without any event in it is orphaned. */
const SECOND_CHECK_MS = 3_000;
const BASE64 = /^[A-Za-z0-9+/]+={0,2}$/;

/** Thrown if Temporal does not know the token, because a client changed the cursor. */
export class UnknownPosition extends Error {
  override name = 'UnknownPlace';
}

/** Open runs without a work item: Temporal is older or newer than Postgres. */
export function runsWithoutWorkStep(deps: CheckDeps): CheckStep {
  return {
    name: 'runs',
    isPosition: (after) => BASE64.test(after),
    comparePage: (after, limit) => comparePage(deps, after, limit),
  };
}

async function comparePage(deps: CheckDeps, after: string, limit: number): Promise<ComparedPage> {
  const client = deps.gateway.client();
  const { executions, nextPageToken } = await listOpen(client, after, limit);
  const ids = executions.flatMap(({ execution }) => execution?.workflowId ?? []);
  const known = await findKnownWork(deps.database, ids);
  const suspects = await openAmong(
    client,
    ids.filter((id) => !known.has(id)),
  );
  const leftOver = suspects.size === 0 ? suspects : await stillThere(deps, client, suspects);
  return {
    mismatches: [...leftOver].map(([id, run]) => withoutWork(client, id, run)),
    compared: ids.length,
    next: nextPageToken?.length ? Buffer.from(nextPageToken).toString('base64') : undefined,
  };
}

async function listOpen(client: Client, after: string, limit: number) {
  try {
    return await client.workflowService.listWorkflowExecutions({
      namespace: client.options.namespace,
      pageSize: limit,
      query: `WorkflowType IN (${TYPES}) AND ExecutionStatus = 'Running'`,
      nextPageToken: after === '' ? null : Buffer.from(after, 'base64'),
    });
  } catch (error) {
    // Each visibility store of Temporal has a different message for an unknown token.
    if (after !== '' && !isTemporalAway(error)) throw new UnknownPosition();
    throw error;
  }
}

async function openAmong(client: Client, ids: readonly string[]): Promise<Map<string, FoundRun>> {
  const open = new Map<string, FoundRun>();
  await pMap(
    ids,
    async (id) => {
      const run = await findOpenRun(client, id);
      if (run !== undefined) open.set(id, run);
    },
    { concurrency: CALLS_AT_ONCE },
  );
  return open;
}

/** The suspects that have no new event after a pause, and still no work item. */
async function stillThere(
  deps: CheckDeps,
  client: Client,
  suspects: ReadonlyMap<string, FoundRun>,
): Promise<Map<string, FoundRun>> {
  await sleep(SECOND_CHECK_MS);
  const ids = [...suspects.keys()];
  const [again, known] = [await openAmong(client, ids), await findKnownWork(deps.database, ids)];
  return new Map(
    [...again].filter(([id, run]) => {
      const first = suspects.get(id);
      return !known.has(id) && first?.runId === run.runId && first.historyLength === run.historyLength;
    }),
  );
}

function withoutWork(client: Client, workflowId: string, run: FoundRun): Mismatch {
  return {
    kind: 'run_without_work_item',
    subject: workflowId,
    accounts: [],
    since: run.startedAt,
    detail: 'It runs in Temporal, but the database has no work item for it.',
    repair: {
      act: () =>
        client.workflow.getHandle(workflowId, run.runId).terminate('The database has no work item for this run.'),
    },
  };
}
