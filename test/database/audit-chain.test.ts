import { generateKeyPairSync } from 'node:crypto';
import { afterAll, beforeEach, expect, test } from '@jest/globals';
import { v7 as uuidv7 } from 'uuid';
import { recordAudit } from '../../src/access/index.ts';
import { anchorDays, listAnchors } from '../../src/audit-chain/audit-anchor.store.ts';
import { beginVerification, continueVerification } from '../../src/audit-chain/verify-audit.store.ts';
import type { AuditFinding } from '../../src/audit-chain/audit-chain.schema.ts';
import { readAuditChain } from '../../src/audit-chain/index.ts';
import { sealAudit } from '../../src/audit-chain/seal-audit.store.ts';
import { openDatabase } from '../../src/platform/database/database.ts';
import { createLog } from '../../src/platform/log.ts';
import { entities } from '../../src/processes/entities.ts';
import { openCertificateKeys } from '../../src/reconciliation/certificate-key.client.ts';
import { moveBlocksBack } from '../support/audit-chain.ts';
import { createTestDatabase } from '../support/test-database.ts';

const clone = await createTestDatabase();
const log = createLog({ level: 'silent', process: 'test' });
const open = (url: string) => openDatabase({ url, entities, poolSize: 12, log, applicationName: 'test' });
/** The service, whose role can neither change nor delete entries and blocks. */
const service = await open(clone.applicationUrl);
/** The owner of the tables. */
const owner = await open(clone.url);
const newKey = () => generateKeyPairSync('ed25519').privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
const keys = await openCertificateKeys(newKey());
const actor = { keyName: 'auditor' };
const KEPT_DAYS = 1_095;

afterAll(async () => {
  await service.close();
  await owner.close();
  await clone.drop();
});

beforeEach(async () => {
  await query('truncate audit_entry, audit_block, audit_anchor, audit_verification, event_outbox');
  await query(
    `update audit_chain set number = 0, hash = decode(repeat('00', 32), 'hex'), entries = 0, sealed_at = null`,
  );
});

async function query(text: string, values: unknown[] = []): Promise<Record<string, any>[]> {
  return (await owner.pool.query(text, values)).rows;
}

async function write(count: number, change: object = {}): Promise<void> {
  for (let index = 0; index < count; index += 1) {
    await recordAudit(service, actor, { action: 'note.pinned', subject: `notes/${index}`, ...change });
  }
}

const seal = (by = keys) => sealAudit(service, by);

/** Verifies the whole audit. */
async function verify(given: { keys?: typeof keys | undefined } = { keys }): Promise<AuditFinding[]> {
  const id = await beginVerification(service, actor);
  const found: AuditFinding[] = [];
  for (;;) {
    const step = await continueVerification(service, { id, actor, keys: given.keys, keptDays: KEPT_DAYS });
    found.push(...step!.findings);
    if (step!.completed_at !== null) return found;
  }
}

const kindsOf = (findings: readonly AuditFinding[]) => findings.map(({ kind }) => kind).toSorted();

test('chains committed entries, and finds no difference', async () => {
  await write(3, { reason: 'text', before: { reason: 'old', status: 'a' }, after: { status: 'b', detail: 'é ✓' } });
  expect(await seal()).toBe(3);
  expect(await seal()).toBe(0);
  await write(2);
  expect(await seal()).toBe(2);
  const blocks = await query('select number::int, entries from audit_block order by number');
  expect(blocks).toEqual([
    { number: 1, entries: 3 },
    { number: 2, entries: 2 },
  ]);
  expect(await verify()).toEqual([]);
  expect(await readAuditChain(service)).toMatchObject({
    last_block: 2,
    entries: 5,
    is_signed: true,
    last_verification: { blocks: 2, entries: 5, finding_count: 0 },
  });
});

test('seals an entry after its commit, although entries of later transactions are sealed', async () => {
  const late = await service.pool.connect();
  await late.query('begin');
  await late.query(`insert into audit_entry (id, actor_name, action, subject) values ($1, 'a', 'b.done', 'late')`, [
    uuidv7(),
  ]);
  await write(1);
  expect(await seal()).toBe(1);
  await write(1);
  expect(await seal()).toBe(1);
  expect(await verify()).toEqual([]);
  await late.query('commit');
  late.release();
  // The entry of the verification, too.
  expect(await seal()).toBe(2);
  const [block] = await query(
    `select b.number::int from audit_block b join audit_entry e on e.id = any (b.ids) where e.subject = 'late'`,
  );
  expect(block).toEqual({ number: 3 });
  expect(await verify()).toEqual([]);
});

