import type { EntityManager } from '@mikro-orm/postgresql';
import { v7 as uuidv7 } from 'uuid';
import { batchRetrySeconds, workflowIds } from '../../../temporal.config.ts';
import { recordAudit } from '../../access/index.ts';
import type { WritableDatabase } from '../../platform/database/database.ts';
import { run, type PreparedQuery } from '../../platform/database/prepared-query.ts';
import type { Caller } from '../../platform/http/route.ts';
import { enqueueWork, signalWork, type WorkItem } from '../../platform/work-items/work-item.store.ts';
import { takesCustomerAuthorisation, type NetworkOperatorName } from '../../vocabulary/network-operators.ts';
import type { Refused } from '../../vocabulary/refusals.ts';
import { findOpenBatchRefusal, type OpenBatchQuota } from './open-batch-quota.store.ts';
import type { PopulationOperatorProgressTable } from './population-operator-progress.entity.ts';
import type { WantedIdentifiers } from './populate.rules.ts';
import { expandBatch, type BatchExpansion } from './expand-batch.store.ts';

/** A batch as it is accepted. */
export interface NewBatch extends WantedIdentifiers {
  /** The client; the batch belongs to its organisation. */
  caller: Caller;
  /** The import suppliers that it belongs to: the one that was named, or all of the client's key. */
  importSuppliers: readonly string[];
  openBatchQuotas: readonly OpenBatchQuota[];
  customerCategory: string;
  /** What the request says of the customers' authorisation; left out, the option of the organisation holds. */
  customerAuthorisation: boolean | undefined;
  /** What was looked up within so many days is not asked for again. */
  knownDays: number;
}

/** What was accepted, and whose work it gives. */
export interface AcceptedBatch {
  batchId: string;
  networkOperators: NetworkOperatorName[];
}

const INSERT_BATCH: PreparedQuery = {
  name: 'population-batch-insert',
  text: `
    with batch as (
      insert into population_batch (id, organisation_id, customer_category, customer_authorisation, warnings)
      select $1, o.id, $3, coalesce($5, o.customer_authorisation), $4::jsonb from api_key k join organisation o on o.id = k.organisation_id where k.id = $2
      returning id, customer_authorisation
    ), suppliers as (
      insert into population_batch_import_supplier (batch_id, import_supplier) select b.id, s from batch b, unnest($6::text[]) s
    )
    select customer_authorisation as "customerAuthorisation" from batch`,
};

const INSERT_CHUNKS: PreparedQuery = {
  name: 'population-chunks-insert',
  text: `
    insert into population_chunk (batch_id, network_operator, chunk, identifiers)
    select $1, $2, n / $4::integer, array_agg(wanted order by n) from (select wanted, (ordinality - 1)::integer as n from unnest($3::text[]) with ordinality as w (wanted, ordinality)) w group by 3`,
};

/** A larger list is expanded in chunks of this size, each when its turn comes. */
const CHUNK_SIZE = 1_000;

/**
 * Writes a batch down with all that it wants, in one transaction; what must run for it is pending from then on.
 * Another batch with the same identifiers at the same moment waits for this one, and shares its lookups.
 */
export async function acceptBatch(database: WritableDatabase, batch: NewBatch): Promise<AcceptedBatch | Refused> {
  // Made anew when the transaction is run again.
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
    // The progress at all network operators, before it can be found complete at the first.
    for (const [networkOperator, identifiers] of wanted) {
      await em
        .getKysely<PopulationOperatorProgressTable>()
        .insertInto('population_operator_progress')
        .values({
          batch_id: batchId,
          network_operator: networkOperator,
          accepted: identifiers.length,
          imported: 0,
          errored: 0,
          customer_authorisation: customerAuthorisation && takesCustomerAuthorisation[networkOperator],
        })
        .execute();
    }
    const networkOperators: NetworkOperatorName[] = [];
    for (const [networkOperator, identifiers] of wanted) {
      if (
        (await acceptAtNetworkOperator(em, { batchId, networkOperator, knownDays: batch.knownDays }, identifiers)) > 0
      ) {
        networkOperators.push(networkOperator);
      }
    }
    // The run of a network operator may sleep for an hour, until what is deferred is due.
    await signalWork(em, networkOperators.map(lookupWorkItem));
    // A batch of known identifiers has a run too, so that operators find every batch in the web UI.
    await enqueueWork(em, [batchWorkItem(batchId)], batchRetrySeconds);
    return { batchId, networkOperators };
  });
}

/** Writes the batch and its row of the audit: whoever says that customers have authorised something has said so here. */
async function insertBatch(em: EntityManager, batchId: string, batch: NewBatch): Promise<boolean> {
  const [row] = await run<{ customerAuthorisation: boolean }>(em, INSERT_BATCH, [
    batchId,
    batch.caller.keyId,
    batch.customerCategory,
    JSON.stringify(batch.warnings),
    batch.customerAuthorisation ?? null,
    batch.importSuppliers,
  ]);
  const customerAuthorisation = row?.customerAuthorisation ?? false;
  await recordAudit(em, batch.caller, {
    action: 'population_batch.accepted',
    subject: `population-batches/${batchId}`,
    after: {
      prm_ids: batch.prms.length,
      pce_ids: batch.pces.length,
      import_suppliers: batch.importSuppliers,
      customer_category: batch.customerCategory,
      customer_authorisation: customerAuthorisation,
      customer_authorisation_from: batch.customerAuthorisation === undefined ? 'organisation' : 'request',
    },
  });
  return customerAuthorisation;
}

/** @returns how many identifiers have to wait for the network operator */
async function acceptAtNetworkOperator(
  em: EntityManager,
  expansion: BatchExpansion,
  identifiers: readonly string[],
): Promise<number> {
  const { batchId, networkOperator } = expansion;
  const isLarge = identifiers.length > CHUNK_SIZE;
  if (isLarge) await run(em, INSERT_CHUNKS, [batchId, networkOperator, identifiers, CHUNK_SIZE]);
  else await expandBatch(em, expansion, identifiers);
  const { accepted, imported } = await em
    .getKysely<PopulationOperatorProgressTable>()
    .selectFrom('population_operator_progress')
    .select(['accepted', 'imported'])
    .where('batch_id', '=', batchId)
    .where('network_operator', '=', networkOperator)
    .executeTakeFirstOrThrow();
  return accepted - imported;
}

/** The work that watching a batch is. */
export function batchWorkItem(batchId: string): WorkItem {
  return { workflowId: workflowIds.populateSupplyPoints(batchId), kind: 'populate-supply-points', input: { batchId } };
}

/** The work that the lookups at a network operator are: one run for all batches. */
export function lookupWorkItem(networkOperator: NetworkOperatorName): WorkItem {
  return {
    workflowId: workflowIds.lookUpSupplyPoints(networkOperator),
    kind: 'look-up-supply-points',
    input: { networkOperator },
  };
}
