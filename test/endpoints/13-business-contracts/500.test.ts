import { afterAll, expect, test } from '@jest/globals';
import { businessRequest, contractsRequest } from '../../support/business-payload.ts';
import { startService } from '../../support/harness.ts';

const service = await startService({ temporal: false });
afterAll(() => service.stop());

test('rolls back when the database fails halfway, and accepts the same request afterwards', async () => {
  const token = await service.supplierToken(['SUPPLIER_FR']);
  const { pool } = service.database;
  const contractsStored = async (): Promise<number> =>
    (await pool.query('select count(*)::integer as n from business_contract')).rows[0].n;
  expect((await service.call('POST', '/v1/data-import/business/', { token, body: businessRequest() })).status).toBe(
    201,
  );
  await pool.query(
    `create function fail() returns trigger language plpgsql as $$ begin raise 'broken by the test'; end $$`,
  );
  await pool.query('create trigger fail before insert on contract_term for each row execute function fail()');
  const requests: [string, unknown][] = [
    ['business', businessRequest({}, 2)],
    ['business-contracts/create', contractsRequest(['LATER'])],
  ];
  for (const [path, body] of requests) {
    const answer = await service.call('POST', `/v1/data-import/${path}/`, { token, body });
    expect(answer.status).toBe(500);
    expect(answer.body).toMatchObject({ code: 'error', errors: [] });
    expect(JSON.stringify(answer.body)).not.toContain('broken by the test');
  }
  expect(await contractsStored()).toBe(1);
  expect((await pool.query('select count(*)::integer as n from business')).rows[0].n).toBe(1);
  await pool.query('drop trigger fail on contract_term');
  for (const [path, body] of requests) {
    expect((await service.call('POST', `/v1/data-import/${path}/`, { token, body })).status).toBe(201);
  }
});
