import { afterAll, expect, test } from '@jest/globals';
import { workflowIds } from '../../../temporal.config.ts';
import { until } from '../../support/until.ts';
import { domesticAccount } from '../../support/account-payload.ts';
import { points, POPULATE, startPopulation, sums } from '../../support/population.ts';

const service = await startPopulation();
afterAll(() => service.stop());

test('answers a batch of both kinds immediately, looks it up, and stores the supply points', async () => {
  const prms = [...points(20), '99999999999999'];
  const pces = [...points(10, 36_000_000_000_000).map((id) => id.padStart(14, '0')), 'GI153881'];
  const batchId = await service.populate(prms, pces);
  const status = await service.ended(batchId);
  expect(status).toMatchObject({
    batch_id: batchId,
    status: 'COMPLETED',
    truncated: false,
    ended_at: expect.any(String),
    counts: {
      accepted: { prm_ids: 21, pce_ids: 11 },
      imported: { prm_ids: 20, pce_ids: 11 },
      pending: { prm_ids: 0, pce_ids: 0 },
      errored: { prm_ids: 1, pce_ids: 0 },
    },
    errored_requests: { prms: [{ id: '99999999999999', errored_reason: 'EPRM000' }], pces: [] },
    warnings: { repeated: 0, in_both_lists: { count: 0, identifiers: [] } },
  });
  expect(status.imported_requests.pce_ids.toSorted()).toEqual(pces.toSorted());
  const { rows } = await service.database.pool.query(
    `select identifier, facts, facts_source from supply_point where supply_type = 'ELECTRICITY' order by identifier`,
  );
  expect(rows).toHaveLength(20);
  expect(rows[0]).toEqual({
    identifier: '25000000000000',
    facts_source: 'enedis-sge',
    facts: { contract_status: 'SERVC', segment: 'C5', service_level: '2', voltage: 'BTINF', meter_type: 'AMM' },
  });
  expect(service.enedis.calls).toHaveLength(21);
});

test('links a later account to the existing record, and fills the record of an existing account', async () => {
  const account = domesticAccount({ import_supplier: 'SUPPLIER_FR', external_account_number: 'POPULATED-1' });
  const identifiers = account.supply_addresses!.flatMap(({ supply_points: list }: any) => list);
  const [prm, pce] = ['ELECTRICITY', 'GAS'].map(
    (type) => identifiers.find((point: any) => point.supply_type === type).identifier,
  );
  await service.ended(await service.populate([prm]));
  const create = async () => {
    await service.call('POST', '/v1/data-import/account-import-process/create-or-update/', {
      token: service.token,
      body: account,
    });
    return service.call('POST', '/v1/data-import/account-import-process/process/', {
      token: service.token,
      body: {
        external_account_number: 'POPULATED-1',
        import_supplier_code: 'SUPPLIER_FR',
        operations_team_name: 'Migration',
      },
    });
  };
  expect((await create()).status).toBe(201);
  await service.ended(await service.populate([], [pce]));
  const { rows } = await service.database.pool.query(
    `
    select m.identifier, m.facts is not null as filled, count(a.account_id)::integer as accounts from supply_point m left join account_supply_point a on a.supply_point_id = m.id
    where m.identifier = any($1) group by 1, 2 order by 1`,
    [[prm, pce]],
  );
  expect(rows).toEqual([prm, pce].toSorted().map((identifier) => ({ identifier, filled: true, accounts: 1 })));
});

test('counts a known point immediately, and looks it up again only after the configured time or an error', async () => {
  const [known, old] = points(2, 26_000_000_000_000) as [string, string];
  await service.ended(await service.populate([known, old, '99010000000001']));
  await service.database.pool.query(
    `update look_up set completed_at = now() - interval '31 days' where identifier = $1`,
    [old],
  );
  const calls = service.enedis.calls.length;
  const status = await service.ended(await service.populate([known, old, '99010000000001']));
  expect(sums(status)).toEqual({ accepted: 3, imported: 2, pending: 0, errored: 1 });
  expect(
    service.enedis.calls
      .slice(calls)
      .map(({ identifier }) => identifier)
      .toSorted(),
  ).toEqual([old, '99010000000001'].toSorted());
  const allKnown = await service.populate([known]);
  expect(await service.status(allKnown)).toMatchObject({ status: 'COMPLETED' });
  const run = service.gateway.client().workflow.getHandle(workflowIds.populateSupplyPoints(allKnown));
  await until(async () => (await run.describe().catch(() => undefined))?.status.name === 'COMPLETED');
  expect(await run.result()).toBe('COMPLETED');
});

test('looks a repeated identifier up once, and warns of one in both lists', async () => {
  const [point] = points(1, 27_000_000_000_000) as [string];
  const answer = await service.call('POST', POPULATE, {
    token: service.token,
    body: { prm_ids: [point, point], pce_ids: [point], customer_category: 'Professional' },
  });
  const status = await service.ended(answer.body.batch_id);
  expect(status).toMatchObject({
    warnings: { repeated: 1, in_both_lists: { count: 1, identifiers: [point] } },
    counts: { accepted: { prm_ids: 1, pce_ids: 1 } },
  });
});

test('accepts 100,000 identifiers in one request, and releases all of them on cancellation', async () => {
  await service.setSpeed('enedis', 0);
  const many = points(100_000, 30_000_000_000_000);
  const begins = performance.now();
  const batchId = await service.populate(many);
  const tookMs = performance.now() - begins;
  if (process.env['FIGURES']) process.stderr.write(`populate 100,000: ${Math.round(tookMs)} ms\n`);
  expect(sums(await service.status(batchId))).toEqual({ accepted: 100_000, imported: 0, pending: 100_000, errored: 0 });
  expect(
    (
      await service.call('POST', `/v1/operations/population-batches/${batchId}/cancel/`, {
        token: service.operatorToken,
      })
    ).body,
  ).toEqual({ batch_id: batchId, status: 'CANCELLED', cancelled: 100_000 });
});
