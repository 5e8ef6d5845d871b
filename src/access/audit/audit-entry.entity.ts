import { defineEntity, p } from '@mikro-orm/core';
import type { InferKyselyDB } from '@mikro-orm/postgresql';
import { KEPT, PERSONAL } from '../../platform/database/personal-columns.ts';

/** One change by an operator: actor, time, action, states before and after, and reason. Written in the transaction of the change. */
export const AuditEntry = defineEntity({
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
    xid: p.text().columnType('xid8').defaultRaw('pg_current_xact_id()').comment(KEPT),
    salt: p.uuid().nullable().defaultRaw('gen_random_uuid()').comment(PERSONAL),
  },
});

export type AuditEntryTable = InferKyselyDB<typeof AuditEntry>;
