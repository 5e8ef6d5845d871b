import { defineEntity } from '@mikro-orm/core';
import type { InferKyselyDB } from '@mikro-orm/postgresql';

const p = defineEntity.properties;

const AuditEntrySchema = defineEntity({
  name: 'AuditEntry',
  tableName: 'audit_entry',
  properties: {
    id: p.uuid().primary(),
    at: p.datetime().defaultRaw('now()'),
    actorKeyId: p.uuid().nullable(),
    actorName: p.text(),
    action: p.text(),
    subject: p.text(),
    before: p.json<Record<string, unknown>>().nullable(),
    after: p.json<Record<string, unknown>>().nullable(),
    reason: p.text().nullable(),
  },
});

/** One change by an operator: who, when, what, before, after and why. Written in the transaction of the change. */
export class AuditEntry extends AuditEntrySchema.class {}
AuditEntrySchema.setClass(AuditEntry);

/** The table as Kysely knows it. */
export type AuditEntryTable = InferKyselyDB<typeof AuditEntrySchema>;
