import { defineEntity } from '@mikro-orm/core';
import type { InferKyselyDB } from '@mikro-orm/postgresql';
import { KEPT, PERSONAL } from '../../platform/database/personal-columns.ts';

const p = defineEntity.properties;

const AuditEntrySchema = defineEntity({
  name: 'AuditEntry',
  tableName: 'audit_entry',
  properties: {
    id: p.uuid().primary().comment(KEPT),
    at: p.datetime().defaultRaw('now()').comment(KEPT),
    actorKeyId: p.uuid().nullable().comment(KEPT),
    actorName: p.text().comment(KEPT),
    action: p.text().comment(KEPT),
    subject: p.text().comment(KEPT),
    before: p.json<Record<string, unknown>>().nullable().comment(PERSONAL),
    after: p.json<Record<string, unknown>>().nullable().comment(PERSONAL),
    reason: p.text().nullable().comment(PERSONAL),
  },
});

/** One change by an operator: actor, time, action, states before and after, and reason. Written in the transaction of the change. */
export class AuditEntry extends AuditEntrySchema.class {}
AuditEntrySchema.setClass(AuditEntry);

export type AuditEntryTable = InferKyselyDB<typeof AuditEntrySchema>;
