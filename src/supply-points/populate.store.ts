import { v7 as uuidv7 } from 'uuid';
import { workflowIds } from '../../temporal.config.ts';
import type { Database, Statement, Transaction } from '../platform/database/database.ts';
import { oweWork } from '../platform/unfinished-work/unfinished-work.store.ts';
import type { NetworkOperatorName } from '../vocabulary/network-operators.ts';
import type { WantedIdentifiers } from './populate.rules.ts';

/** A batch as it is accepted. */
export interface NewBatch extends WantedIdentifiers {
  /** Key of the client; the batch belongs to its organisation. */
  keyId: string;
  customerCategory: string;
  /** What was looked up within so many days is not asked for again. */
  knownDays: number;
}

/** What was accepted, and whose work it gives. */
export interface AcceptedBatch {
  batchId: string;
  networkOperators: NetworkOperatorName[];
}

const INSERT_BATCH: Statement = {
  name: 'population-batch-insert',
  text: `insert into population_batch (id, organisation_id, customer_category, warnings) select $1, organisation_id, $3, $4::jsonb from api_key where id = $2`,
};

const INSERT_SHARE: Statement = {
  name: 'population-share-insert',
  text: 'insert into population_share (batch_id, network_operator, accepted, imported, errored) values ($1, $2, $3, 0, 0)',
};

/** Look-ups that nobody asked for before, and the batch's requests for them: the common case, in one statement. */
const INSERT_NEW: Statement = {
  name: 'population-new',
  text: `
    with new as (
      insert into look_up (network_operator, identifier)
      select $2, wanted from unnest($3::text[]) wanted order by wanted collate "C"
      on conflict (network_operator, identifier) do nothing
      returning id
    ), requested as (
      insert into population_request (batch_id, network_operator, look_up_id, state) select $1, $2, id, 'pending' from new
    )
    select count(*)::integer as count from new`,
};

/** Holds the look-ups that were there before: whoever settles one of them now waits, and then counts this batch too. */
const LOCK_KNOWN: Statement = {
  name: 'population-lock-known',
  text: `
    select count(l.id)::integer as count from (
      select l.id from unnest($2::text[]) wanted join look_up l on l.network_operator = $1 and l.identifier = wanted order by l.id for no key update of l
    ) l`,
};

/** Asks again what is older than the setting, what ended as errored (it is named anew, so something may have changed), and what was given up with its batch. */
const ASK_AGAIN: Statement = {
  name: 'population-ask-again',
  text: `
    update look_up l set state = 'pending', errored_reason = null, tries = 0, set_aside_at = null, due_at = null, settled_at = null
    from unnest($2::text[]) wanted
    where l.network_operator = $1 and l.identifier = wanted
      and (l.state = 'errored' or (l.state = 'imported' and l.settled_at < now() - make_interval(days => $3)))`,
};

const REQUEST_KNOWN: Statement = {
  name: 'population-request-known',
  text: `
    insert into population_request (batch_id, network_operator, look_up_id, state)
    select $1, $2, l.id, l.state from unnest($3::text[]) wanted join look_up l on l.network_operator = $2 and l.identifier = wanted
    on conflict (batch_id, look_up_id) do nothing`,
};

/** What is known already counts at once. */
const COUNT_KNOWN: Statement = {
  name: 'population-count-known',
  text: `
    update population_share set imported = (select count(*) from population_request r where r.batch_id = $1 and r.network_operator = $2 and r.state = 'imported')
    where batch_id = $1 and network_operator = $2
    returning accepted - imported as pending`,
};

const COMPLETE_IF_KNOWN: Statement = {
  name: 'population-complete-if-known',
  text: `update population_batch set status = 'COMPLETED', ended_at = now() where id = $1 and not exists (select from population_share where batch_id = $1 and imported + errored < accepted)`,
};

/**
 * Writes a batch down with all that it wants, in one transaction; what must run for it is owed from then on (design 3).
 * Another batch with the same identifiers at the same moment waits for this one, and shares its look-ups.
 */
export async function acceptBatch(database: Database, batch: NewBatch): Promise<AcceptedBatch> {
  // Made anew when the transaction is run again.
  return database.transaction(async (tx) => {
    const batchId = uuidv7();
    await tx.run(INSERT_BATCH, [batchId, batch.keyId, batch.customerCategory, JSON.stringify(batch.warnings)]);
    const networkOperators: NetworkOperatorName[] = [];
    for (const [networkOperator, identifiers] of [['enedis', batch.prms], ['grdf', batch.pces]] as const) {
      if (identifiers.length > 0 && (await acceptShare(tx, batchId, networkOperator, identifiers, batch.knownDays)) > 0) networkOperators.push(networkOperator);
    }
    await tx.run(COMPLETE_IF_KNOWN, [batchId]);
    if (networkOperators.length > 0) await oweWork(tx, { workflowId: workflowIds.populateSupplyPoints(batchId), kind: 'populate-supply-points', input: { batchId } });
    for (const networkOperator of networkOperators) await oweLookUps(tx, networkOperator);
    return { batchId, networkOperators };
  });
}

/** @returns how many identifiers have to wait for the operator */
async function acceptShare(tx: Transaction, batchId: string, networkOperator: NetworkOperatorName, identifiers: readonly string[], knownDays: number): Promise<number> {
  await tx.run(INSERT_SHARE, [batchId, networkOperator, identifiers.length]);
  const [inserted] = await tx.run<{ count: number }>(INSERT_NEW, [batchId, networkOperator, identifiers]);
  if (inserted?.count === identifiers.length) return identifiers.length;
  await tx.run(LOCK_KNOWN, [networkOperator, identifiers]);
  await tx.run(ASK_AGAIN, [networkOperator, identifiers, knownDays]);
  await tx.run(REQUEST_KNOWN, [batchId, networkOperator, identifiers]);
  const [counted] = await tx.run<{ pending: number }>(COUNT_KNOWN, [batchId, networkOperator]);
  return counted?.pending ?? 0;
}

const OWE_LOOK_UPS: Statement = {
  name: 'look-ups-owe',
  // The update holds the row until this commits: a run that is about to end looks again after it (look-up.store.ts).
  text: `
    insert into unfinished_work (workflow_id, kind, input, start_at) values ($1, 'look-up-supply-points', $2, now() + interval '30 seconds')
    on conflict (workflow_id) do update set input = excluded.input`,
};

/** Writes down that the run of an operator must go on, or be started. */
export async function oweLookUps(tx: Pick<Transaction, 'run'>, networkOperator: NetworkOperatorName): Promise<void> {
  await tx.run(OWE_LOOK_UPS, [workflowIds.lookUpSupplyPoints(networkOperator), JSON.stringify({ networkOperator })]);
}
