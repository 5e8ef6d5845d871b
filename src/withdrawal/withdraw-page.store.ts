import type { EntityManager } from '@mikro-orm/postgresql';
import { kyselyOf, run, type PreparedQuery } from '../platform/database/prepared-query.ts';
import { deleteUnusedPoints, lockFreePoints } from '../supply-points/index.ts';
import { lockHeldOn, lockItems, releaseUnclaimed } from '../switching/index.ts';
import { findObstacles, type CheckedAccount } from './find-obstacles.store.ts';
import { withdrawBusinesses } from './withdraw-businesses.store.ts';
import { KeptAccount, type Withdrawal, type WithdrawnTables } from './withdrawal.entity.ts';
import {
  type Candidate,
  endWithdrawal,
  findCandidates,
  findWithdrawal,
  lockWithdrawal,
  type WithdrawnScope,
} from './withdrawal.store.ts';
import { workflowIds } from '../../temporal.config.ts';
import { writeEventsSql } from '../events/index.ts';

/** The result of a step. `locked`: another transaction holds what it needs; try again soon. */
type WithdrawalStep = 'locked' | 'ended' | { accounts: number };

/**
 * Withdraws the next accounts, or after the last one their businesses, in one transaction with the cursor, so that each account is counted once however often workers are killed.
 * Locks in the order import process, work item of the switch, account: that of a creation and of a page of switches.
 * @param em of a new transaction
 * @param size most accounts
 */
export async function withdrawPage(em: EntityManager, id: string, size: number): Promise<WithdrawalStep> {
  const record = await lockWithdrawal(em, id);
  if (record?.status !== 'RUNNING') return stepWithout(em, id, record);
  const scope = record as WithdrawnScope;
  const page = await findCandidates(em, scope, record.position, size);
  const last = page.at(-1);
  if (last === undefined) {
    if (record.freedPoints.length > 0) return 'locked';
    const { decided, deletedRows } = await withdrawBusinesses(em, record, size);
    if (decided === 0) {
      await endWithdrawal(em, id, 'COMPLETED');
      return 'ended';
    }
    record.deletedRows = added(record.deletedRows, deletedRows);
    await em.flush();
    return { accounts: decided };
  }
  const accounts = await lockAndCheck(em, scope, page);
  const free = accounts.filter(({ obstacles }) => obstacles.length === 0);
  const kept = accounts.filter(({ obstacles }) => obstacles.length > 0);
  record.position = last.position;
  await count(em, record, free, kept);
  await em.flush();
  return { accounts: page.length };
}

async function stepWithout(em: EntityManager, id: string, record: Withdrawal | undefined): Promise<WithdrawalStep> {
  if (record !== undefined) return 'ended';
  return (await findWithdrawal(em, id))?.status === 'RUNNING' ? 'locked' : 'ended';
}

async function lockAndCheck(
  em: EntityManager,
  { importSupplier, attachingJobs }: WithdrawnScope,
  page: readonly Candidate[],
): Promise<CheckedAccount[]> {
  await lockPage(em, importSupplier, page);
  // A separate statement after the locks, so that it sees the commits of earlier lock holders.
  return findObstacles(
    em,
    page.map(({ id }) => id),
    attachingJobs,
  );
}

/** Locks accounts with all that a withdrawal changes beside them. */
export async function lockPage(
  em: EntityManager,
  importSupplier: string,
  page: readonly Pick<Candidate, 'number' | 'externalAccountNumber'>[],
): Promise<void> {
  const externals = page.map(({ externalAccountNumber }) => externalAccountNumber);
  const rowsIn = <Table extends 'import_process' | 'account'>(table: Table) =>
    kyselyOf<WithdrawnTables>(em)
      .selectFrom<'import_process' | 'account'>(table)
      .select('id')
      .where('import_supplier', '=', importSupplier)
      .where('external_account_number', '=', ({ fn, val }) => fn.any(val(externals)))
      .orderBy('external_account_number');
  await rowsIn('import_process').forNoKeyUpdate().execute();
  await lockItems(
    em,
    page.map(({ number }) => number),
  );
  await rowsIn('account').forUpdate().execute();
}

async function count(
  em: EntityManager,
  record: Withdrawal,
  free: readonly CheckedAccount[],
  kept: readonly CheckedAccount[],
): Promise<void> {
  if (free.length > 0) {
    const { deletedRows, freedPoints } = await deleteAccounts(em, record.id, free);
    record.withdrawn += free.length;
    record.deletedRows = added(record.deletedRows, deletedRows);
    record.freedPoints = [...new Set([...record.freedPoints, ...freedPoints])];
  }
  if (kept.length > 0) {
    const rows = kept.map(({ externalAccountNumber, obstacles: codes }) => ({ externalAccountNumber, codes }));
    await em.insertMany(
      KeptAccount,
      rows.map((row) => ({ ...row, withdrawalId: record.id })),
    );
    record.kept += kept.length;
    record.obstacles = added(record.obstacles, countsOf(kept));
  }
}

/** Counts accounts by obstacle. */
function countsOf(kept: readonly CheckedAccount[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const code of kept.flatMap(({ obstacles }) => obstacles)) counts[code] = (counts[code] ?? 0) + 1;
  return counts;
}

