import { LockMode, raw } from '@mikro-orm/core';
import type { EntityManager } from '@mikro-orm/postgresql';
import { sql } from 'kysely';
import { workflowIds } from '../../temporal.config.ts';
import { recordAudit, type Actor } from '../access/index.ts';
import type { Viewer } from '../platform/http/route.ts';
import { emOf, kyselyOf, run, type PreparedQuery, type Queryable } from '../platform/database/prepared-query.ts';
import { findUnfinishedOf, type UnfinishedState } from '../platform/work-items/compared-work.store.ts';
import { completeWork, enqueueWork, type WorkItem } from '../platform/work-items/work-item.store.ts';
import { endWaveWithdrawal } from '../waves/index.ts';
import type { WithdrawalObstacle, WithdrawalStatus } from '../vocabulary/withdrawals.ts';
import { Withdrawal, type WithdrawalTables, type WithdrawnTables } from './withdrawal.entity.ts';
import { keysetPages } from '../foundation/keyset-pages.ts';

/** The accounts of a withdrawal: one account, or those of an import job or a wave. */
export type WithdrawnScope = Pick<Withdrawal, 'importSupplier'> & {
  externalAccountNumber: string | null;
  importJobId: string | null;
  waveId: string | null;
  /** Jobs whose attachments are withdrawn with the accounts. */
  attachingJobs: readonly string[];
};

/** The caller; undefined for operators, who see all withdrawals. */
export type WithdrawalViewer = Viewer;

/** Finds a withdrawal; with `viewer`, only one that it may see. */
export async function findWithdrawal(
  on: Queryable,
  id: string,
  viewer?: WithdrawalViewer,
): Promise<Withdrawal | undefined> {
  const isVisible = viewer && {
    ...(viewer.organisation !== undefined && { $or: [{ organisation: null }, { organisation: viewer.organisation }] }),
    importSupplier: { $in: [...viewer.importSuppliers] },
  };
  return (await emOf(on).findOne(Withdrawal, { id, ...isVisible })) ?? undefined;
}

/** Lists the newest withdrawals of a wave. */
export function findWithdrawalsOfWave(on: Queryable, waveId: string, limit: number): Promise<Withdrawal[]> {
  return emOf(on).find(Withdrawal, { waveId }, { orderBy: { id: 'desc' }, limit });
}

/** Locks a withdrawal. Changes of the returned entity are stored at the commit. @returns undefined if another worker holds the lock */
export async function lockWithdrawal(em: EntityManager, id: string): Promise<Withdrawal | undefined> {
  const lockMode = LockMode.PESSIMISTIC_PARTIAL_WRITE;
  return (await em.findOne(Withdrawal, { id }, { lockMode })) ?? undefined;
}

/** An account that a withdrawal comes to. */
export interface Candidate extends Record<string, unknown> {
  /** The cursor: the external account number, or the line in the job. */
  position: string;
  id: string;
  number: string;
  externalAccountNumber: string;
}

/** A line names the account that it created by its number, so that an account of a later creation is not withdrawn. */
const ACCOUNTS_OF_JOB: PreparedQuery = {
  name: 'withdrawal-accounts-of-job',
  text: `
    select l.line::text as position, a.id, a.number, a.external_account_number as "externalAccountNumber"
    from (
      select line, number from import_job_line
      where job_id = $1 and line > $2::integer and state = 'succeeded' and number is not null order by line offset 0) l
      cross join lateral (select * from account where account.number = l.number offset 0) a
    order by l.line limit $3`,
};

/** Accounts that the wave leaves out are kept. */
const ACCOUNTS_OF_WAVE: PreparedQuery = {
  name: 'withdrawal-accounts-of-wave',
  text: `
    select m.import_process_id::text as position, a.id, a.number, a.external_account_number as "externalAccountNumber"
    from (
      select import_process_id from wave_account where wave_id = $1 and import_process_id > $2::uuid order by import_process_id offset 0) m
      cross join lateral (select * from account where account.import_process_id = m.import_process_id offset 0) a
    where (select true from wave_exclusion e where e.wave_id = $1 and e.record = a.external_account_number) is null
    order by m.import_process_id limit $3`,
};
const BEFORE_ALL = '00000000-0000-0000-0000-000000000000';

