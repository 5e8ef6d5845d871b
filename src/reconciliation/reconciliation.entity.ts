import { defineEntity, p, type InferEntity } from '@mikro-orm/core';
import type { InferKyselyDB } from '@mikro-orm/postgresql';
import type { AccountTable } from '../accounts/account.entity.ts';
import type { ImportProcessTable } from '../account-import/import-process.entity.ts';
import type { BusinessTable } from '../businesses/business.entity.ts';
import type { ImportJobColumns } from '../import-jobs/import-job.entity.ts';
import type { CitedManifest } from './cited-manifests.rules.ts';
import type { Tally } from './tally.rules.ts';
import type {
  DifferenceKind,
  DifferenceReason,
  DifferenceSubject,
  ReconciledSubject,
  ReconciliationStatus,
} from '../vocabulary/reconciliation.ts';

/** One comparison of stored with accepted data. */
export const Reconciliation = defineEntity({
  name: 'Reconciliation',
  tableName: 'reconciliation',
  properties: {
    id: p.uuid().primary(),
    importSupplier: p.text(),
    importJobId: p.uuid().nullable(),
    organisation: p.text().nullable(),
    status: p.text().$type<ReconciliationStatus>().default('RUNNING'),
    /** The subject and position that are compared next. */
    subject: p.text().$type<ReconciledSubject>().default('account'),
    position: p.text().default(''),
    tally: p.json<Tally>(),
    /** Number of listed differences; beyond a limit differences are only counted. */
    listed: p.integer().default(0),
    /** The manifests that the certificate cites, as they were at the end. */
    manifests: p.json<CitedManifest[]>().nullable(),
    /** The version of gangway that completed it. */
    version: p.text().nullable(),
    createdAt: p.datetime().defaultRaw('now()'),
    endedAt: p.datetime().nullable(),
  },
});
export type Reconciliation = InferEntity<typeof Reconciliation>;

export type ReconciliationTable = InferKyselyDB<typeof Reconciliation>;

/** A difference of a reconciliation. */
export const ReconciliationDifference = defineEntity({
  name: 'ReconciliationDifference',
  tableName: 'reconciliation_difference',
  properties: {
    reconciliationId: p.uuid().primary(),
    number: p.integer().primary(),
    subject: p.text().$type<DifferenceSubject>(),
    key: p.text(),
    path: p.text(),
    kind: p.text().$type<DifferenceKind>(),
    tableName: p.text(),
    columnName: p.text().nullable(),
    reason: p.text().$type<DifferenceReason>().nullable(),
    vendorAnswer: p.text().nullable(),
  },
});

export type ReconciliationDifferenceTable = InferKyselyDB<typeof ReconciliationDifference>;

/** Tables of other capabilities that a reconciliation reads. */
export type ReconciledTables = AccountTable & BusinessTable & ImportJobColumns & ImportProcessTable;