test('seals each entry once while many transactions write, are rolled back, and processes seal concurrently', async () => {
  let isWriting = true;
  const sealing = Array.from({ length: 3 }, async () => {
    while (isWriting) await seal();
  });
  let written = 0;
  await Promise.all(
    Array.from({ length: 6 }, async (_, writer) => {
      for (let round = 0; round < 25; round += 1) {
        await service.transaction(async (em) => {
          await recordAudit(em, actor, { action: 'note.pinned', subject: `notes/${writer}` });
          await em.execute('select pg_sleep(?)', [((writer * 7 + round * 3) % 10) / 1_000]);
          await recordAudit(em, actor, { action: 'note.unpinned', subject: `notes/${writer}` });
          if (round % 5 === 0) await em.rollback();
          else written += 2;
        });
      }
    }),
  );
  isWriting = false;
  await Promise.all(sealing);
  await seal();
  const [sealed] = await query(
    'select count(*)::int as entries, count(distinct id)::int as distinct from audit_block b, unnest(b.ids) id',
  );
  expect(sealed).toEqual({ entries: written, distinct: written });
  expect(await verify()).toEqual([]);
});

test('splits many entries into blocks, and continues after an interruption', async () => {
  await query(
    `insert into audit_entry (id, actor_name, action, subject) select gen_random_uuid(), 'a', 'b.done', n::text from generate_series(1, 2500) n`,
  );
  await query(
    `create function fail_third() returns trigger language plpgsql as $$ begin if new.number = 3 then raise 'interrupted'; end if; return new; end $$`,
  );
  await query('create trigger fail before insert on audit_block for each row execute function fail_third()');
  await expect(seal()).rejects.toThrow('interrupted');
  await query('drop trigger fail on audit_block');
  await write(1);
  expect(await seal()).toBe(501);
  const blocks = await query('select entries from audit_block order by number');
  expect(blocks.map(({ entries }) => entries)).toEqual([1_000, 1_000, 500, 1]);
  expect(await verify()).toEqual([]);
});

/** Entries and blocks that the cases below change. */
async function writeThreeBlocks(): Promise<void> {
  for (let block = 0; block < 3; block += 1) {
    await write(4, { reason: 'why', after: { status: 'x', reason: 'long text' } });
    await seal();
  }
}

test.each([
  ['an action', `update audit_entry set action = 'note.hidden' where id = ids(2, 1)`, ['entry_changed']],
  ['a reason', `update audit_entry set reason = 'other' where id = ids(2, 1)`, ['entry_changed']],
  ['a removed reason', `update audit_entry set reason = null where id = ids(2, 1)`, ['entry_changed']],
  ['an added state', `update audit_entry set before = '5' where id = ids(2, 1)`, ['entry_changed']],
  ['a member', `update audit_entry set after = after || '{"status": "y"}' where id = ids(2, 1)`, ['entry_changed']],
  ['a time', `update audit_entry set at = at + interval '1 microsecond' where id = ids(2, 1)`, ['entry_changed']],
  [
    'a pretended erasure',
    `update audit_entry set reason = 'erased', after = after - 'reason', salt = null where id = ids(2, 1)`,
    ['entry_changed'],
  ],
  ['a deletion', `delete from audit_entry where id = ids(2, 1)`, ['entry_deleted']],
  [
    'an insertion before the last block',
    `insert into audit_entry (id, actor_name, action, subject, xid) values (gen_random_uuid(), 'a', 'b.done', 'c', '5')`,
    ['entry_inserted'],
  ],
  [
    'an insertion by a future transaction',
    `insert into audit_entry (id, actor_name, action, subject, xid) values (gen_random_uuid(), 'a', 'b.done', 'c', '9000000000')`,
    ['entry_inserted'],
  ],
  [
    'an insertion with an old time',
    `insert into audit_entry (id, at, actor_name, action, subject) values (gen_random_uuid(), now() - interval '2 days', 'a', 'b.done', 'c')`,
    ['entry_backdated'],
  ],
  [
    'two exchanged entries',
    `update audit_entry e set at = o.at, action = o.action || 'x' from audit_entry o where (e.id, o.id) in ((ids(2, 1), ids(2, 2)), (ids(2, 2), ids(2, 1)))`,
    ['entry_changed', 'entry_changed'],
  ],
  [
    'reordered entries of a block',
    `update audit_block set ids = array[ids[2], ids[1], ids[3], ids[4]] where number = 2`,
    ['block_changed', 'entry_changed', 'entry_changed'],
  ],
  [
    'exchanged blocks',
    `update audit_block set number = -number where number > 1; update audit_block set number = 5 + number where number < 0`,
    ['block_changed', 'block_changed', 'block_changed', 'block_changed', 'block_changed'],
  ],
  ['a block with another day', `update audit_block set day = day - 1 where number = 2`, ['block_changed']],
  [
    'a deleted block with its entries',
    `delete from audit_entry where id = any (select unnest(ids) from audit_block where number = 2); delete from audit_block where number = 2`,
    ['block_missing'],
  ],
  [
    'a deleted first block with its entries',
    `delete from audit_entry where id = any (select unnest(ids) from audit_block where number = 1); delete from audit_block where number = 1`,
    ['block_missing'],
  ],
  [
    'a deleted last block with its entries',
    `delete from audit_entry where id = any (select unnest(ids) from audit_block where number = 3); delete from audit_block where number = 3`,
    ['block_missing'],
  ],
  [
    'a removed signature',
    `update audit_block set signature = null, key_id = null where number = 2`,
    ['signature_invalid'],
  ],
  ['a foreign key', `update audit_block set key_id = 'other' where number = 2`, ['signature_invalid']],
])('finds %s', async (_name, change, kinds) => {
  await writeThreeBlocks();
  const blocks = await query('select ids::text[] from audit_block order by number');
  await query(
    change.replaceAll(/ids\((\d), (\d)\)/g, (_match, block, place) => `'${blocks[block - 1]!['ids'][place]}'`),
  );
  await seal();
  expect(kindsOf(await verify())).toEqual(kinds);
});

