import { isDeepStrictEqual } from 'node:util';
import { v7 as uuidv7 } from 'uuid';
import { kyselyOf, type Queryable } from '../../platform/database/prepared-query.ts';
import type { Actor } from '../../platform/http/route.ts';
import type { AuditEntryTable } from './audit-entry.entity.ts';

/** A change. `before` and `after` are views of the operator API, without secrets. */
export interface AuditedChange {
  /** `<noun>.<past participle>`. */
  action: string;
  /** Path of the changed resource below `/v1/operations/`. */
  subject: string;
  before?: object | undefined;
  after?: object | undefined;
  reason?: string | undefined;
}

/**
 * Writes an audit entry in the transaction of the change. Skips changes of a bulk action, which has one entry, and a change without effect, but writes entries without `before` and `after`,
 * for example when an operator read personal data.
 * @param on the entity manager of the change, or the database if the entry is the only write
 */
export async function recordAudit(on: Queryable, actor: Actor, change: AuditedChange): Promise<void> {
  if (actor.bulkActionId !== undefined) return;
  const { action, subject, reason } = change;
  const { before = null, after = null } = change as { [Name in 'before' | 'after']?: Record<string, unknown> };
  if (before !== null && isDeepStrictEqual(before, after)) return;
  const row = { id: uuidv7(), actor_key_id: actor.keyId ?? null, actor_name: nameOfActor(actor), action, subject };
  await kyselyOf<AuditEntryTable>(on)
    .insertInto('audit_entry')
    .values({ ...row, before, after, reason: reason || null })
    .execute();
}

/** Name of an actor, as in the audit. */
export function nameOfActor({ organisation, keyName }: Actor): string {
  return organisation === undefined ? keyName : `${organisation} / ${keyName}`;
}
