import { createHmac, hash } from 'node:crypto';
import { setImmediate } from 'node:timers/promises';
import type { EntityManager } from '@mikro-orm/postgresql';
import { run, type PreparedQuery, type Queryable } from '../../platform/database/prepared-query.ts';
import { readAccepted } from './accepted-items.rules.ts';
import type { Seal } from './compare-account.rules.ts';
import { instantSql, type Item } from './form.rules.ts';
import { accountForm, acceptedContext, type AcceptedBeside } from './read-stored.store.ts';
import { readJson } from './value-forms.rules.ts';
import {
  HASH_BYTES,
  layoutOf,
  readHashes,
  writeHashes,
  type HashLayout,
  type KnownByHashes,
} from './kept-hashes.rules.ts';

/** Longest time slice on the event loop, which single requests share. */
const TIME_SLICE_MS = 5;
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

const INSERT_LAYOUT: PreparedQuery = {
  name: 'field-hash-layout-insert',
  text: 'insert into field_hash_layout (layout) values ($1) on conflict (layout) do nothing',
};
const FIND_LAYOUT: PreparedQuery = {
  name: 'field-hash-layout-find',
  text: 'select id from field_hash_layout where layout = $1',
};
const LAYOUTS: PreparedQuery = {
  name: 'field-hash-layouts',
  text: 'select id, layout from field_hash_layout where id = any($1::integer[])',
};
const ACCEPTED: PreparedQuery = {
  name: 'field-hash-accepted',
  text: `
    select p.id, p.payload::text as payload, p.phone_numbers::text as "phoneNumbers", p.document_root as "documentRoot",
      ${instantSql('p.imported_at')} as "importedAt", ${instantSql('a.created_at')} as "createdAt"
    from import_process p join account a on a.import_process_id = p.id
    where p.id = any($1::uuid[]) and p.payload is not null`,
};

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
  let [found] = await run<{ id: number }>(em, FIND_LAYOUT, [layout]);
  if (found === undefined) {
    await run(em, INSERT_LAYOUT, [layout]);
    [found] = await run<{ id: number }>(em, FIND_LAYOUT, [layout]);
  }
  const id = keyId(key);
  const hashes = new Map<string, Buffer>();
  let turnedAt = performance.now();
  for (const row of await run<{ id: string; payload: string } & AcceptedBeside & Record<string, unknown>>(
    em,
    ACCEPTED,
    [processIds],
  )) {
    const accepted = readAccepted(accountForm, readJson(row.payload) as Item, acceptedContext(row));
    hashes.set(row.id, Buffer.concat([id, writeHashes(accountForm, accepted, sealOf(key, row.id))]));
    if (performance.now() - turnedAt < TIME_SLICE_MS) continue;
    await setImmediate();
    turnedAt = performance.now();
  }
  return { layoutId: found!.id, hashes };
}

/** The stored hashes of an account. */
export interface KeptHashes {
  processId: string;
  fieldHashes: Buffer | null;
  layoutId: number | null;
}

/** Reads the layouts in which hashes of accounts are written. */
export async function findLayouts(
  on: Queryable,
  accounts: readonly Pick<KeptHashes, 'layoutId'>[],
): Promise<ReadonlyMap<number, HashLayout>> {
  const ids = [...new Set(accounts.flatMap(({ layoutId }) => layoutId ?? []))];
  if (ids.length === 0) return new Map();
  const rows = await run<{ id: number; layout: string }>(on, LAYOUTS, [ids]);
  return new Map(rows.map(({ id, layout }) => [id, JSON.parse(layout) as HashLayout]));
}

/**
 * Reads the stored hashes of an account.
 * @returns undefined if there are none, or if they were made with another key
 */
export function readKept(
  { processId, fieldHashes, layoutId }: KeptHashes,
  layouts: ReadonlyMap<number, HashLayout>,
  key: Buffer | undefined,
): (KnownByHashes & { seal: Seal }) | undefined {
  const layout = layouts.get(layoutId ?? -1);
  if (fieldHashes === null || layout === undefined || key === undefined) return undefined;
  if (!fieldHashes.subarray(0, KEY_ID_BYTES).equals(keyId(key))) return undefined;
  const known = readHashes(accountForm, layout, fieldHashes.subarray(KEY_ID_BYTES));
  return { ...known, seal: sealOf(key, processId) };
}
