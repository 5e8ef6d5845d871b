import type { EntityManager } from '@mikro-orm/postgresql';
import { writeEvents } from '../events/index.ts';
import { dayAfter } from '../platform/clock.ts';
import type { WritableDatabase } from '../platform/database/database.ts';
import { run, type PreparedQuery, type Queryable } from '../platform/database/prepared-query.ts';
import type { CertificateKeys } from '../reconciliation/index.ts';
import { ANCHOR_TYP, documentOf, type StoredAnchor } from './anchor.rules.ts';
import { FIRST_HASH } from './audit-block.rules.ts';

const LAST_DAY = `(select max(day) from audit_anchor)`;
/** The day before the first block, if there is no anchor yet. */
const BEFORE_FIRST = `(select day - 1 from audit_block order by number limit 1)`;

const IS_DUE: PreparedQuery = {
  name: 'audit-anchor-is-due',
  text: `select coalesce(${LAST_DAY}, ${BEFORE_FIRST}) < (now() at time zone 'UTC')::date - 1 as "isDue"`,
};

const LOCK: PreparedQuery = {
  name: 'audit-anchor-lock',
  text: `
    select coalesce(${LAST_DAY}, ${BEFORE_FIRST})::text as day, ((now() at time zone 'UTC')::date - 1)::text as "lastDay"
    from audit_chain for update skip locked`,
};

const PREVIOUS: PreparedQuery = {
  name: 'audit-anchor-previous',
  text: 'select last_block as "lastBlock", hash from audit_anchor order by day desc limit 1',
};

const BLOCKS: PreparedQuery = {
  name: 'audit-anchor-blocks',
  text: `
    select last.number as "lastBlock", last.hash, (select sum(entries) from audit_block where number > $1 and number <= last.number) as entries
    from (select number, hash from audit_block where number > $1 and day = $2::date order by number desc limit 1) last`,
};

const INSERT: PreparedQuery = {
  name: 'audit-anchor-insert',
  text: 'insert into audit_anchor (day, first_block, last_block, entries, start_hash, hash, jws) values ($1::date, $2, $3, $4, $5, $6, $7)',
};

const SUPPLIERS: PreparedQuery = { name: 'audit-anchor-suppliers', text: 'select code from import_supplier' };

const LIST: PreparedQuery = {
  name: 'audit-anchor-list',
  text: `
    select day::text, first_block as "firstBlock", last_block as "lastBlock", entries, start_hash as "startHash", hash, jws
    from audit_anchor where day >= coalesce($1::date, '-infinity') order by day limit $2`,
};

/**
 * Creates the anchors of all days that ended, one process at a time, and reports each to all import suppliers, so that others than the owner
 * of the database hold it.
 * @param keys sign anchors; undefined: they are not signed
 */
export async function anchorDays(database: WritableDatabase, keys: CertificateKeys | undefined): Promise<void> {
  const [state] = await run<{ isDue: boolean | null }>(database, IS_DUE, []);
  if (!state?.isDue) return;
  await database.transaction(async (em) => {
    const [locked] = await run<{ day: string | null; lastDay: string }>(em, LOCK, []);
    if (locked === undefined || locked.day === null) return;
    for (let day = dayAfter(locked.day); day <= locked.lastDay; day = dayAfter(day)) await anchorDay(em, day, keys);
  });
}

async function anchorDay(em: EntityManager, day: string, keys: CertificateKeys | undefined): Promise<void> {
  const [previous] = await run<{ lastBlock: string; hash: Buffer }>(em, PREVIOUS, []);
  const { lastBlock: before, hash: startHash } = previous ?? { lastBlock: '0', hash: FIRST_HASH };
  const [blocks] = await run<{ lastBlock: string; hash: Buffer; entries: string }>(em, BLOCKS, [before, day]);
  const anchor = {
    day,
    firstBlock: String(BigInt(before) + 1n),
    startHash,
    ...(blocks ?? { lastBlock: before, hash: startHash, entries: '0' }),
  };
  const jws = (await keys?.sign(documentOf(anchor), ANCHOR_TYP)) ?? null;
  const { firstBlock, lastBlock, entries, hash } = anchor;
  await run(em, INSERT, [day, firstBlock, lastBlock, entries, startHash, hash, jws]);
  const suppliers = await run<{ code: string }>(em, SUPPLIERS, []);
  await writeEvents(
    em,
    suppliers.map(({ code }) => ({
      importSupplier: code,
      type: 'audit.anchored.v1' as const,
      subject: `audit/${day}`,
      data: { day, hash: hash.toString('hex'), jws },
    })),
  );
}

/** Lists anchors, oldest first. @param from the first day; undefined: all */
export async function listAnchors(on: Queryable, from: string | undefined, limit: number): Promise<StoredAnchor[]> {
  return run<StoredAnchor & Record<string, unknown>>(on, LIST, [from ?? null, limit]);
}
