import { defineEntity } from '@mikro-orm/core';
import type { InferKyselyDB } from '@mikro-orm/postgresql';
import type { DifferenceKind, DifferenceReason, DifferenceSubject } from '../vocabulary/reconciliation.ts';

const p = defineEntity.properties;

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

/** The table as Kysely knows it. */
export type ReconciliationDifferenceTable = InferKyselyDB<typeof ReconciliationDifferenceSchema>;
