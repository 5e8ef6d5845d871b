import type { EntityManager } from '@mikro-orm/postgresql';
import { sql } from 'kysely';
import { writeEvents } from '../events/index.ts';
import { dayAfter } from '../platform/clock.ts';
import type { WritableDatabase } from '../platform/database/database.ts';
import { kyselyOf, propertiesOf, type Queryable } from '../platform/database/prepared-query.ts';
import type { CertificateKeys } from '../reconciliation/index.ts';
import { findAllImportSuppliers } from '../suppliers/index.ts';
import { ANCHOR_TYP, documentOf, type StoredAnchor } from './anchor.rules.ts';
import { FIRST_HASH } from './audit-block.rules.ts';
import { AuditAnchor, type AuditAnchorTable, type AuditChainTables } from './audit-chain.entity.ts';

/** Selects the last day with an anchor, or the day before the first block; and the last day that ended. */
function selectDays(on: Queryable) {
  return kyselyOf<AuditChainTables>(on)
    .selectFrom('audit_chain')
    .select([
      sql<
        string | null
      >`coalesce((select max(day) from audit_anchor), (select day - 1 from audit_block order by number limit 1))`.as(
        'day',
      ),
      sql<string>`(now() at time zone 'UTC')::date - 1`.as('lastDay'),
    ]);
}

/**
 * Creates the anchors of all days that ended, one process at a time, and reports each to all import suppliers, so that others than the owner
 * of the database hold it.
 * @param keys sign anchors; undefined: they are not signed
 */
export async function anchorDays(database: WritableDatabase, keys: CertificateKeys | undefined): Promise<void> {
  const state = await selectDays(database).executeTakeFirst();
  if (!state?.day || state.day >= state.lastDay) return;
  await database.transaction(async (em) => {
    const locked = await selectDays(em).forUpdate().skipLocked().executeTakeFirst();
    if (!locked?.day) return;
    for (let day = dayAfter(locked.day); day <= locked.lastDay; day = dayAfter(day)) await anchorDay(em, day, keys);
  });
}

async function anchorDay(em: EntityManager, day: string, keys: CertificateKeys | undefined): Promise<void> {
  const { lastBlock: before, hash: startHash } = (await findLastAnchor(em)) ?? { lastBlock: '0', hash: FIRST_HASH };
  const blocks = kyselyOf<AuditChainTables>(em).selectFrom('audit_block').where('number', '>', before);
  const ofDay = blocks.select(['number', 'hash']).where('day', '=', day).orderBy('number', 'desc').limit(1);
  const last = await ofDay.executeTakeFirst();
  const lastBlock = last?.number ?? before;
  const sum = await blocks
    .where('number', '<=', lastBlock)
    .select(({ fn }) => fn.sum<string | null>('entries').as('entries'))
    .executeTakeFirst();
  const entries = sum?.entries ?? '0';
  const hash = last?.hash ?? startHash;
  const anchor = { day, firstBlock: String(BigInt(before) + 1n), lastBlock, entries, startHash, hash };
  const jws = (await keys?.sign(documentOf(anchor), ANCHOR_TYP)) ?? null;
  await em.insert(AuditAnchor, { ...anchor, jws });
  const suppliers = await findAllImportSuppliers(em);
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
export function listAnchors(on: Queryable, from: string | undefined, limit: number): Promise<StoredAnchor[]> {
  const anchors = selectAnchors(on).where('day', '>=', from ?? '-infinity');
  return anchors.orderBy('day').limit(limit).execute();
}

/** Finds the newest anchor. */
export function findLastAnchor(on: Queryable) {
  return selectAnchors(on).orderBy('day', 'desc').limit(1).executeTakeFirst();
}

const selectAnchors = (on: Queryable) => propertiesOf<AuditAnchorTable>(on).selectFrom('audit_anchor').selectAll();
