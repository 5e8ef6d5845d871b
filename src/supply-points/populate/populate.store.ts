import type { EntityManager } from '@mikro-orm/postgresql';
import { sql } from 'kysely';
import { v7 as uuidv7 } from 'uuid';
import { batchRetrySeconds, workflowIds } from '../../../temporal.config.ts';
import type { batchMoved } from '../../../workflows/supply-points/populate-supply-points.workflow.ts';
import { type OrganisationTable, recordAudit } from '../../access/index.ts';
import type { WritableDatabase } from '../../platform/database/database.ts';
import { type Queryable, kyselyOf } from '../../platform/database/prepared-query.ts';
import type { Caller } from '../../platform/http/route.ts';
import { enqueueWork, signalWork, type WorkItem, workItemIdSql } from '../../platform/work-items/work-item.store.ts';
import { type NetworkOperatorName, acceptsCustomerAuthorisation } from '../../vocabulary/network-operators.ts';
import { refuse, type Refused } from '../../vocabulary/refusals.ts';
import {
  type LookupTables,
  PopulationBatch,
  PopulationBatchImportSupplier,
  PopulationChunk,
  PopulationOperatorProgress,
} from '../supply-point.entity.ts';
import type { WantedIdentifiers } from './population-batch.rules.ts';
import { type BatchExpansion, expandBatch } from './expand-batch.store.ts';
import type { KnownSupplier } from '../../suppliers/index.ts';
import { unfinishedState, type UnfinishedState } from '../../platform/work-items/compared-work.store.ts';

/** A batch to accept. */
export interface NewBatch extends WantedIdentifiers {
  /** The batch belongs to the organisation of this caller. */
  caller: Caller;
  /** The import supplier that the request names, or all of the caller's key. */
  importSuppliers: readonly string[];
  openBatchQuotas: readonly OpenBatchQuota[];
  customerCategory: string;
  /** From the request; if undefined, the option of the organisation applies. */
  customerAuthorisation: boolean | undefined;
  /** Identifiers that were looked up within this number of days are not looked up again. */
  knownDays: number;
}

/** The accepted batch and the network operators at which identifiers are pending. */
export interface AcceptedBatch {
  batchId: string;
  networkOperators: NetworkOperatorName[];
}

/** A longer list is stored in chunks of this size, which are expanded one at a time. */
const CHUNK_SIZE = 1_000;

/**
 * Stores a batch, its identifiers and its work items in one transaction.
 * A concurrent batch with the same identifiers waits for this one, and shares its lookups.
 */
export async function acceptBatch(database: WritableDatabase, batch: NewBatch): Promise<AcceptedBatch | Refused> {
  return database.transaction(async (em) => {
    const refused = await findOpenBatchRefusal(em, batch.openBatchQuotas);
    if (refused) return refused;
    const batchId = uuidv7();
    const customerAuthorisation = await insertBatch(em, batchId, batch);
    const wanted = (
      [
        ['enedis', batch.prms],
        ['grdf', batch.pces],
      ] as const
    ).filter(([, identifiers]) => identifiers.length > 0);
    // Insert the progress of all network operators first; otherwise the batch could complete after the first one.
    await em.insertMany(
      PopulationOperatorProgress,
      wanted.map(([networkOperator, identifiers]) => ({
        batchId,
        networkOperator,
        accepted: identifiers.length,
        imported: 0,
        errored: 0,
        customerAuthorisation: customerAuthorisation && acceptsCustomerAuthorisation[networkOperator],
      })),
    );
    const networkOperators: NetworkOperatorName[] = [];
    for (const [networkOperator, identifiers] of wanted) {
      const expansion = { batchId, networkOperator, knownDays: batch.knownDays };
      if ((await acceptAtNetworkOperator(em, expansion, identifiers)) > 0) networkOperators.push(networkOperator);
    }
    // Signal, because the run of a network operator may sleep for an hour until deferred lookups are due.
    await signalWork(em, networkOperators.map(lookupWorkItem));
    // Every batch has a run, even if all its identifiers are known, so that operators find it in the web UI.
    await enqueueWork(em, [batchWorkItem(batchId)], batchRetrySeconds);
    return { batchId, networkOperators };
  });
}

/** Stores the batch with its audit record, which shows whether the caller declared the customers' authorisation. */
async function insertBatch(em: EntityManager, batchId: string, batch: NewBatch): Promise<boolean> {
  const owner = await kyselyOf<OrganisationTable>(em)
    .selectFrom('organisation')
    .select(['id', 'customer_authorisation'])
    .where('name', '=', batch.caller.organisation)
    .executeTakeFirstOrThrow();
  const customerAuthorisation = batch.customerAuthorisation ?? owner.customer_authorisation;
  const { customerCategory, warnings, importSuppliers } = batch;
  const row = { id: batchId, organisationId: owner.id, customerCategory, customerAuthorisation, warnings };
  await em.insert(PopulationBatch, row);
  await em.insertMany(
    PopulationBatchImportSupplier,
    importSuppliers.map((importSupplier) => ({ batchId, importSupplier })),
  );
  await recordAudit(em, batch.caller, {
    action: 'population_batch.accepted',
    subject: `population-batches/${batchId}`,
    after: {
      prm_ids: batch.prms.length,
      pce_ids: batch.pces.length,
      import_suppliers: importSuppliers,
      customer_category: customerCategory,
      customer_authorisation: customerAuthorisation,
      customer_authorisation_from: batch.customerAuthorisation === undefined ? 'organisation' : 'request',
    },
  });
  return customerAuthorisation;
}

