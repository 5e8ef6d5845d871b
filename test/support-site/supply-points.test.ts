import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { listBatches } from '../../src/supply-points/find/list-batches.store.ts';
import { listDeferredLookups } from '../../src/supply-points/lookup/deferred-lookup.store.ts';
import { points, startPopulation, sums, type PopulationService } from '../support/population.ts';
import { countingReads } from '../support/rows-read.ts';
import { startSite, type Site, type Visitor } from '../support/support-site.ts';
import { until } from '../support/until.ts';

let service: PopulationService;
let site: Site;
let staff: Visitor;
let viewer: Visitor;
beforeAll(async () => {
  service = await startPopulation();
  site = await startSite(service);
  staff = await site.signedIn();
  viewer = await site.signedIn('read');
});
afterAll(async () => {
  await site?.stop();
  await service?.stop();
});

const THROTTLE = '/supply-points/throttle/enedis';
const operate = async (method: string, path: string, body?: object) =>
  (await service.call(method, `/v1/operations/${path}`, { token: service.operatorToken, body })).body;
const auditOf = async (action: string) => (await operate('GET', `audit/?action=${action}`)) as any[];

/** The form that sets a speed, as the page shows it. */
function formIn(text: string): [string, string][] {
  const hidden = text.matchAll(/type="hidden" name="((?:seen_)?requests_[a-z_]+)" value="([^"]*)"/g);
  return [...[...hidden].map(([, name, value]): [string, string] => [name!, value!]), ['reason', 'told by phone']];
}

/** Sets a speed as staff do: requests the preview, then sends its form. */
async function setSpeed(perSecond: string, perHour: string): Promise<string> {
  const asked = await staff.get(`${THROTTLE}?requests_per_second=${perSecond}&requests_per_hour=${perHour}`);
  expect(await staff.post(THROTTLE, formIn(asked.text))).toMatchObject({ status: 303, location: THROTTLE });
  return asked.text;
}

test('previews the effect of a speed, sets it, and respects it from then on', async () => {
  await setSpeed('0', '0');
  // A page of lookups that started before the pause continues to its end.
  const batch = await service.populate(points(50, 51_000_000_000_000));
  const calls = service.enedis.calls.length;
  expect((await staff.get('/supply-points')).text).toContain('50 pending, no estimated end');
  const before = await operate('GET', 'network-operators/enedis/throttle/');
  const text = await setSpeed('1000', '3600000');
  expect(text).toContain('Proposed');
  expect(text).toContain('End of the 50 pending lookups');
  expect(before).toMatchObject({ requests_per_second: 0 });
  expect(service.enedis.calls.length).toBe(calls);
  expect(sums(await service.ended(batch))).toMatchObject({ imported: 50 });
  expect(service.enedis.calls.length).toBe(calls + 50);
  expect(await auditOf('throttle.changed')).toMatchObject([
    { actor: { name: 'staff all / Ada' }, after: { requests_per_second: 1_000 }, reason: 'told by phone' },
    { after: { requests_per_second: 0 } },
  ]);
});

test('changes nothing by a preview, and rejects an invalid speed', async () => {
  await staff.get(`${THROTTLE}?requests_per_second=3`);
  expect(await operate('GET', 'network-operators/enedis/throttle/')).toMatchObject({ requests_per_second: 1_000 });
  const preview = await operate('GET', 'network-operators/enedis/throttle/preview/?requests_per_second=3');
  expect(preview).toMatchObject({
    pending: 0,
    now: { requests_per_second: 1_000 },
    proposed: { requests_per_second: 3, requests_per_hour: 3_600_000, used_per_second: 2.895, pending_ends_at: null },
  });
  for (const wrong of ['-1', '1e9', 'fast', '100001']) {
    expect((await staff.get(`${THROTTLE}?requests_per_second=${wrong}`)).status).toBe(400);
  }
  expect((await staff.get('/supply-points/throttle/nobody')).status).toBe(404);
  expect((await viewer.get(`${THROTTLE}?requests_per_second=3`)).text).not.toContain('Set this speed');
});

test('does not overwrite a speed that another person has set meanwhile', async () => {
  const asked = (await staff.get(`${THROTTLE}?requests_per_second=3`)).text;
  await service.setSpeed('enedis', 900);
  const changed = await staff.post(THROTTLE, formIn(asked));
  expect(changed).toMatchObject({
    status: 303,
    location: `${THROTTLE}?requests_per_second=3&requests_per_hour=3600000`,
  });
  const again = (await staff.get(changed.location!)).text;
  expect(again).toContain('someone else has just changed the speed');
  expect(await operate('GET', 'network-operators/enedis/throttle/')).toMatchObject({ requests_per_second: 900 });
  expect(await staff.post(THROTTLE, formIn(again))).toMatchObject({ status: 303, location: THROTTLE });
  expect(await operate('GET', 'network-operators/enedis/throttle/')).toMatchObject({ requests_per_second: 3 });
  await service.setSpeed('enedis', 1_000);
});

