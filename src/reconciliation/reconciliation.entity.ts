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
    /** The subject and position that are compared next. */
    subject: p.text().$type<ReconciledSubject>(),
    position: p.text(),
    tally: p.json<Tally>(),
    /** Number of listed differences; beyond a limit differences are only counted. */
    listed: p.integer(),
    /** The version of gangway that completed it. */
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

/** A difference of a reconciliation. */
export class ReconciliationDifference extends ReconciliationDifferenceSchema.class {}
ReconciliationDifferenceSchema.setClass(ReconciliationDifference);

export type ReconciliationDifferenceTable = InferKyselyDB<typeof ReconciliationDifferenceSchema>;

const FieldHashLayoutSchema = defineEntity({
  name: 'FieldHashLayout',
  tableName: 'field_hash_layout',
  properties: { id: p.integer().primary(), layout: p.text() },
});

/** The lists and fields, in the order of the stored hashes of payloads. One row for each version of the form. */
export class FieldHashLayout extends FieldHashLayoutSchema.class {}
FieldHashLayoutSchema.setClass(FieldHashLayout);