function added(
  counts: Readonly<Record<string, number>>,
  more: Readonly<Record<string, number>>,
): Record<string, number> {
  const sums = { ...counts };
  for (const [name, count] of Object.entries(more)) if (count > 0) sums[name] = (sums[name] ?? 0) + count;
  return sums;
}

/**
 * Releases the points of withdrawn accounts: switches of other accounts that were held because of them continue, and master records that
 * no account has are deleted. Points in use by another transaction are left to the next call.
 * Locks in the order of a page of switches: work items, accounts, supply points.
 */
export async function freePoints(em: EntityManager, id: string): Promise<void> {
  const record = await lockWithdrawal(em, id);
  if (record === undefined || record.freedPoints.length === 0) return;
  const held = await lockHeldOn(em, record.freedPoints);
  const locked = await lockFreePoints(em, record.freedPoints);
  await releaseUnclaimed(em, locked, held);
  record.deletedRows = added(record.deletedRows, { supply_point: await deleteUnusedPoints(em, locked) });
  const done = new Set(locked);
  record.freedPoints = record.freedPoints.filter((point) => !done.has(point));
  await em.flush();
}

/** The tables with rows of an account, without the account itself. `test/database/withdrawn-tables.test.ts` compares them with the foreign keys. */
export const tablesOfAccount = [
  'customer',
  'supply_address',
  'account_supply_point',
  'agreement',
  'agreement_addon',
  'payment_schedule',
  'payment_preference',
  'payment_instruction',
  'payment_verification',
  'account_business_detail',
  'account_contract',
  'account_contract_version',
  'account_contract_term',
  'account_campaign',
  'account_metadata',
  'ledger',
  'energy_cheque',
  'note',
  'note_document',
  'transaction',
  'transaction_line_item',
  'transaction_tax_item',
  'statement',
  'switch_request',
  'switch_change',
] as const;

const MESSAGE_DETAIL = 'The account was withdrawn after this message.';

/**
 * Deletes the accounts with all their rows, keeps their numbers, and stages them again. The foreign keys are checked at the end of the
 * statement, so the order of the tables does not matter. Messages of the industry switch are dismissed, because a switch that is
 * requested after another creation must not read them.
 */
const DELETE: PreparedQuery = {
  name: 'withdrawal-delete-accounts',
  text: `
    with gone as materialized (
      select a.id, a.number, a.creation_id, a.import_process_id, a.import_supplier, a.external_account_number, a.created_at, a.business_contract_id
      from account a where a.id = any($1::uuid[])),
    numbers as (
      insert into withdrawn_account (number, creation_id, import_supplier, external_account_number, created_at, withdrawal_id)
      select number, creation_id, import_supplier, external_account_number, created_at, $2::uuid from gone),
    staged as (
      update import_process p set imported_at = null, refusal = null, workflow_id = null, withdrawn_at = now() from gone g where p.id = g.import_process_id),
    notified as (${writeEventsSql(`
      select g.import_supplier, null, 'import.account.withdrawn.v1', 'accounts/' || g.external_account_number,
        jsonb_build_object('external_account_number', g.external_account_number, 'service_account_number', g.number, 'withdrawal_id', $2::text)
      from gone g order by g.external_account_number`)}),
    businesses as (
      insert into withdrawal_business (withdrawal_id, external_business_identifier, business_id, service_business_id)
      select distinct $2::uuid, b.external_business_identifier, b.id, b.service_business_id from gone g
        cross join lateral (select business_id from business_contract where business_contract.id = g.business_contract_id offset 0) c
        cross join lateral (select * from business where business.id = c.business_id offset 0) b
      on conflict do nothing),
    dismissed as (
      update market_message m set effect = 'dismissed', effect_detail = '${MESSAGE_DETAIL}', effect_at = clock_timestamp() from gone g
      where m.import_supplier = g.import_supplier and m.external_account_number = g.external_account_number and m.effect <> 'dismissed'),
    work_item_gone as (delete from work_item w where w.workflow_id = any($3::text[]) returning 1),
    account_gone as (delete from account where id = any($1::uuid[]) returning 1),
    ${tablesOfAccount
      .map((table) => {
        const returned = table === 'account_supply_point' ? 'supply_point_id' : '1';
        return `${table}_gone as (delete from ${table} where account_id = any($1::uuid[]) returning ${returned})`;
      })
      .join(',\n    ')}
    select jsonb_build_object(${['account', 'work_item', ...tablesOfAccount]
      .map((table) => `'${table}', (select count(*) from ${table}_gone)`)
      .join(', ')}) as "deletedRows",
      array(select distinct supply_point_id from account_supply_point_gone) as "freedPoints"`,
};

/** What the deletion of accounts leaves. */
interface DeletedAccounts {
  /** Number of deleted rows by table. */
  deletedRows: Record<string, number>;
  /** Ids of the supply points of the accounts. */
  freedPoints: string[];
}

/**
 * Deletes accounts with everything below them, and stages them again with the revision they were created from.
 * @param accounts locked, with their import processes and the work items of their switches
 */
export async function deleteAccounts(
  em: EntityManager,
  withdrawalId: string,
  accounts: readonly { id: string; number: string }[],
): Promise<DeletedAccounts> {
  const [deleted] = await run<DeletedAccounts & Record<string, unknown>>(em, DELETE, [
    accounts.map(({ id }) => id),
    withdrawalId,
    accounts.map(({ number }) => workflowIds.switchSupplier(number)),
  ]);
  return deleted!;
}
