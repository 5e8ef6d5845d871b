import type { EntityManager } from '@mikro-orm/postgresql';
import { sql } from 'kysely';
import type { WritableDatabase } from '../platform/database/database.ts';
import { kyselyOf } from '../platform/database/prepared-query.ts';
import type { CertificateKeys } from '../reconciliation/index.ts';
import { digestOf, hashOfBlock, type HashedEntry } from './audit-block.rules.ts';
import type { AuditChainTables } from './audit-chain.entity.ts';
import { HASHED_ENTRY, timestampOf } from './hashed-entry.store.ts';

/** Most entries of a block. */
const BLOCK_ENTRIES_MAX = 1_000;

/** Identifies the table that transaction numbers belong to: a restored dump creates it anew, in another cluster. */
const ORIGIN = sql<string>`(select system_identifier from pg_control_system()) || '/' || 'audit_entry'::regclass::oid`;

/** Entries `e` that the chain `c` has not sealed. A transaction number in the future is forged; its entry is found by a verification. */
export const IS_UNSEALED = sql<boolean>`(e.xid >= pg_snapshot_xmin(c.snapshot) and not pg_visible_in_snapshot(e.xid, c.snapshot)
  and e.xid < pg_snapshot_xmax(pg_current_snapshot()))`;

/** The time of a block: never before that of the previous one, nor on an anchored day, even if the clock was set back. */
const BLOCK_TIME = timestampOf(
  sql`greatest(clock_timestamp(), sealed_at, (select (max(day) + 1)::timestamp at time zone 'UTC' from audit_anchor))`,
);

/** After a dump was restored: recent entries without a block. Transaction numbers before and after it cannot be compared. */
const IS_RECENT = sql<boolean>`e.at > coalesce(c.sealed_at, '-infinity') - interval '1 hour'
  and not exists (select from audit_block b where b.sealed_at > c.sealed_at - interval '2 hours' and e.id = any (b.ids))`;

/**
 * Entries visible in the statement's snapshot, or in the pending one, and not in the last one: those that were committed since then, in the
 * order of their transactions.
 */
const IS_NEXT = sql<boolean>`${IS_UNSEALED} and e.xid >= coalesce(c.pending_xid, '0')
  and (c.pending_xid is null or (e.xid, e.id) > (c.pending_xid, c.pending_id))
  and (c.pending is null or pg_visible_in_snapshot(e.xid, c.pending))`;

/** Reads the next entries of a block. Always returns a row, for the snapshot. */
async function findNext(em: EntityManager, isRestored: boolean) {
  const rows = await kyselyOf<AuditChainTables>(em)
    .selectFrom('audit_chain as c')
    .leftJoinLateral(
      ({ selectFrom }) =>
        selectFrom('audit_entry as e')
          .selectAll()
          .where(isRestored ? IS_RECENT : IS_NEXT)
          .orderBy(isRestored ? 'e.at' : 'e.xid')
          .orderBy('e.id')
          .limit(BLOCK_ENTRIES_MAX)
          .as('e'),
      (on) => on.onTrue(),
    )
    .select([...HASHED_ENTRY, 'e.xid', sql<string>`pg_current_snapshot()::text`.as('target')])
    .execute();
  return { target: rows[0]!.target, entries: rows.filter((row): row is typeof row & HashedEntry => row.id !== null) };
}

/**
 * Chains entries that were committed since the last block, one process at a time, in a transaction for each block.
 * @param keys sign blocks; undefined: they are not signed
 * @returns the number of sealed entries
 */
export async function sealAudit(database: WritableDatabase, keys: CertificateKeys | undefined): Promise<number> {
  // Without a lock, because there is nothing to do in the usual case.
  const due = await kyselyOf<AuditChainTables>(database)
    .selectFrom('audit_chain as c')
    .select('c.number')
    .where(({ eb, exists, or, selectFrom }) =>
      or([
        eb('c.pending', 'is not', null),
        eb('c.origin', '!=', ORIGIN),
        exists(selectFrom('audit_entry as e').select('e.id').where(IS_UNSEALED)),
      ]),
    )
    .executeTakeFirst();
  if (due === undefined) return 0;
  for (let sealed = 0; ;) {
    const { entries, isLast } = await database.transaction((em) => sealBlock(em, keys));
    sealed += entries;
    if (isLast) return sealed;
  }
}

async function sealBlock(
  em: EntityManager,
  keys: CertificateKeys | undefined,
): Promise<{ entries: number; isLast: boolean }> {
  const tables = kyselyOf<AuditChainTables>(em);
  const end = await tables
    .selectFrom('audit_chain')
    .select(['number', 'hash', 'pending', 'origin', ORIGIN.as('current')])
    .forUpdate()
    .skipLocked()
    .executeTakeFirst();
  if (end === undefined) return { entries: 0, isLast: true };
  const isRestored = end.origin !== end.current && end.origin !== '';
  const { target, entries } = await findNext(em, isRestored);
  const appended = entries.length === 0 ? {} : await appendBlock(em, end, entries, keys);
  const isFull = entries.length === BLOCK_ENTRIES_MAX;
  const snapshot = sql<string>`coalesce(pending, ${target}::pg_snapshot)`;
  const last = entries.at(-1);
  // A full block leaves further entries of the snapshot, which becomes pending. The query for a restored chain finds its position by the blocks.
  const position = isRestored ? {} : { pending: snapshot, pending_xid: last?.xid, pending_id: last?.id };
  const completed = { snapshot, pending: null, pending_xid: null, pending_id: null, origin: ORIGIN };
  const state = { ...appended, ...(isFull ? position : completed) };
  await tables.updateTable('audit_chain').set(state).execute();
  return { entries: entries.length, isLast: !isFull && end.pending === null };
}

/** Stores a block. @returns the end of the chain */
async function appendBlock(
  em: EntityManager,
  end: { number: string; hash: Buffer },
  found: readonly HashedEntry[],
  keys: CertificateKeys | undefined,
) {
  const tables = kyselyOf<AuditChainTables>(em);
  const { sealedAt } = await tables
    .selectFrom('audit_chain')
    .select(BLOCK_TIME.as('sealedAt'))
    .executeTakeFirstOrThrow();
  const entries = found.toSorted((one, other) => (one.id < other.id ? -1 : 1));
  const [number, day] = [String(BigInt(end.number) + 1n), sealedAt.slice(0, 'YYYY-MM-DD'.length)];
  const ids = entries.map(({ id }) => id);
  const digests = Buffer.concat(entries.map(digestOf));
  const hash = hashOfBlock(end.hash, { number, day, sealedAt, ids, digests });
  const { keyId, signature } = keys?.signBytes(hash) ?? { keyId: null, signature: null };
  const sealed_at = sql<Date>`${sealedAt}::timestamptz`;
  const block = { number, day, sealed_at, previous: end.hash, entries: ids.length, ids, digests, hash, signature };
  const names = { first_id: ids[0]!, last_id: ids.at(-1)!, key_id: keyId };
  await tables
    .insertInto('audit_block')
    .values({ ...block, ...names })
    .execute();
  return { number, hash, entries: sql<string>`entries + ${ids.length}`, sealed_at };
}
