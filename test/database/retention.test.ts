import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { findAccountCounts, findStagedPayload } from '../../src/account-import/index.ts';
import { findRevision } from '../../src/account-view/find-account.store.ts';
import { anchorDays } from '../../src/audit-chain/audit-anchor.store.ts';
import { sealAudit } from '../../src/audit-chain/seal-audit.store.ts';
import { openDatabase, type Database } from '../../src/platform/database/database.ts';
import { createLog } from '../../src/platform/log.ts';
import {
  deleteExpiredPage,
  beginRetentionByNight,
  countDeleted,
  endRetention,
  findCompleted,
} from '../../src/personal-data/expire/retention.store.ts';
import { entities } from '../../src/processes/entities.ts';
import { compareAccounts } from '../../src/reconciliation/index.ts';
import { domesticAccount } from '../support/account-payload.ts';
import { moveBlocksBack } from '../support/audit-chain.ts';
import { createAccounts } from '../support/created-accounts.ts';
import { createTestDatabase } from '../support/test-database.ts';

const SUPPLIER = 'SUPPLIER_FR';
const KEPT = { created_payload: 90, never_created: 180, audit: 1_095, idempotency_key: 30 };

let clone: Awaited<ReturnType<typeof createTestDatabase>>;
let database: Database;
/** As the role of the service, which owns nothing. */
let service: Database;
beforeAll(async () => {
  clone = await createTestDatabase();
  const log = createLog({ level: 'silent', process: 'test' });
  database = await openDatabase({ url: clone.url, entities, poolSize: 2, log, applicationName: 'test' });
  service = await openDatabase({ url: clone.applicationUrl, entities, poolSize: 4, log, applicationName: 'test' });
  await query(`insert into import_supplier (code, name, status) values ('${SUPPLIER}', 'Supplier', 'Ongoing')`);
  await query(`insert into operations_team (name) values ('Migration')`);
});
afterAll(async () => {
  await service.close();
  await database.close();
  await clone.drop();
});

const query = async (text: string, values: unknown[] = []) => (await database.pool.query(text, values)).rows;
const deletePages = async (ofClass: keyof typeof KEPT, atOnce = 2, kept = KEPT[ofClass], hashKey?: Buffer) => {
  let deleted = 0;
  for (;;) {
    const page = await service.transaction((em) => deleteExpiredPage(em, ofClass, kept, atOnce, hashKey));
    deleted += page.deleted;
    if (page.isLast) return deleted;
  }
};
let sequence = 0;
const create = (count: number) =>
  createAccounts(
    database,
    SUPPLIER,
    Array.from({ length: count }, () => domesticAccount({ import_supplier: SUPPLIER }, (sequence += 1))),
  );
/** Inserts the row directly: an account that was staged long ago. */
async function stageLongAgo(external: string, days: number, more = ''): Promise<void> {
  await query(
    `with p as (
      insert into import_process (id, import_supplier, external_account_number, payload, phone_numbers, payload_hash, validated_with, updated_at)
      values (gen_random_uuid(), $1, $2, '{"customers": []}', '[]', '\\x00', 'x', now() - make_interval(days => $3)) returning id)
    insert into import_process_revision (import_process_id, revision, payload_hash) select id, 1, '\\x00' from p`,
    [SUPPLIER, external, days],
  );
  if (more) await query(`update import_process set ${more} where external_account_number = $1`, [external]);
}

test('deletes what was staged for accounts that were created long ago, except its hash, and keeps the account', async () => {
  const old = await create(5);
  const [young] = await create(1);
  await query(
    `update import_process set imported_at = now() - interval '91 days' where external_account_number = any($1)`,
    [old],
  );
  await query(
    `update import_process_revision set payload = '{"customers": []}' where import_process_id in (select id from import_process where external_account_number = any($1))`,
    [old],
  );
  expect(await deletePages('created_payload')).toBe(5);
  expect(await deletePages('created_payload')).toBe(0);
  const [left] = await query(
    `select count(*) filter (where p.payload is null and p.phone_numbers is null and p.payload_deleted_at is not null)::int as gone,
      count(r.payload)::int as revisions, count(p.payload_hash)::int as hashes, count(a.id)::int as accounts
    from import_process p join import_process_revision r on r.import_process_id = p.id join account a on a.import_process_id = p.id
    where p.external_account_number = any($1)`,
    [old],
  );
  expect(left).toEqual({ gone: 5, revisions: 0, hashes: 5, accounts: 5 });
  expect(await findStagedPayload(database, SUPPLIER, young!)).toContain('customers');
  expect(await findStagedPayload(database, SUPPLIER, old[0]!)).toBeUndefined();
});