/** The position before the first account. */
export const FIRST = '';

/** Finds the accounts after a position, in the order of their withdrawal. */
export function findCandidates(
  on: Queryable,
  { importSupplier, externalAccountNumber, importJobId, waveId }: Omit<WithdrawnScope, 'attachingJobs'>,
  after: string,
  limit: number,
): Promise<Candidate[]> {
  if (waveId !== null) return run<Candidate>(on, ACCOUNTS_OF_WAVE, [waveId, after || BEFORE_ALL, limit]);
  if (importJobId !== null) return run<Candidate>(on, ACCOUNTS_OF_JOB, [importJobId, Number(after), limit]);
  return kyselyOf<WithdrawnTables>(on)
    .selectFrom('account')
    .select(['external_account_number as position', 'id', 'number', 'external_account_number as externalAccountNumber'])
    .where('import_supplier', '=', importSupplier)
    .where('external_account_number', '=', externalAccountNumber)
    .where('external_account_number', '>', after)
    .execute();
}

/** The path of the accounts of a withdrawal, as the subject of audit entries. */
function subjectOf({ importSupplier, externalAccountNumber, importJobId, waveId }: WithdrawnScope): string {
  if (waveId !== null) return `waves/${waveId}`;
  return importJobId === null ? `accounts/${importSupplier}/${externalAccountNumber}` : `import-jobs/${importJobId}`;
}

export interface NewWithdrawal extends WithdrawnScope {
  id: string;
  organisation: string | null;
  reason: string;
  isByOperator: boolean;
  withdrawsBusinesses: boolean;
}

/**
 * Starts a withdrawal, unless one of the same accounts is running.
 * @returns the running one
 */
export async function startWithdrawal(
  em: EntityManager,
  wanted: NewWithdrawal,
  actor: Actor,
): Promise<{ id: string; isNew: boolean }> {
  const { importSupplier, externalAccountNumber, importJobId, waveId } = wanted;
  for (;;) {
    const made = await em
      .getKysely<WithdrawalTables>()
      .insertInto('withdrawal')
      .values({
        id: wanted.id,
        import_supplier: importSupplier,
        external_account_number: externalAccountNumber,
        import_job_id: importJobId,
        wave_id: waveId,
        attaching_jobs: [...wanted.attachingJobs],
        organisation: wanted.organisation,
        requested_by: actor.keyName,
        is_by_operator: wanted.isByOperator,
        reason: wanted.reason,
        withdraws_businesses: wanted.withdrawsBusinesses,
      } as never)
      .onConflict((conflict) => conflict.doNothing())
      .returning('id')
      .executeTakeFirst();
    if (made !== undefined) {
      await enqueueWork(em, [withdrawalWorkItem(wanted)]);
      await recordAudit(em, actor, {
        action: 'withdrawal.started',
        subject: subjectOf(wanted),
        after: { withdrawal_id: wanted.id, withdraw_businesses: wanted.withdrawsBusinesses },
        reason: wanted.reason,
      });
      return { id: wanted.id, isNew: true };
    }
    const running = await em.findOne(Withdrawal, {
      importSupplier,
      externalAccountNumber,
      importJobId,
      waveId,
      status: 'RUNNING',
    });
    if (running !== null) return { id: running.id, isNew: false };
  }
}

/** The work item of a withdrawal, which exists until the withdrawal has ended. */
export function withdrawalWorkItem({ id, importSupplier }: Pick<Withdrawal, 'id' | 'importSupplier'>): WorkItem {
  return { workflowId: workflowIds.withdraw(id), kind: 'withdraw', input: { withdrawalId: id, importSupplier } };
}

