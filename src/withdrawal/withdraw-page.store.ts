import type { EntityManager } from '@mikro-orm/postgresql';
import { kyselyOf } from '../platform/database/prepared-query.ts';
import { deleteUnusedPoints, lockFreePoints } from '../supply-points/index.ts';
import { lockHeldOn, lockItems, releaseUnclaimed } from '../switching/index.ts';
import { deleteAccounts } from './delete-accounts.store.ts';
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

/** The result of a step. `locked`: another transaction holds what it needs; try again soon. */
export type WithdrawalStep = 'locked' | 'ended' | { accounts: number };

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