test('shows when a revision was deleted, and in a reconciliation the number of accounts without a copy', async () => {
  const [external] = await create(1);
  await query(`update import_process set imported_at = now() - interval '91 days' where external_account_number = $1`, [
    external,
  ]);
  await deletePages('created_payload');
  const key = { import_supplier: SUPPLIER, external_account_number: external! };
  const revision = JSON.parse((await findRevision(database, key, 1))!.json) as Record<string, unknown>;
  expect(revision).toMatchObject({
    payload: null,
    payload_deleted_at: expect.stringMatching(/^\d{4}-/),
    content: 'first',
  });
  expect(await compare([external!])).toMatchObject([{ by: 'nothing', account: { differences: [], values: 0 } }]);
});

const compare = (externals: readonly string[], key?: Buffer) =>
  database.transaction(async (em) => {
    const found = [];
    for await (const account of compareAccounts(em, SUPPLIER, externals, key)) found.push(account);
    return found;
  });

test('finds a change by keyed hashes, with its path and without its value', async () => {
  const key = randomBytes(32);
  const changed = await create(4);
  const [same, ...others] = changed;
  expect(await deletePages('created_payload', 3, 0, key)).toBeGreaterThanOrEqual(4);
  const [kept] = await query(
    `select count(payload)::int as payloads, max(length(field_hashes))::int as bytes, string_agg(encode(field_hashes, 'hex'), '') as hex
    from import_process where external_account_number = any($1)`,
    [changed],
  );
  expect(kept).toMatchObject({ payloads: 0 });
  expect(kept.bytes).toBeLessThan(800);
  expect(Buffer.from(kept.hex as string, 'hex').includes('1979-02-28')).toBe(false);
  const of = (external: string) =>
    `account_id = (select id from account where external_account_number = '${external}')`;
  await query(`update customer set date_of_birth = '1979-03-01' where position = 0 and ${of(others[0]!)}`);
  await query(`update account_metadata set value = value || '{"seeded": 1}' where ${of(others[0]!)}`);
  await query(`update payment_schedule set amount = amount + 0.01 where position = 3 and ${of(others[1]!)}`);
  await query(`delete from agreement_addon where position = 3 and ${of(others[1]!)}`);
  const compared = await compare(changed, key);
  expect(compared.map(({ by }) => by)).toEqual(Array.from({ length: 4 }, () => 'hashes'));
  expect(compared[0]!.account.values).toBeGreaterThan(100);
  expect(compared.map(({ account }) => account.differences.map(({ path, kind }) => `${kind} ${path}`))).toEqual([
    [],
    ['changed customers.0.date_of_birth', 'changed metadata.0.value'],
    [
      'missing supply_addresses.0.supply_points.1.agreements.0.addons.1',
      'changed supply_addresses.0.supply_points.1.payment_schedules.1.amount',
    ],
    [],
  ]);
  expect(await compare([same!], randomBytes(32))).toMatchObject([{ by: 'nothing' }]);
  expect(await compare([same!])).toMatchObject([{ by: 'nothing' }]);
  // Stored by a version that had one field and one list less.
  await query(
    `update field_hash_layout set layout = replace(replace(layout, '"account_type|account_type"', '"gone|gone"'), '"list":"metadata"', '"list":"former"')`,
  );
  await query(`update account set account_type = 'BUSINESS' where external_account_number = $1`, [same]);
  const [earlier] = await compare([same!], key);
  expect(earlier).toMatchObject({ by: 'hashes', account: { differences: [] } });
});

test('deletes an account that was never created completely, and adapts the counts', async () => {
  const before = (await findAccountCounts(database))[0]!;
  for (let index = 0; index < 45; index += 1) await stageLongAgo(`OLD-${index}`, 181);
  await stageLongAgo('OLD-SKIPPED', 181, `skipped_at = now() - interval '181 days'`);
  await stageLongAgo('OLD-REFUSED', 181, `refusal = jsonb_build_object('at', now() - interval '181 days')`);
  await stageLongAgo('YOUNG', 179);
  await stageLongAgo('SKIPPED-LATELY', 181, 'skipped_at = now()');
  await stageLongAgo('REFUSED-LATELY', 181, `refusal = jsonb_build_object('at', now())`);
  await stageLongAgo('QUARANTINED', 181, `workflow_id = 'create-account/x'`);
  await stageLongAgo('BEING-CREATED', 181);
  await query(
    `insert into creation_slot (creation_id, import_process_id) select gen_random_uuid(), id from import_process where external_account_number = 'BEING-CREATED'`,
  );
  await query(
    `with w as (insert into wave (id, import_supplier, organisation, api_key_id, name, operations_team)
       values (gen_random_uuid(), $1, 'Tests', gen_random_uuid(), 'Old', 'Migration') returning id)
     insert into wave_account (import_process_id, wave_id) select p.id, w.id from import_process p, w where external_account_number = 'OLD-1'`,
    [SUPPLIER],
  );
  const pages = await Promise.all([deletePages('never_created'), deletePages('never_created')]);
  expect(pages[0] + pages[1]).toBe(47);
  expect(await query('select 1 from wave_account')).toEqual([]);
  const left = await query(
    `select external_account_number as external from import_process where imported_at is null order by 1`,
  );
  expect(left.map(({ external }) => external)).toEqual([
    'BEING-CREATED',
    'QUARANTINED',
    'REFUSED-LATELY',
    'SKIPPED-LATELY',
    'YOUNG',
  ]);
  const after = (await findAccountCounts(database))[0]!;
  expect(after.known).toBe(before.known + 5);
  expect(after).toMatchObject({ skipped: 1, refused: 1, beingCreated: 1, staged: 2 });
});

