import { defineEntity, p, type InferEntity } from '@mikro-orm/core';
import type { InferKyselyDB } from '@mikro-orm/postgresql';
import type { Account, WithdrawnAccount } from '../accounts/account.entity.ts';
import type { ImportProcess } from '../account-import/import-process.entity.ts';
import type { BusinessContract, Business } from '../businesses/business.entity.ts';
import { KEPT, PERSONAL } from '../platform/database/personal-columns.ts';
import type { BusinessOutcome, WithdrawalStatus } from '../vocabulary/withdrawals.ts';

/** A withdrawal of one account, or of the accounts of an import job or a wave. */
export const Withdrawal = defineEntity({
  name: 'Withdrawal',
  tableName: 'withdrawal',
  properties: {
    id: p.uuid().primary().comment(KEPT),
    importSupplier: p.text().comment(KEPT),
    /** Set for the withdrawal of one account. */
    externalAccountNumber: p.text().nullable().comment(KEPT),
    importJobId: p.uuid().nullable().comment(KEPT),
    waveId: p.uuid().nullable().comment(KEPT),
    /** Jobs whose attachments are withdrawn with the accounts. */
    attachingJobs: p.array().columnType('uuid[]').default([]).comment(KEPT),
    /** The organization of the job; null for one account. */
    organisation: p.text().nullable().comment(KEPT),
    requestedBy: p.text().comment(KEPT),
    /** Suppliers do not see the names of operators. */
    isByOperator: p.boolean().comment(KEPT),
    reason: p.text().comment(PERSONAL),
    status: p.text().$type<WithdrawalStatus>().default('RUNNING').comment(KEPT),
    /** The account or line of the job up to which accounts are withdrawn. */
    position: p.text().default('').comment(KEPT),
    withdrawn: p.integer().default(0).comment(KEPT),
    kept: p.integer().default(0).comment(KEPT),
    /** Kept accounts by obstacle; an account may have several. */
    obstacles: p.json<Record<string, number>>().defaultRaw(`'{}'::jsonb`).comment(KEPT),
    /** Deleted rows by table. */
    deletedRows: p.json<Record<string, number>>().defaultRaw(`'{}'::jsonb`).comment(KEPT),
    withdrawsBusinesses: p.boolean().default(false).comment(KEPT),
    /** Supply points of withdrawn accounts that are not yet released or deleted. */
    freedPoints: p.array().columnType('uuid[]').default([]).comment(KEPT),
    createdAt: p.datetime().defaultRaw('now()').comment(KEPT),
    endedAt: p.datetime().nullable().comment(KEPT),
  },
});
export type Withdrawal = InferEntity<typeof Withdrawal>;

/** An account that a withdrawal did not withdraw, with the reasons. */
export const KeptAccount = defineEntity({
  name: 'KeptAccount',
  tableName: 'withdrawal_obstacle',
  properties: { withdrawalId: p.uuid().primary(), externalAccountNumber: p.text().primary(), codes: p.array() },
});

/** A business whose contracts withdrawn accounts had, and what became of it. */
export const BusinessOfWithdrawal = defineEntity({
  name: 'BusinessOfWithdrawal',
  tableName: 'withdrawal_business',
  properties: {
    withdrawalId: p.uuid().primary(),
    externalBusinessIdentifier: p.text().primary(),
    businessId: p.uuid(),
    serviceBusinessId: p.integer(),
    outcome: p.text().$type<BusinessOutcome>().nullable(),
  },
});

export type WithdrawalTables = InferKyselyDB<
  typeof Withdrawal | typeof KeptAccount | typeof BusinessOfWithdrawal | typeof WithdrawnAccount
>;
/** The tables from which a withdrawal deletes. */
export type WithdrawnTables = InferKyselyDB<
  typeof Account | typeof ImportProcess | typeof Business | typeof BusinessContract
>;
