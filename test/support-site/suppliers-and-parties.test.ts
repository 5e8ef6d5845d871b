import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { foldAccountCounts } from '../../src/account-import/count/account-counts.store.ts';
import { reportPartyHealth } from '../../src/platform/vendor-http/party-health.store.ts';
import { createLog } from '../../src/platform/log.ts';
import { domesticAccount } from '../support/account-payload.ts';
import { startService, type Service } from '../support/harness.ts';
import { startSite, type Site, type Visitor } from '../support/support-site.ts';
import { until } from '../support/until.ts';

let service: Service;
let site: Site;
let viewer: Visitor;
beforeAll(async () => {
  service = await startService({ worker: true });
  site = await startSite(service);
  viewer = await site.signedIn('read');
});
afterAll(async () => {
  await site.stop();
  await service.stop();
});

/** The text of a page without markup. */
async function read(path: string): Promise<string> {
  const { status, text } = await viewer.get(path);
  expect([path, status]).toEqual([path, 200]);
  return text.replaceAll(/<[^>]*>/g, ' ').replaceAll(/\s+/g, ' ');
}

test('shows the accounts of an import supplier from staged to switched, with what is missing, and the last days', async () => {
  const token = await service.supplierToken(['SUPPLIER_FR']);
  const call = (path: string, body: object) =>
    service.call('POST', `/v1/data-import/account-import-process/${path}/`, { token, body });
  for (const external of ['A-1', 'A-2']) {
    const account = { import_supplier: 'SUPPLIER_FR', external_account_number: external };
    expect((await call('create-or-update', domesticAccount(account, Number(external.slice(2))))).status).toBe(201);
  }
  const creation = { import_supplier_code: 'SUPPLIER_FR', external_account_number: 'A-1' };
  expect((await call('process', { ...creation, operations_team_name: 'Migration' })).status).toBe(201);
  await foldAccountCounts(service.database);
  const options = { industry_switch: true, staged_accounts_max: 5_000 };
  const changed = await service.call('PUT', '/v1/operations/import-suppliers/SUPPLIER_FR/', {
    token: service.operatorToken,
    body: { options },
  });
  expect(changed.status).toBe(200);

  const text = await read('/suppliers/SUPPLIER_FR');
  expect(text).toMatch(/Staged 1 wait for creation 2 .*Created 1 switch pending 1 /);
  expect(text).toMatch(/The last 30 days Staged 2 .* Created 1 /);
  expect(text).toContain('At most 5,000 accounts are staged and not created.');
  expect((await viewer.get('/suppliers/SUPPLIER_FR')).text).toContain(
    'href="/accounts?import_supplier=SUPPLIER_FR&amp;status=STAGED"',
  );
  expect(await read('/suppliers')).toMatch(/SUPPLIER_FR .* Ongoing 2 0 1 0/);
  for (const path of ['/suppliers/NOBODY', '/suppliers/a%00b', '/parties/nobody']) {
    expect([path, (await viewer.get(path)).status]).toEqual([path, 404]);
  }
});

test('stores outages of a party with their failed calls, and continues one whose circuit breaker opens again', async () => {
  const log = createLog({ level: 'silent', process: 'test' });
  const health = reportPartyHealth({ database: service.database, log });
  const stored = async () => {
    const { rows } = await service.database.pool.query(`select outages from party_health where party = 'ADYEN'`);
    return (rows[0]?.outages ?? []) as { from: string; to?: string; failed_calls: number }[];
  };
  const fail = (calls: number) => {
    for (let call = 0; call < calls; call += 1) health.called('ADYEN', 'unavailable');
    health.paused('ADYEN', 60_000);
  };
  fail(3);
  await until(async () => (await stored()).length === 1);
  expect(await read('/parties/ADYEN')).toMatch(/calls paused.*Outages.*not ended 1 3 /);
  health.called('ADYEN', 'ok');
  health.paused('ADYEN', undefined);
  await until(async () => (await stored())[0]?.to !== undefined);
  expect(await read('/parties/ADYEN')).not.toContain('not ended');

  fail(2);
  await until(async () => (await stored())[0]?.failed_calls === 5);
  expect(await stored()).toMatchObject([{ from: expect.any(String), failed_calls: 5 }]);
  health.paused('ADYEN', undefined);
  await until(async () => (await stored())[0]?.to !== undefined);

  await service.database.pool.query(`
    update party_health set outages = jsonb_set(outages, '{0,to}', to_jsonb(now() - interval '2 minutes')) where party = 'ADYEN'`);
  fail(1);
  await until(async () => (await stored()).length === 2);
  expect((await stored()).map(({ failed_calls: calls }) => calls)).toEqual([1, 5]);
  expect(await read('/parties')).toMatch(/Adyen calls paused .* since /);
});

test('stores the responses and failures of a party by minute, and deletes them after a day', async () => {
  await service.database.pool.query(`
    insert into party_minute (party, minute, answered, failed) values ('STRIPE', now() - interval '25 hours', 1, 0), ('STRIPE', now() - interval '2 hours', 30, 4)`);
  const health = reportPartyHealth({
    database: service.database,
    log: createLog({ level: 'silent', process: 'test' }),
    countsEveryMs: 1,
  });
  for (const outcome of ['ok', 'rejected', 'busy', 'unavailable']) health.called('STRIPE', outcome);
  await until(async () => {
    const { rows } = await service.database.pool.query(
      `select sum(answered)::integer as answered, sum(failed)::integer as failed, count(*)::integer as minutes from party_minute where party = 'STRIPE'`,
    );
    return JSON.stringify(rows[0]) === JSON.stringify({ answered: 32, failed: 6, minutes: 2 });
  });
  expect(await read('/parties/STRIPE')).toMatch(
    /Responses 32 most in a minute: 30 Failures 6 most in a minute: 4 .* Calls by minute .* 30 4 /,
  );
  expect(await read('/parties/SLIMPAY')).toContain('It was not called in the last 24 hours.');
});

test('shows the speed of a network operator with who set it, when and why', async () => {
  const body = { requests_per_second: 8, reason: 'agreed by phone' };
  const path = '/v1/operations/network-operators/enedis/throttle/';
  expect((await service.call('PUT', path, { token: service.operatorToken, body })).status).toBe(200);
  for (const page of ['/parties/enedis', '/supply-points/throttle/enedis']) {
    expect(await read(page)).toMatch(/set Enedis from [\d,.]+ to 8 a second : agreed by phone/);
  }
  expect(await read('/parties/industry-switch')).toContain('Accounts whose switch is not accepted yet');
});