/** Actor of the audit entry at the end of a withdrawal. */
const ACTOR = { keyName: 'withdrawal' };

/** Ends a running withdrawal, and records its counts in the audit. */
export async function endWithdrawal(
  em: EntityManager,
  id: string,
  status: Exclude<WithdrawalStatus, 'RUNNING'>,
): Promise<void> {
  const running = await em.findOne(Withdrawal, { id, status: 'RUNNING' }, { lockMode: LockMode.PESSIMISTIC_WRITE });
  if (running !== null) {
    await em.nativeUpdate(Withdrawal, { id }, { status, endedAt: raw('now()') });
    const { withdrawn, kept, deletedRows, waveId } = running;
    if (waveId) await endWaveWithdrawal(em, waveId, status === 'COMPLETED' && kept === 0);
    await recordAudit(em, ACTOR, {
      action: 'withdrawal.ended',
      subject: subjectOf(running as WithdrawnScope),
      after: { withdrawal_id: id, status, withdrawn, kept, deleted_rows: deletedRows },
    });
  }
  await completeWork(em, [workflowIds.withdraw(id)]);
}

/** Lists withdrawals that have not ended, after the id `after`. */
export function findUnfinishedWithdrawals(on: Queryable, after: string, limit: number): Promise<UnfinishedState[]> {
  const workflowIdPrefix = workflowIds.withdraw('');
  const withdrawals = { table: 'withdrawal', since: 'created_at', statuses: ['RUNNING'], workflowIdPrefix } as const;
  return findUnfinishedOf(on, { ...withdrawals, workOf: withdrawalWorkItem }, after, limit);
}

/** Most accounts shown for an obstacle. */
export const EXAMPLES_MAX = 20;

/** The first accounts that an obstacle kept. */
export async function findExamples(
  on: Queryable,
  withdrawalId: string,
  code: WithdrawalObstacle,
  limit = EXAMPLES_MAX,
): Promise<string[]> {
  const rows = await kyselyOf<WithdrawalTables>(on)
    .selectFrom('withdrawal_obstacle')
    .select('external_account_number as external')
    .where('withdrawal_id', '=', withdrawalId)
    .where(sql<boolean>`${code} = any(codes)`)
    .orderBy('external_account_number')
    .limit(limit)
    .execute();
  return rows.map(({ external }) => external);
}

/** Lines per statement. */
const PAGE_SIZE = 5_000;

/** Reads the accounts that a withdrawal kept as JSON lines, in the order of their external numbers. */
export function readKeptAccounts(on: Queryable, withdrawalId: string): AsyncGenerator<string> {
  return linesOf((after) =>
    kyselyOf<WithdrawalTables>(on)
      .selectFrom('withdrawal_obstacle')
      .select(['external_account_number', 'external_account_number as key', 'codes as obstacles'])
      .where('withdrawal_id', '=', withdrawalId)
      .where('external_account_number', '>', after)
      .orderBy('external_account_number')
      .limit(PAGE_SIZE)
      .execute(),
  );
}

/** Reads the businesses whose contracts withdrawn accounts had as JSON lines, in the order of their identifiers. */
export function readBusinessesOf(on: Queryable, withdrawalId: string): AsyncGenerator<string> {
  return linesOf((after) =>
    kyselyOf<WithdrawalTables>(on)
      .selectFrom('withdrawal_business')
      .select(['external_business_identifier', 'external_business_identifier as key', 'service_business_id', 'outcome'])
      .where('withdrawal_id', '=', withdrawalId)
      .where('external_business_identifier', '>', after)
      .orderBy('external_business_identifier')
      .limit(PAGE_SIZE)
      .execute(),
  );
}

/** @param read reads the rows after a key */
async function* linesOf(read: (after: string) => Promise<{ key: string }[]>): AsyncGenerator<string> {
  for await (const rows of keysetPages('', PAGE_SIZE, ({ key }) => key, read)) {
    for (const { key: _key, ...line } of rows) yield `${JSON.stringify(line)}\n`;
  }
}
