import { afterAll, expect, test } from '@jest/globals';
import { send } from '../../support/harness.ts';
import { points, POPULATE, startPopulation } from '../../support/population.ts';

const service = await startPopulation({ worker: false });
afterAll(() => service.stop());
await service.database.pool.query(`insert into import_supplier (code, name) values ('ELSE', 'Another')`);
const other = await service.supplierToken(['SUPPLIER_FR']);

const list = (query = '', token = service.token) => service.call('GET', `${POPULATE}${query}`, { token });
const idsOf = ({ body }: { body: any }) => body.map(({ batch_id: id }: any) => id);

test('lists batches with time and counts, newest first, so that a caller finds one whose response was lost; hides them from other organisations', async () => {
  expect((await list()).body).toEqual([]);
  const first = await service.populate(points(3), ['GI153881']);
  // The response is discarded, like that of a client that hangs up.
  await send(service.url, 'POST', POPULATE, {
    token: service.token,
    body: { prm_ids: points(1_200, 46_000_000_000_000), import_supplier: 'SUPPLIER_FR' },
  });
  const { status, body, headers } = await list();
  expect(status).toBe(200);
  expect(headers['link']).toBeUndefined();
  expect(body).toEqual([
    {
      ...body[0],
      status: 'IN_PROGRESS',
      import_suppliers: ['SUPPLIER_FR'],
      ended_at: null,
      counts: {
        accepted: { prm_ids: 1_200, pce_ids: 0 },
        imported: { prm_ids: 0, pce_ids: 0 },
        pending: { prm_ids: 1_200, pce_ids: 0 },
        errored: { prm_ids: 0, pce_ids: 0 },
      },
    },
    {
      ...body[1],
      batch_id: first,
      counts: {
        accepted: { prm_ids: 3, pce_ids: 1 },
        imported: { prm_ids: 0, pce_ids: 0 },
        pending: { prm_ids: 3, pce_ids: 1 },
        errored: { prm_ids: 0, pce_ids: 0 },
      },
    },
  ]);
  const lost = await service.status(body[0].batch_id);
  for (const member of ['batch_id', 'status', 'import_suppliers', 'counts', 'created_at', 'ended_at']) {
    expect([member, lost[member]]).toEqual([member, body[0][member]]);
  }
  expect((await list('', other)).body).toEqual([]);
  // Operators see any batch, and the access is audited.
  expect(idsOf(await list('', service.operatorToken))).toEqual(idsOf({ body }));
  expect(
    (await service.call('GET', '/v1/operations/audit/?subject=population-batches', { token: service.operatorToken }))
      .body,
  ).toHaveLength(1);
});

test('continues pages without shifting them when new batches arrive', async () => {
  const all = [...idsOf(await list()).toReversed()];
  for (let batch = 0; batch < 5; batch += 1) all.push(await service.populate(points(1, 47_000_000_000_000 + batch)));
  const listed: string[] = [];
  let path: string | undefined = `${POPULATE}?limit=3`;
  let pages = 0;
  while (path !== undefined) {
    const page = await service.call('GET', path, { token: service.token });
    expect(page.status).toBe(200);
    listed.push(...idsOf(page));
    path = /^<([^>]+)>; rel="next"$/.exec(page.headers['link'] ?? '')?.[1];
    if ((pages += 1) === 1) await service.populate(points(1, 48_000_000_000_000));
  }
  expect(pages).toBe(3);
  expect(listed).toEqual(all.toReversed());
});

test('hides batches of another import supplier of the organisation from a key that is limited to one', async () => {
  const {
    rows: [key],
  } = await service.database.pool.query(
    `select k.id from population_batch b join api_key k on k.organisation_id = b.organisation_id limit 1`,
  );
  await service.database.pool.query(
    `insert into api_key_import_supplier (api_key_id, import_supplier) values ($1, 'ELSE')`,
    [key.id],
  );
  const before = idsOf(await list('?limit=100'));
  await new Promise((resolve) => {
    setTimeout(resolve, 1_100);
  });
  const hidden = await service.populate(points(1, 49_000_000_000_000), [], { import_supplier: 'ELSE' });
  expect(idsOf(await list('?limit=100'))).toEqual([hidden, ...before]);
  await service.database.pool.query(`delete from api_key_import_supplier where import_supplier = 'ELSE'`);
  await new Promise((resolve) => {
    setTimeout(resolve, 1_100);
  });
  expect(idsOf(await list('?limit=100'))).toEqual(before);
});

test.each([
  ['limit=0', 'limit'],
  ['limit=101', 'limit'],
  ['limit=ten', 'limit'],
  ['cursor=', 'cursor'],
  ['cursor=1', 'cursor'],
])('rejects %s', async (query, attr) => {
  expect(await list(`?${query}`)).toMatchObject({
    status: 400,
    body: { code: 'validation_failed', errors: [{ code: 'invalid', attr }] },
  });
});

test('reads no other batches on the way to a page', async () => {
  const { rows } = await service.database.pool
    .query(
      `set enable_seqscan = off; explain select id from population_batch b where organisation_id = (select id from organisation limit 1) and id < 'ffffffff-ffff-ffff-ffff-ffffffffffff' order by id desc limit 20`,
    )
    .then((results: any) => results[1]);
  expect(JSON.stringify(rows)).toContain('population_batch_newest');
});
