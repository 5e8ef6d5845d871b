import type { EntityManager } from '@mikro-orm/postgresql';
import type { WritableDatabase } from '../platform/database/database.ts';
import { run, type PreparedQuery } from '../platform/database/prepared-query.ts';
import type { CertificateKeys } from '../reconciliation/index.ts';
import { digestOf, hashOfBlock, type HashedEntry } from './audit-block.rules.ts';
import { HASHED_ENTRY, timestampSql } from './hashed-entry.store.ts';

/** Most entries of a block. */
const BLOCK_ENTRIES_MAX = 1_000;

/** Identifies the table that transaction numbers belong to: a restored dump creates it anew, in another cluster. */
const ORIGIN = `(select system_identifier from pg_control_system()) || '/' || 'audit_entry'::regclass::oid`;

/** Entries that the chain `c` has not sealed. A transaction number in the future is forged; its entry is found by a verification. */
export const isUnsealedSql = `e.xid >= pg_snapshot_xmin(c.snapshot) and not pg_visible_in_snapshot(e.xid, c.snapshot) and e.xid < pg_snapshot_xmax(pg_current_snapshot())`;

/** Without a lock, because there is nothing to do in the usual case. */
const IS_DUE: PreparedQuery = {
  name: 'audit-chain-is-due',
  text: `select c.pending is not null or c.origin <> ${ORIGIN} or exists (select from audit_entry e where ${isUnsealedSql}) as "isDue" from audit_chain c`,
};

const LOCK: PreparedQuery = {
  name: 'audit-chain-lock',
  text: `select number, hash, pending is not null as "isPending", origin <> ${ORIGIN} as "isRestored", origin = '' as "isNew" from audit_chain for update skip locked`,
};

interface ChainEnd extends Record<string, unknown> {
  number: string;
  hash: Buffer;
  isPending: boolean;
  isRestored: boolean;
  isNew: boolean;
}

/** The time of a block: never before that of the previous one, nor on an anchored day, even if the clock was set back. */
const BLOCK_TIME = `greatest(clock_timestamp(), c.sealed_at, (select (max(day) + 1)::timestamp at time zone 'UTC' from audit_anchor))`;

/** The next entries of a block, with its time. Always returns a row, for the snapshot. @param entries a query of entries `e`, in order */
const nextSql = (entries: string) => `
    select pg_current_snapshot()::text as target, ${timestampSql('t.now')} as now, (t.now at time zone 'UTC')::date::text as day, e.xid::text as xid, ${HASHED_ENTRY}
    from audit_chain c cross join lateral (select ${BLOCK_TIME} as now) t left join lateral (
      ${entries} limit ${BLOCK_ENTRIES_MAX}) e on true`;

/**
 * Entries visible in the statement's snapshot, or in the pending one, and not in the last one: those that were committed since then, in the
 * order of their transactions.
 */
const NEXT: PreparedQuery = {
  name: 'audit-chain-next',
  text: nextSql(`
      select * from audit_entry e
      where ${isUnsealedSql} and e.xid >= coalesce(c.pending_xid, '0')
        and (c.pending_xid is null or (e.xid, e.id) > (c.pending_xid, c.pending_id))
        and (c.pending is null or pg_visible_in_snapshot(e.xid, c.pending))
      order by e.xid, e.id`),
};

/** After a dump was restored: recent entries without a block. Transaction numbers before and after it cannot be compared. */
const NEXT_RESTORED: PreparedQuery = {
  name: 'audit-chain-next-restored',
  text: nextSql(`
      select * from audit_entry e
      where e.at > coalesce(c.sealed_at, '-infinity') - interval '1 hour'
        and not exists (select from audit_block b where b.sealed_at > c.sealed_at - interval '2 hours' and e.id = any (b.ids))
      order by e.at, e.id`),
};

const INSERT: PreparedQuery = {
  name: 'audit-chain-insert',
  text: `
    insert into audit_block (number, day, sealed_at, previous, entries, ids, first_id, last_id, digests, hash, key_id, signature)
    values ($1, $2::date, $3::timestamptz, $4, cardinality($5::uuid[]), $5::uuid[], ($5::uuid[])[1], ($5::uuid[])[cardinality($5::uuid[])], $6, $7, $8, $9)`,
};

const APPEND: PreparedQuery = {
  name: 'audit-chain-append',
  text: 'update audit_chain set number = $1, hash = $2, entries = entries + $3, sealed_at = $4::timestamptz',
};

/** A full block leaves further entries of the snapshot, which becomes pending. */
const CONTINUE: PreparedQuery = {
  name: 'audit-chain-continue',
  text: 'update audit_chain set pending = coalesce(pending, $1::pg_snapshot), pending_xid = $2::xid8, pending_id = $3::uuid',
};

const COMPLETE: PreparedQuery = {
  name: 'audit-chain-complete',
  text: `update audit_chain set snapshot = coalesce(pending, $1::pg_snapshot), pending = null, pending_xid = null, pending_id = null, origin = ${ORIGIN}`,
};

type NextRow = HashedEntry & { target: string; now: string; day: string; xid: string | null } & Record<string, unknown>;

/**
 * Chains entries that were committed since the last block, one process at a time, in a transaction for each block.
 * @param keys sign blocks; undefined: they are not signed
 * @returns the number of sealed entries
 */
export async function sealAudit(database: WritableDatabase, keys: CertificateKeys | undefined): Promise<number> {
  const [state] = await run<{ isDue: boolean }>(database, IS_DUE, []);
  if (!state?.isDue) return 0;
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
  const [end] = await run<ChainEnd>(em, LOCK, []);
  if (end === undefined) return { entries: 0, isLast: true };
  const isRestored = end.isRestored && !end.isNew;
  const rows = await run<NextRow>(em, isRestored ? NEXT_RESTORED : NEXT, []);
  const entries = rows.filter(({ id }) => id !== null);
  const { target } = rows[0]!;
  if (entries.length > 0) await appendBlock(em, end, entries, keys);
  const isFull = entries.length === BLOCK_ENTRIES_MAX;
  // The query for a restored chain finds its position by the blocks.
  if (isFull && !isRestored) await run(em, CONTINUE, [target, entries.at(-1)!.xid, entries.at(-1)!.id]);
  if (!isFull) await run(em, COMPLETE, [target]);
  return { entries: entries.length, isLast: !isFull && !end.isPending };
}

async function appendBlock(
  em: EntityManager,
  end: ChainEnd,
  rows: readonly NextRow[],
  keys: CertificateKeys | undefined,
): Promise<void> {
  const { now, day } = rows[0]!;
  const entries = rows.toSorted((one, other) => (one.id < other.id ? -1 : 1));
  const number = String(BigInt(end.number) + 1n);
  const ids = entries.map(({ id }) => id);
  const digests = Buffer.concat(entries.map(digestOf));
  const hash = hashOfBlock(end.hash, { number, day, sealedAt: now, ids, digests });
  const { keyId, signature } = keys?.signBytes(hash) ?? { keyId: null, signature: null };
  await run(em, INSERT, [number, day, now, end.hash, ids, digests, hash, keyId, signature]);
  await run(em, APPEND, [number, hash, entries.length, now]);
}