test('finds a chain that the owner of the tables computed anew, because the owner has no key', async () => {
  await writeThreeBlocks();
  await query(`update audit_entry set action = 'note.hidden'`);
  await moveBlocksBack(owner.pool, [0, 0, 0], await openCertificateKeys(newKey()));
  expect(kindsOf(await verify())).toEqual(['signature_invalid', 'signature_invalid', 'signature_invalid']);
});

test('accepts the erasure of texts that an audited erasure lists', async () => {
  await write(1, { subject: 'accounts/ACME/1', reason: 'a name', after: { skip_reason: 'a name', status: 'x' } });
  await write(1, { subject: 'accounts/ACME/2', reason: 'another name' });
  await seal();
  const [{ erased }] = (await query(`select erase_texts_of_audit('ACME', '1') as erased`)) as [{ erased: string[] }];
  expect(erased).toHaveLength(1);
  expect(kindsOf(await verify())).toEqual(['entry_changed']);
  await recordAudit(service, actor, {
    action: 'person.erased',
    subject: 'accounts/ACME/1',
    after: { audit_entries: erased },
  });
  expect(await verify()).toEqual([]);
  await query(`update audit_entry set actor_name = 'b' where id = $1`, [erased[0]]);
  expect(kindsOf(await verify())).toEqual(['entry_changed']);
});

test('does not let the service change blocks and anchors', async () => {
  await write(1);
  await seal();
  for (const change of [
    `update audit_block set day = day - 1`,
    'delete from audit_block',
    'truncate audit_block',
    'delete from audit_anchor',
    `update audit_anchor set hash = hash`,
  ]) {
    await expect(service.pool.query(change)).rejects.toThrow('permission denied');
  }
});

/** Writes a block for each number of days ago, with two entries. */
async function writeOnDays(daysAgo: readonly number[]): Promise<void> {
  for (let block = 0; block < daysAgo.length; block += 1) {
    await write(2);
    await seal();
  }
  await moveBlocksBack(owner.pool, daysAgo, keys);
}

/** The UTC day some days ago, by the clock of the database. */
async function dayAgo(days: number): Promise<string> {
  const [row] = await query(`select ((now() at time zone 'UTC')::date - $1::integer)::text as day`, [days]);
  return row!['day'];
}

