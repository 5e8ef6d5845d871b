import { findLostSlots, findQuarantined, freeOldSlots, lostSlotAgeSeconds } from '../account-import/index.ts';
import { findTablesWithoutMonth, makeMonthPartitions } from '../platform/database/month-partitions.ts';
import { listUnmatchedMessages } from '../switching/index.ts';
import { keyedPage, type CheckStep, type CheckDeps, type ComparedPage, type Mismatch } from './check-step.rules.ts';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Client } from '@temporalio/client';
import pMap from 'p-map';
import { workflowOfKind, type RunKind } from '../../temporal.config.ts';
import { findOpenRun, type FoundRun } from '../platform/temporal/start-run.ts';
import { isTemporalAway } from '../platform/temporal/temporal-faults.ts';
import { findKnownWork } from '../platform/work-items/compared-work.store.ts';

/** Slots of the concurrency limit whose creation is over. There is only one page, because the limit bounds the number of slots. */
export function slotsStep(deps: CheckDeps): CheckStep {
  const { database, settings } = deps;
  const minimumAgeSeconds = lostSlotAgeSeconds(settings);
  return {
    name: 'slots',
    comparePage: async () => {
      const slots = await findLostSlots({ ...deps, minimumAgeSeconds });
      return {
        compared: slots.length,
        next: undefined,
        mismatches: slots.map(({ creationId: id, workflowId }) => ({
          kind: 'slot_without_holder',
          subject: id,
          accounts: [],
          since: null,
          detail: workflowId ? `The run ${workflowId} has ended or is unknown.` : 'Its run was never started.',
          repair: { act: () => freeOldSlots(database, [id], minimumAgeSeconds) },
        })),
      };
    },
  };
}

/** Quarantined accounts: their data has to be corrected. */
export function quarantinedStep({ database }: CheckDeps): CheckStep {
  return {
    name: 'quarantined',
    comparePage: async (after, limit) => {
      const accounts = await findQuarantined(database, after, limit);
      const mismatches = accounts.map(({ importSupplier, externalAccountNumber, workflowId, since, hasWork }) => ({
        kind: 'account_quarantined' as const,
        subject: workflowId,
        accounts: [{ import_supplier: importSupplier, external_account_number: externalAccountNumber }],
        since,
        detail: hasWork
          ? 'It is retried alone until its data is corrected.'
          : 'It is not retried automatically. Request its creation again.',
      }));
      return keyedPage(
        accounts,
        limit,
        (account) => `${account.importSupplier}/${account.externalAccountNumber}`,
        mismatches,
      );
    },
  };
}

/** Market messages without an account. */
export function messagesStep({ database }: CheckDeps): CheckStep {
  return {
    name: 'messages',
    comparePage: async (after, limit) => {
      const messages = await listUnmatchedMessages(
        database,
        { kind: 'unknown-account' },
        limit,
        after === '' ? undefined : after,
      );
      const mismatches = messages.map((message) => ({
        kind: 'message_without_account' as const,
        subject: message.message_id,
        accounts: [
          { import_supplier: message.import_supplier, external_account_number: message.external_account_number },
        ],
        since: new Date(message.received_at),
        detail: message.effect_detail ?? '',
      }));
      return keyedPage(messages, limit, (message) => message.message_id, mismatches);
    },
  };
}

/** Tables with rows whose month has no partition. There is only one page. */
export function partitionsStep({ database }: CheckDeps): CheckStep {
  return {
    name: 'partitions',
    comparePage: async () => {
      const tables = await findTablesWithoutMonth(database);
      return {
        compared: tables.length,
        next: undefined,
        mismatches: tables.map((table) => ({
          kind: 'rows_without_partition' as const,
          subject: table,
          accounts: [],
          since: null,
          detail: 'Its default partition has rows.',
          repair: { act: () => makeMonthPartitions(database) },
        })),
      };
    },
  };
}

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