/** @returns the number of pending identifiers */
async function acceptAtNetworkOperator(
  em: EntityManager,
  expansion: BatchExpansion,
  identifiers: readonly string[],
): Promise<number> {
  const { batchId, networkOperator } = expansion;
  if (identifiers.length > CHUNK_SIZE) await insertChunks(em, expansion, identifiers);
  else await expandBatch(em, expansion, identifiers);
  const fields = ['accepted', 'imported'] as const;
  const progress = await em.findOneOrFail(PopulationOperatorProgress, { batchId, networkOperator }, { fields });
  return progress.accepted - progress.imported;
}

async function insertChunks(
  em: EntityManager,
  { batchId, networkOperator }: BatchExpansion,
  identifiers: readonly string[],
): Promise<void> {
  const chunks = Array.from({ length: Math.ceil(identifiers.length / CHUNK_SIZE) }, (_, chunk) => ({
    batchId,
    networkOperator,
    chunk,
    identifiers: identifiers.slice(chunk * CHUNK_SIZE, (chunk + 1) * CHUNK_SIZE),
    isCancelled: false,
  }));
  await em.insertMany(PopulationChunk, chunks);
}

/** The work item of the run that watches a batch. */
export function batchWorkItem(batchId: string): WorkItem {
  return { workflowId: workflowIds.populateSupplyPoints(batchId), kind: 'populate-supply-points', input: { batchId } };
}

/** The signal of a batch that was cancelled or retried. */
const BATCH_MOVED: (typeof batchMoved)['name'] = 'batchMoved';

/** The runs to start or wake after a change of batches. */
export function runsOf(changed: { networkOperators: readonly NetworkOperatorName[]; batchIds: readonly string[] }) {
  const batches = changed.batchIds.map((id) => ({ ...batchWorkItem(id), signal: BATCH_MOVED }));
  return [...changed.networkOperators.map(lookupWorkItem), ...batches];
}

/** The work item of the run that does all lookups at a network operator. */
export function lookupWorkItem(networkOperator: NetworkOperatorName): WorkItem {
  return {
    workflowId: workflowIds.lookUpSupplyPoints(networkOperator),
    kind: 'look-up-supply-points',
    input: { networkOperator },
  };
}

/** `Retry-After` when a quota is reached. */
const RETRY_SECONDS = 60;

/** The most open batches of an import supplier: option `open_batches_max`. */
export interface OpenBatchQuota {
  code: string;
  max: number;
}

/** The quotas of the suppliers that have one, sorted by code so that locks are acquired in one order. */
export function openBatchQuotas(suppliers: readonly KnownSupplier[]): OpenBatchQuota[] {
  return suppliers
    .flatMap(({ code, options }) =>
      typeof options['open_batches_max'] === 'number' ? [{ code, max: options['open_batches_max'] }] : [],
    )
    .sort((one, other) => (one.code < other.code ? -1 : 1));
}

/** Rejects a batch when one of its suppliers has reached its quota. Call it in the transaction that accepts the batch. */
async function findOpenBatchRefusal(
  em: EntityManager,
  quotas: readonly OpenBatchQuota[],
): Promise<Refused | undefined> {
  for (const { code, max } of quotas) {
    const tables = kyselyOf<LookupTables>(em);
    // Serializes the batches of a supplier, so that concurrent requests cannot exceed the quota.
    await sql`select pg_advisory_xact_lock(hashtextextended(${`open-batches ${code}`}, 0))`.execute(tables);
    const open = await tables
      .selectFrom('population_batch as b')
      .innerJoin('population_batch_import_supplier as s', 's.batch_id', 'b.id')
      .select('b.id')
      .where('b.status', '=', 'IN_PROGRESS')
      .where('s.import_supplier', '=', code)
      .limit(max)
      .execute();
    if (open.length >= max) {
      return refuse('throttled', {
        detail: `Import supplier ${code} has reached its limit of ${max} batches in progress. Send the same request again when one has ended.`,
        retryAfterSeconds: RETRY_SECONDS,
      });
    }
  }
  return undefined;
}

const hasWork = (workflowIdSql: string) =>
  sql<boolean>`(${sql.raw(workItemIdSql(workflowIdSql))}) is not null`.as('hasWork');

/** Lists open batches after the id `after`, for the consistency check with Temporal. */
export async function findUnfinishedBatches(on: Queryable, after: string, limit: number): Promise<UnfinishedState[]> {
  const rows = await kyselyOf<LookupTables>(on)
    .selectFrom('population_batch as b')
    .select(['b.id as key', 'b.created_at as since', hasWork(`'${workflowIds.populateSupplyPoints('')}' || b.id`)])
    .where('b.status', '=', 'IN_PROGRESS')
    .where('b.id', '>', after)
    .orderBy('b.id')
    .limit(limit)
    .execute();
  return rows.map(unfinishedState(({ key }) => batchWorkItem(key)));
}

/** Lists network operators with pending identifiers after the name `after`, for the consistency check with Temporal. */
export async function findUnfinishedLookups(on: Queryable, after: string, limit: number): Promise<UnfinishedState[]> {
  const rows = await kyselyOf<LookupTables>(on)
    .selectFrom('throttle as t')
    .select([
      't.network_operator as key',
      sql<null>`null`.as('since'),
      hasWork(`'${workflowIds.lookUpSupplyPoints('')}' || t.network_operator`),
    ])
    .where('t.network_operator', '>', after as NetworkOperatorName)
    .where((is) =>
      is.exists(
        is
          .selectFrom('population_operator_progress as p')
          .select('p.batch_id')
          .whereRef('p.network_operator', '=', 't.network_operator')
          .where(sql<boolean>`p.imported + p.errored < p.accepted`),
      ),
    )
    .orderBy('t.network_operator')
    .limit(limit)
    .execute();
  return rows.map(unfinishedState(({ key }) => lookupWorkItem(key)));
}
