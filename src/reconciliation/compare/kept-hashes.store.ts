import { createHmac, hash } from 'node:crypto';
import type { EntityManager } from '@mikro-orm/postgresql';
import { sql } from 'kysely';
import { emOf, type Queryable } from '../../platform/database/prepared-query.ts';
import { eventLoopYields } from '../../platform/time-slice.ts';
import type { ReconciledTables } from '../reconciliation.entity.ts';
import { FieldHashLayout } from './field-hash-layout.entity.ts';
import { readAccepted } from './accepted-items.rules.ts';
import type { Seal } from './compare-account.rules.ts';
import { instantSql, type Item, readJson } from './form.rules.ts';
import { accountForm } from './accepted-forms.schema.ts';
import { acceptedContext } from './read-stored.store.ts';
import {
  HASH_BYTES,
  layoutOf,
  readHashes,
  writeHashes,
  type HashLayout,
  type KnownByHashes,
} from './kept-hashes.rules.ts';

/** Identifies the key of the hashes without revealing it. */
const KEY_ID_BYTES = 4;

function keyId(key: Buffer): Buffer {
  return createHmac('sha256', key).update('field hashes').digest().subarray(0, KEY_ID_BYTES);
}

/**
 * Hashes the values of one account: equal values of two accounts, or at two places, have different hashes. Only a few bytes of each are
 * stored, so a hash with the key as prefix is as secure as an HMAC, at a tenth of the cost.
 */
function sealOf(key: Buffer, processId: string): Seal {
  const ofAccount = createHmac('sha256', key).update(processId).digest('hex');
  return (list, position, field, value) =>
    hash('sha256', `${ofAccount}\n${list}\n${position}\n${field}\n${value}`, 'hex').slice(0, HASH_BYTES * 2);
}

interface HashedAccepted {
  layoutId: number;
  /** By import process. */
  hashes: ReadonlyMap<string, Buffer>;
}

/** Hashes the payloads of created accounts. @param key the setting FIELD_HASH_KEY */
export async function hashAccepted(
  em: EntityManager,
  key: Buffer,
  processIds: readonly string[],
): Promise<HashedAccepted> {
  const layout = JSON.stringify(layoutOf(accountForm));
  const { id: layoutId } =
    (await em.findOne(FieldHashLayout, { layout })) ??
    (await em.upsert(FieldHashLayout, { layout }, { onConflictFields: ['layout'], onConflictAction: 'ignore' }));
  const found = await em
    .getKysely<ReconciledTables>()
    .selectFrom('import_process as p')
    .innerJoin('account as a', 'a.import_process_id', 'p.id')
    .select(['p.id', 'p.document_root as documentRoot'])
    .select((is) => [
      is.cast<string>('p.payload', 'text').as('payload'),
      is.cast<string | null>('p.phone_numbers', 'text').as('phoneNumbers'),
      sql<string | null>`${sql.raw(instantSql('p.imported_at'))}`.as('importedAt'),
      sql<string>`${sql.raw(instantSql('a.created_at'))}`.as('createdAt'),
    ])
    .where('p.id', 'in', processIds)
    .where('p.payload', 'is not', null)
    .execute();
  const id = keyId(key);
  const hashes = new Map<string, Buffer>();
  const yieldToEventLoop = eventLoopYields();
  for (const row of found) {
    await yieldToEventLoop();
    const accepted = readAccepted(accountForm, readJson(row.payload) as Item, acceptedContext(row));
    hashes.set(row.id, Buffer.concat([id, writeHashes(accountForm, accepted, sealOf(key, row.id))]));
  }
  return { layoutId, hashes };
}

/** The stored hashes of an account. */
export interface KeptHashes {
  processId: string;
  fieldHashes: Buffer | null;
  layoutId: number | null;
}

/** The accepted values of an account as hashes, and the function that hashes its stored values. */
type Kept = KnownByHashes & { seal: Seal };

/**
 * Prepares reading the stored hashes of accounts.
 * @returns a function that reads them; it returns undefined if there are none, or if they were made with another key
 */
export async function openKept(
  on: Queryable,
  accounts: readonly KeptHashes[],
  key: Buffer | undefined,
): Promise<(account: KeptHashes) => Kept | undefined> {
  const ids = [...new Set(accounts.flatMap(({ layoutId }) => layoutId ?? []))];
  const rows = ids.length === 0 ? [] : await emOf(on).find(FieldHashLayout, { id: { $in: ids } });
  const layouts = new Map(rows.map(({ id, layout }) => [id, JSON.parse(layout) as HashLayout]));
  return ({ processId, fieldHashes, layoutId }) => {
    const layout = layouts.get(layoutId ?? -1);
    if (fieldHashes === null || layout === undefined || key === undefined) return undefined;
    if (!fieldHashes.subarray(0, KEY_ID_BYTES).equals(keyId(key))) return undefined;
    const known = readHashes(accountForm, layout, fieldHashes.subarray(KEY_ID_BYTES));
    return { ...known, seal: sealOf(key, processId) };
  };
}