test('deletes market messages that match nothing or were dismissed after the days of accounts that were never created', async () => {
  await query(
    `insert into market_message (message_id, source, import_supplier, external_account_number, outcome, occurred_at, reason, received_at, effect)
     select effect || days, 'message', $1, 'NO-SUCH', 'REJECTED', now(), 'free text', now() - make_interval(days => days), effect
     from unnest('{unknown-account,unknown-point,fits-nothing,dismissed,moved}'::text[]) effect, unnest('{179,181}'::integer[]) days`,
    [SUPPLIER],
  );
  await deletePages('never_created', 1);
  const left = await query(`select message_id from market_message order by message_id collate "C"`);
  expect(left.map(({ message_id: id }) => id)).toEqual([
    'dismissed179',
    'fits-nothing179',
    'moved179',
    'moved181',
    'unknown-account179',
    'unknown-point179',
  ]);
});

test('deletes only old audit entries, whatever the service requests', async () => {
  const daysAgo = [1_100, 1_099, 1_098, 1_090, 370, 0];
  for (let block = 0; block < daysAgo.length; block += 1) {
    await query(
      `insert into audit_entry (id, actor_name, action, subject) values (gen_random_uuid(), 'a', 'b.done', 'c')`,
    );
    await sealAudit(service, undefined);
  }
  await moveBlocksBack(database.pool, daysAgo, undefined);
  await anchorDays(service, undefined);
  expect(await deletePages('audit')).toBe(3);
  const [row] = (await service.pool.query('select delete_old_audit_entries(0, 1000) as deleted')).rows;
  expect(row).toEqual({ deleted: 2 });
  expect(await query(`select count(*)::int as count from audit_entry where action = 'b.done'`)).toEqual([{ count: 1 }]);
});

test('deletes stored responses of idempotency keys after their time, and no request in progress', async () => {
  await query(`
    insert into idempotency_key (organisation, key_hash, request_hash, once_id, claim, claimed_until, status, answer, created_at)
    select 'o', sha256(convert_to(n::text, 'UTF8')), '', gen_random_uuid(), case n when 1 then gen_random_uuid() when 2 then gen_random_uuid() end,
      case n when 1 then now() + interval '1 minute' when 2 then now() - interval '1 minute' end,
      case when n > 2 then 201 end, case when n > 2 then '{}' end, now() - make_interval(days => case n when 7 then 29 else 31 end)
    from generate_series(1, 7) n`);
  expect(await deletePages('idempotency_key')).toBe(5);
  expect(await query('select status from idempotency_key order by status nulls first')).toEqual([
    { status: null },
    { status: 201 },
  ]);
});

test('begins a run once a night, and audits its end once', async () => {
  // 02:00 in France.
  const clock = { now: () => new Date('2030-01-15T01:00:00Z') };
  const begin = beginRetentionByNight(service, { from: 1, until: 5 }, clock);
  const items = () => query(`select kind from work_item where workflow_id = 'retention'`);
  await beginRetentionByNight(service, { from: 3, until: 5 }, clock)();
  expect(await items()).toEqual([]);
  await Promise.all([begin(), begin()]);
  expect(await items()).toEqual([{ kind: 'retention' }]);
  expect([...(await findCompleted(service))]).toEqual([]);
  await deletePages('audit');
  expect([...(await findCompleted(service))]).toEqual(['audit']);
  expect(await countDeleted(service)).toEqual({ created_payload: 0, never_created: 0, audit: 0, idempotency_key: 0 });
  await service.transaction((em) => endRetention(em, 'COMPLETED'));
  await service.transaction((em) => endRetention(em, 'COMPLETED'));
  expect(await items()).toEqual([]);
  const audited = await query(`select actor_name, after from audit_entry where action = 'retention.ended'`);
  expect(audited).toEqual([
    {
      actor_name: 'retention',
      after: { state: 'COMPLETED', deleted: { created_payload: 0, never_created: 0, audit: 0, idempotency_key: 0 } },
    },
  ]);
});
