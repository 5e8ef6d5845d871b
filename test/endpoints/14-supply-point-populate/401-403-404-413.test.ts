import { afterAll, expect, test } from '@jest/globals';
import { startService } from '../../support/harness.ts';
import { points, POPULATE } from '../../support/population.ts';

const service = await startService({ settings: { POPULATE_BODY_LIMIT_BYTES: '20000' } });
afterAll(() => service.stop());

test('stores nothing without a token', async () => {
  expect(await service.call('POST', POPULATE, { body: { prm_ids: points(1) } })).toMatchObject({
    status: 401,
    body: { code: 'not_authenticated' },
  });
  expect(await service.call('GET', `${POPULATE}0199a3c2-6f1e-7c40-9a53-1b2f6d0c8e77/`)).toMatchObject({ status: 401 });
  expect((await service.database.pool.query('select 1 from population_batch')).rows).toEqual([]);
});

test('rejects a batch of a key without import supplier', async () => {
  for (const token of [await service.supplierToken([]), service.operatorToken]) {
    const answer = await service.call('POST', POPULATE, { token, body: { prm_ids: points(1) } });
    expect(answer).toMatchObject({
      status: 403,
      body: { code: 'permission_denied', detail: expect.stringContaining('no import supplier') },
    });
  }
  expect((await service.database.pool.query('select 1 from population_batch')).rows).toEqual([]);
});

test('shows a key of the organisation only the batches of its own import suppliers', async () => {
  await service.database.pool.query(`insert into import_supplier (code, name) values ('SUPPLIER_BE', 'Another')`);
  const both = await service.supplierToken(['SUPPLIER_FR', 'SUPPLIER_BE']);
  const send = async (body: object) => (await service.call('POST', POPULATE, { token: both, body })).body.batch_id;
  const [plain, named] = [
    await send({ prm_ids: points(1) }),
    await send({ prm_ids: points(1), import_supplier: 'SUPPLIER_FR' }),
  ];
  const see = (batch: string, token: string) => service.call('GET', `${POPULATE}${batch}/`, { token });
  expect((await see(plain, both)).body.import_suppliers).toEqual(['SUPPLIER_BE', 'SUPPLIER_FR']);
  expect((await see(named, both)).body.import_suppliers).toEqual(['SUPPLIER_FR']);
  const one = await service.supplierToken(['SUPPLIER_FR']);
  await service.database.pool.query(
    'update api_key set organisation_id = (select organisation_id from population_batch where id = $1) where id = (select id from api_key order by created_at desc limit 1)',
    [plain],
  );
  expect((await see(named, one)).status).toBe(200);
  expect((await see(plain, one)).status).toBe(404);
});

test("answers alike for an unknown batch, an invalid id, and another organisation's batch", async () => {
  const [mine, other] = [await service.supplierToken(['SUPPLIER_FR']), await service.supplierToken(['SUPPLIER_FR'])];
  const { body } = await service.call('POST', POPULATE, { token: mine, body: { prm_ids: points(1) } });
  expect((await service.call('GET', `${POPULATE}${body.batch_id}/`, { token: mine })).status).toBe(200);
  const answers = [
    await service.call('GET', `${POPULATE}${body.batch_id}/`, { token: other }),
    await service.call('GET', `${POPULATE}0199a3c2-6f1e-7c40-9a53-1b2f6d0c8e77/`, { token: mine }),
    await service.call('GET', `${POPULATE}nothing/`, { token: mine }),
  ];
  for (const answer of answers) {
    expect(answer).toMatchObject({
      status: 404,
      body: { code: 'not_found', detail: 'There is no population batch with this id.' },
    });
  }
});

test('rejects a body over its own limit', async () => {
  const token = await service.supplierToken(['SUPPLIER_FR']);
  expect(await service.call('POST', POPULATE, { token, body: { prm_ids: points(1_000) } })).toMatchObject({
    status: 201,
  });
  expect(await service.call('POST', POPULATE, { token, body: { prm_ids: points(2_000) } })).toMatchObject({
    status: 413,
    body: { code: 'request_too_large' },
  });
});