test('shows, cancels and retries a batch, with a reason', async () => {
  await service.setSpeed('enedis', 0);
  const batch = await service.populate(points(3, 52_000_000_000_000));
  const at = `/supply-points/batches/${batch}`;
  expect((await staff.get(at)).text).toContain('0 of 3');
  expect((await viewer.get(at)).text).not.toContain('Cancel pending identifiers');
  expect(await staff.post(`${at}/cancel`, [['reason', 'sent twice']])).toMatchObject({ status: 303, location: at });
  const cancelled = await staff.get(at);
  expect(cancelled.text).toContain('3 identifiers canceled.');
  expect(cancelled.text).toContain('52000000000001');
  expect(cancelled.text).toContain('batch_cancelled');
  expect((await staff.get('/supply-points?status=CANCELLED&import_supplier=SUPPLIER_FR')).text).toContain(batch);
  expect((await staff.get('/supply-points?status=IN_PROGRESS')).text).not.toContain(batch);
  await staff.post(`${at}/retry`, [['reason', 'it was not']]);
  await service.setSpeed('enedis', 1_000);
  expect(sums(await service.ended(batch))).toMatchObject({ imported: 3 });
  expect(await auditOf('population_batch.cancelled')).toMatchObject([
    { reason: 'sent twice', after: { cancelled: 3 } },
  ]);
  expect(await auditOf('population_batch.retried')).toMatchObject([{ reason: 'it was not', after: { retried: 3 } }]);
  for (const path of ['/supply-points/batches/x', `/supply-points/batches/${crypto.randomUUID()}`]) {
    expect((await staff.get(path)).status).toBe(404);
  }
});

test('lists deferred lookups, retries the selected ones, and shows the results', async () => {
  await service.setSpeed('enedis', 0);
  const identifiers = points(3, 53_000_000_000_000);
  const batch = await service.populate(identifiers);
  // As after five failed attempts.
  await service.database.pool.query(
    `with l as (update look_up set state = 'deferred', tries = 5, last_failure = 'vendor_unavailable', deferred_at = now(), due_at = now() + interval '1 hour'
       where identifier = any($1) returning id) update population_request r set state = 'deferred' from l where r.look_up_id = l.id`,
    [identifiers],
  );
  const list = '/supply-points/deferred/enedis';
  expect((await staff.get(`/supply-points/batches/${batch}`)).text).toContain('Deferred at Enedis');
  const shown = await staff.get(list);
  for (const identifier of identifiers) expect(shown.text).toContain(identifier);
  expect((await staff.post(`${list}/retry`, [['reason', 'x']])).status).toBe(303);
  expect((await staff.get(list)).text).toContain('No identifier was selected.');
  await staff.post(`${list}/retry`, [
    ['identifier', identifiers[0]!],
    ['identifier', identifiers[1]!],
    ['identifier', '59999999999999'],
    ['reason', 'Enedis has mended them'],
  ]);
  expect((await staff.get(list)).text).toContain('2 identifiers will be requested again.');
  await service.setSpeed('enedis', 1_000);
  await until(async () => sums(await service.status(batch)).imported === 2);
  const [, , left] = identifiers;
  expect((await operate('GET', 'look-ups/enedis/set-aside/')).look_ups).toMatchObject([
    { identifier: left, tries: 5, wanted: true, last_failure: 'vendor_unavailable' },
  ]);
  expect(await auditOf('look_up.retried')).toMatchObject([
    { subject: `look-ups/enedis/${identifiers[1]}`, reason: 'Enedis has mended them' },
    { subject: `look-ups/enedis/${identifiers[0]}` },
  ]);
  const found = await staff.get(
    `/supply-points/points?operator=enedis&identifier=${identifiers[0]!.slice(0, 5)}+${identifiers[0]!.slice(5)}`,
  );
  expect(found.location).toBe(`/supply-points/points/enedis/${identifiers[0]}`);
  expect((await staff.get(found.location!)).text).toContain('Data from the network operator');
  expect(await staff.post(`/supply-points/points/enedis/${left}/retry`, [['reason', 'this too']])).toMatchObject({
    status: 303,
  });
  expect(sums(await service.ended(batch))).toMatchObject({ imported: 3 });
  expect((await staff.get('/supply-points/points/enedis/58000000000000')).status).toBe(404);
  expect((await staff.get(`${list}?cursor=x`)).status).toBe(400);
});

test('reads only the shown rows, whatever the number of batches and lookups', async () => {
  const client = await service.database.pool.connect();
  try {
    for (const statement of [
      `set session_replication_role = replica`,
      `insert into population_batch (id, organisation_id, customer_category, customer_authorisation, warnings, status)
        select ('018f3c1e-0000-7000-8000-' || lpad(g::text, 12, '0'))::uuid, gen_random_uuid(), 'Domestic', false, '{}', 'COMPLETED' from generate_series(1, 20000) g`,
      `insert into population_batch_import_supplier (batch_id, import_supplier) select id, case when id::text like '%7' then 'SUPPLIER_FR' else 'OTHER' end
        from population_batch where id::text like '018f3c1e%'`,
      `insert into look_up (network_operator, identifier, customer_authorisation, state, due_at)
        select 'grdf', 'GI' || g, false, 'deferred', now() + interval '1 day' from generate_series(1, 20000) g`,
      `set session_replication_role = origin`,
      `analyze`,
    ]) {
      await client.query(statement);
    }
  } finally {
    client.release();
  }
  const batches = countingReads(service, 'select population_batch');
  for (const importSupplier of [undefined, 'SUPPLIER_FR', 'NOBODY']) {
    for (const status of [undefined, 'IN_PROGRESS', 'COMPLETED', 'CANCELLED'] as const) {
      await listBatches(batches.database, { status, importSupplier }, 51);
    }
  }
  expect(batches.read.filter(([, rows]) => rows > 500)).toEqual([]);
  expect(batches.read).toHaveLength(12);
  // All are due at the same time, so a page starts among them.
  const { database, read } = countingReads(service, 'select look_up');
  const first = (await listDeferredLookups(database, 'grdf', null)) as { next_cursor: string };
  const second = (await listDeferredLookups(database, 'grdf', first.next_cursor)) as {
    look_ups: { identifier: string }[];
  };
  expect(second.look_ups[0]!.identifier).toBe('GI51');
  expect(read.filter(([, rows]) => rows > 200)).toEqual([]);
});