test('anchors each day that ended, also without entries, and reports it to import suppliers', async () => {
  await query(`insert into import_supplier (code, name) values ('ONE', 'One') on conflict do nothing`);
  await writeOnDays([4, 4, 2, 0]);
  await Promise.all([anchorDays(service, keys), anchorDays(service, keys)]);
  await anchorDays(service, keys);
  const anchors = await listAnchors(service, undefined, 10);
  expect(anchors.map(({ day, firstBlock, lastBlock, entries: of }) => [day, firstBlock, lastBlock, of])).toEqual([
    [await dayAgo(4), '1', '2', '4'],
    [await dayAgo(3), '3', '2', '0'],
    [await dayAgo(2), '3', '3', '2'],
    [await dayAgo(1), '4', '3', '0'],
  ]);
  const events = await query('select type, subject, data from event_outbox order by number');
  expect(events.map(({ type, subject }) => [type, subject])).toEqual(
    anchors.map(({ day }) => ['audit.anchored.v1', `audit/${day}`]),
  );
  const { jws } = events[2]!['data'];
  expect(await keys.readSigned(jws)).toMatchObject({ day: await dayAgo(2), hash: anchors[2]!.hash.toString('hex') });
  expect(await verify()).toEqual([]);
});

test.each([
  [
    'a removed anchor',
    'delete from audit_anchor where day = (select min(day) + 1 from audit_anchor)',
    'anchor_missing',
  ],
  [
    'a removed last anchor',
    // In the first hour of a day, a verification does not miss the anchor of the day before.
    `delete from audit_anchor where day >= (now() at time zone 'UTC' - interval '1 hour')::date - 1`,
    'anchor_missing',
  ],
  [
    'an anchor with another hash',
    `update audit_anchor set hash = sha256('x') where day = (select min(day) from audit_anchor)`,
    'anchor_changed',
  ],
  ['an anchor with another count', 'update audit_anchor set entries = entries + 1', 'anchor_changed'],
  ['an unsigned anchor', 'update audit_anchor set jws = null', 'signature_invalid'],
  [
    'an anchor with a foreign signature',
    `update audit_anchor set jws = (select jws from audit_anchor order by day desc limit 1) || 'x'`,
    'signature_invalid',
  ],
])('finds %s', async (_name, change, kind) => {
  await writeOnDays([4, 3, 2]);
  await anchorDays(service, keys);
  await query(change);
  // Anchors are read in the order of days; a day may be missing at midnight only.
  expect(kindsOf(await verify())).toContain(kind);
});

test('finds an anchored day that was sealed anew with the key', async () => {
  await writeOnDays([3, 2]);
  await anchorDays(service, keys);
  await query(`update audit_entry set action = 'note.hidden'`);
  await moveBlocksBack(owner.pool, [3, 2], keys);
  expect(new Set(kindsOf(await verify()))).toEqual(new Set(['anchor_changed']));
});

test('verifies what retention keeps, and finds blocks that were deleted too early', async () => {
  await writeOnDays([KEPT_DAYS + 3, KEPT_DAYS + 2, KEPT_DAYS + 2, KEPT_DAYS + 1, 400, 10]);
  const remove = async (most: number) =>
    (await service.pool.query('select delete_old_audit_entries($1, $2) as deleted', [KEPT_DAYS, most])).rows[0].deleted;
  // Days without an anchor are kept.
  expect(await remove(100)).toBe(0);
  await anchorDays(service, keys);
  // A part of a day, then all expired days.
  expect(await remove(3)).toBe(4);
  expect(await verify()).toEqual([]);
  expect(await remove(100)).toBe(4);
  expect(await remove(100)).toBe(0);
  expect(await verify()).toEqual([]);
  const { rows } = await service.pool.query('select delete_old_audit_entries(0, 100) as deleted');
  expect(rows).toEqual([{ deleted: 2 }]);
  expect(kindsOf(await verify())).toEqual(['block_missing']);
});

test('reports unsigned blocks without a key, and verifies them otherwise', async () => {
  await write(2);
  await sealAudit(service, undefined);
  expect(await verify({ keys: undefined })).toEqual([]);
  expect(await readAuditChain(service)).toMatchObject({ is_signed: false, last_verification: { unsigned_blocks: 1 } });
  expect(kindsOf(await verify())).toEqual(['signature_invalid']);
});

test('continues the chain after a dump was restored, whose transaction numbers mean nothing', async () => {
  await write(2);
  await seal();
  await write(2);
  await query(`update audit_chain set origin = 'another cluster', snapshot = '900000000:900000000:'`);
  expect(await seal()).toBe(2);
  await write(1);
  expect(await seal()).toBe(1);
  expect(await verify()).toEqual([]);
});
