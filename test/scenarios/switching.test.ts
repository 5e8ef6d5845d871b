import { afterAll, expect, test } from '@jest/globals';
import { startIndustrySwitchSimulator } from '../../src/vendors/industry-switch/industry-switch.simulator.ts';
import { businessAccount } from '../support/account-payload.ts';
import { businessRequest } from '../support/business-payload.ts';
import { startService } from '../support/harness.ts';
import { until } from '../support/until.ts';
import { switchTestOf } from '../support/switching.ts';

// Messages come over the wire, as from the real party, after its responses are stored, so that the history is
// always the same.
const simulator = await startIndustrySwitchSimulator({
  pauseMs: 50,
  deliver: async (messages) => {
    const { external_account_number: external } = messages[0]!;
    await until(async () =>
      (await tests.view(external)).switch_requests.every(({ answer }: any) => answer === 'ACCEPTED'),
    );
    await until(async () => (await tests.send(...messages)).status === 200);
  },
});
const service = await startService({
  worker: true,
  settings: { INDUSTRY_SWITCH_URL: simulator.url, INDUSTRY_SWITCH_CREDENTIAL: 'secret' },
});
const tests = await switchTestOf(service);
afterAll(async () => {
  await simulator.stop();
  await service.stop();
});

const post = async (path: string, body: unknown) =>
  service.call('POST', `/v1/data-import/${path}/`, { token: await service.supplierToken(['SUPPLIER_FR']), body });

// Runs the whole story twice: each run leaves the other's data alone.
test.each([1, 2])('completes business, account and switch (round %d)', async (round) => {
  expect((await post('business', businessRequest({}, round))).status).toBe(201);
  const account = businessAccount({ import_supplier: 'SUPPLIER_FR' }, round);
  account.business = { ...account.business, business_contract_identifier: `FRAME-${round}` };
  const external = account.external_account_number;
  expect((await post('account-import-process/create-or-update', account)).status).toBe(201);
  expect(
    (
      await post('account-import-process/process', {
        import_supplier_code: 'SUPPLIER_FR',
        external_account_number: external,
        operations_team_name: 'Migration',
      })
    ).status,
  ).toBe(201);
  expect(await tests.status(external)).toBe('PENDING');
  expect(await tests.openRuns()).toEqual([]);

  await tests.dispatch();
  // The history shows that it was IN_PROGRESS; polling may miss it.
  await tests.become(external, 'COMPLETED');
  const { switch_status: status, switch_history: history, switch_requests: requests } = await tests.view(external);
  expect(status).toBe('COMPLETED');
  expect(requests.map(({ answer, round: of }: any) => [answer, of])).toEqual(requests.map(() => ['ACCEPTED', 1]));
  expect(history.map(({ from, to, by }: any) => `${from} -> ${to} by ${by}`).sort()).toEqual(
    requests.flatMap(() => ['IN_PROGRESS -> COMPLETED by message', 'PENDING -> IN_PROGRESS by answer']).sort(),
  );
  await until(async () => (await service.database.pool.query('select 1 from work_item')).rows.length === 0);
});
