import { defineEntity } from '@mikro-orm/core';

const p = defineEntity.properties;

const AuditEntrySchema = defineEntity({
  name: 'AuditEntry',
  tableName: 'audit_entry',
  properties: {
    id: p.uuid().name('id').primary(),
    at: p.datetime().name('at').defaultRaw('now()'),
    actorKeyId: p.uuid().name('actor_key_id').nullable(),
    actorName: p.text().name('actor_name'),
    action: p.text().name('action'),
    subject: p.text().name('subject'),
    before: p.json<Record<string, unknown>>().name('before').nullable(),
    after: p.json<Record<string, unknown>>().name('after').nullable(),
    reason: p.text().name('reason').nullable(),
  },
});

/** One change by an operator: who, when, what, before, after and why. Written in the transaction of the change. */
export class AuditEntry extends AuditEntrySchema.class {}
AuditEntrySchema.setClass(AuditEntry);
