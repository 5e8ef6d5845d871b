import { defineEntity } from '@mikro-orm/core';
import type { ReconciledSubject, ReconciliationStatus } from '../vocabulary/reconciliation.ts';
import type { Tally } from './tally.rules.ts';

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
    /** What is compared next. */
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

/** One comparison of what stands with what was accepted. */
export class Reconciliation extends ReconciliationSchema.class {}
ReconciliationSchema.setClass(Reconciliation);
