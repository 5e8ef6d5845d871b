import { defineEntity } from '@mikro-orm/core';
import type { InferKyselyDB } from '@mikro-orm/postgresql';
import type { Tally } from './tally.rules.ts';
import type {
  DifferenceKind,
  DifferenceReason,
  DifferenceSubject,
  ReconciledSubject,
  ReconciliationStatus,
} from '../vocabulary/reconciliation.ts';

const p = defineEntity.properties;

const ReconciliationSchema = defineEntity({
  name: 'Reconciliation',
  tableName: 'reconciliation',
  properties: {
    id: p.uuid().primary(),
    importSupplier: p.text(),
    importJobId: p.uuid().nullable(),
    organisation: p.text().nullable(),
    status: p.text().$type<ReconciliationStatus>(),
    /** Compared next. */
    subject: p.text().$type<ReconciledSubject>(),
    position: p.text(),
    tally: p.json<Tally>(),
    /** Differences that are listed; beyond a number they are only counted. */
    listed: p.integer(),
    /** Of gangway, that compared. */
    version: p.text().nullable(),
    createdAt: p.datetime(),
    endedAt: p.datetime().nullable(),
  },
});

/** One comparison of stored with accepted data. */
export class Reconciliation extends ReconciliationSchema.class {}
ReconciliationSchema.setClass(Reconciliation);

const ReconciliationDifferenceSchema = defineEntity({
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

/** One place that differs. */
export class ReconciliationDifference extends ReconciliationDifferenceSchema.class {}
ReconciliationDifferenceSchema.setClass(ReconciliationDifference);

export type ReconciliationDifferenceTable = InferKyselyDB<typeof ReconciliationDifferenceSchema>;

const FieldHashLayoutSchema = defineEntity({
  name: 'FieldHashLayout',
  tableName: 'field_hash_layout',
  properties: { id: p.integer().primary(), layout: p.text() },
});

/** The lists and fields, in whose order hashes of payloads are kept; one for each form that payloads have had. */
export class FieldHashLayout extends FieldHashLayoutSchema.class {}
FieldHashLayoutSchema.setClass(FieldHashLayout);
