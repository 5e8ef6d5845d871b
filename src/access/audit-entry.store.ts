import { isDeepStrictEqual } from 'node:util';
import type { EntityManager, FilterQuery } from '@mikro-orm/postgresql';
import { v7 as uuidv7 } from 'uuid';
import { run, type Queryable, type PreparedQuery } from '../platform/database/prepared-query.ts';
import { AuditEntry } from './audit-entry.entity.ts';

/** Who changed something: the caller of a request, or `{ keyName }` alone for the command line. */
export interface Actor {
  keyId?: string;
  organisation?: string;
  keyName: string;
}

/** A change; views as the operator interface shows them, without secrets. */
export interface AuditedChange {
  /** `<noun>.<verb in the past>`. */
  action: string;
  /** Path below `/v1/operations/` of what was changed. */
  subject: string;
  before?: object | undefined;
  after?: object | undefined;
  reason?: string | undefined;
}

/** An audit row as operators see it. */
export interface AuditEntryView {
  id: string;
  at: string;
  actor: { key_id: string | null; name: string };
  action: string;
  subject: string;
  before: unknown;
  after: unknown;
  reason: string | null;
}

/** Writes down a change with the transaction that makes it. What changed nothing is not written. */
export function recordAudit(em: EntityManager, actor: Actor, change: AuditedChange): void {
  if (!isDeepStrictEqual(change.before, change.after)) persistEntry(em, actor, change);
}

/** Writes down that an operator read personal data: who, when, whose. Holds none of the data. */
export function recordRead(em: EntityManager, actor: Actor, read: { action: string; subject: string }): void {
  persistEntry(em, actor, read);
}

function persistEntry(em: EntityManager, actor: Actor, change: AuditedChange): void {
  em.persist(
    em.create(AuditEntry, {
      id: uuidv7(),
      actorKeyId: actor.keyId ?? null,
      actorName: nameOf(actor),
      action: change.action,
      subject: change.subject,
      before: (change.before as Record<string, unknown> | undefined) ?? null,
      after: (change.after as Record<string, unknown> | undefined) ?? null,
      reason: change.reason || null,
    }),
  );
}

const INSERT: PreparedQuery = {
  name: 'audit-insert',
  text: 'insert into audit_entry (id, actor_key_id, actor_name, action, subject, before, after, reason) values ($1, $2, $3, $4, $5, $6, $7, $8)',
};

/** Writes down a change in a transaction of prepared statements; like `recordAudit`, but it is written even if nothing changed. */
export async function insertAudit(on: Queryable, actor: Actor, change: AuditedChange): Promise<void> {
  const json = (value: object | undefined) => (value === undefined ? null : JSON.stringify(value));
  await run(on, INSERT, [
    uuidv7(),
    actor.keyId ?? null,
    nameOf(actor),
    change.action,
    change.subject,
    json(change.before),
    json(change.after),
    change.reason || null,
  ]);
}

function nameOf(actor: Actor): string {
  return actor.organisation === undefined ? actor.keyName : `${actor.organisation} / ${actor.keyName}`;
}

/** The newest changes first. */
export async function findAuditEntries(
  em: EntityManager,
  wanted: { limit: number; subject?: string; action?: string },
): Promise<AuditEntryView[]> {
  const where: FilterQuery<AuditEntry> = {
    ...(wanted.subject === undefined ? {} : { subject: wanted.subject }),
    ...(wanted.action === undefined ? {} : { action: wanted.action }),
  };
  const entries = await em.find(AuditEntry, where, { orderBy: { at: 'desc', id: 'desc' }, limit: wanted.limit });
  return entries.map((entry) => ({
    id: entry.id,
    at: entry.at.toISOString(),
    actor: { key_id: entry.actorKeyId ?? null, name: entry.actorName },
    action: entry.action,
    subject: entry.subject,
    before: entry.before ?? null,
    after: entry.after ?? null,
    reason: entry.reason ?? null,
  }));
}
