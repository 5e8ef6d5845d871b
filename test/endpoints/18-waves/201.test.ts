import { afterAll, expect, test } from '@jest/globals';
import { startService } from '../../support/harness.ts';
import { waveClient, WAVES } from '../../support/waves.ts';

const service = await startService();
afterAll(() => service.stop());
const client = await waveClient(service);
const { token } = client.jobs;
const open = (body: object, headers: Record<string, string> = {}) =>
  service.call('POST', WAVES, { token, body, headers });
const wave = { import_supplier: 'SUPPLIER_FR', name: 'Brittany 3', operations_team_name: 'Migration' };

test('opens a wave once per Idempotency-Key, with its work, and shows it', async () => {
  const key = { 'idempotency-key': 'brittany-3' };
  const [first, again] = [await open(wave, key), await open(wave, key)];
  expect(first).toMatchObject({ status: 201, body: { status: 'PREPARING' } });
  expect(again.body).toEqual(first.body);
  const id = first.body.wave_id;
  const { rows } = await service.database.pool.query('select kind, input from work_item where workflow_id = $1', [
    `wave/${id}`,
  ]);
  expect(rows).toEqual([{ kind: 'wave', input: { waveId: id, importSupplier: 'SUPPLIER_FR' } }]);
  expect(await client.see(id)).toMatchObject({
    name: 'Brittany 3',
    status: 'PREPARING',
    counts: { accounts: 0 },
    gate: 'complete',
    approval: null,
    plan: { create_from: null },
  });
});

test('rejects a plan that ends before it begins, an unknown team, a used name and a foreign supplier', async () => {
  const answer = await open({
    ...wave,
    import_supplier: 'SOMEBODY',
    plan: {
      create_from: '2026-12-12T22:00:00+01:00',
      create_until: '2026-12-12T21:00:00Z',
      supply_start_from: '2027-02-01',
      supply_start_to: '2027-01-01',
    },
    options: { stop_after_failures: {}, canarry: 5 },
  });
  expect(answer.status).toBe(400);
  const attrs = answer.body.errors.map(({ attr, code }: { attr: string; code: string }) => `${attr} ${code}`);
  expect(attrs).toEqual(
    expect.arrayContaining([
      'import_supplier invalid_choice',
      'plan.create_until invalid',
      'plan.supply_start_to invalid',
      'options.stop_after_failures required',
    ]),
  );
  expect((await open({ ...wave, name: 'New', operations_team_name: 'Nobody' })).body.errors[0]).toMatchObject({
    attr: 'operations_team_name',
    code: 'operations_team_name_does_not_exist',
  });
  expect((await open(wave)).body.errors[0]).toMatchObject({ attr: 'name', code: 'invalid' });
});

test('lists waves, newest first, a page at a time, by supplier and status', async () => {
  const [one, two] = [await client.open(), await client.open()];
  await client.post(one, 'cancel');
  const list = async (query: string) => service.call('GET', `${WAVES}?${query}`, { token });
  const page = await list('limit=1');
  expect(page.body.map((found: { wave_id: string }) => found.wave_id)).toEqual([two]);
  const next = /<([^>]+)>/.exec(page.headers['link']!)![1]!;
  expect((await service.call('GET', next, { token })).body[0].wave_id).toBe(one);
  expect((await list('status=CANCELLED&import_supplier=SUPPLIER_FR')).body).toEqual([
    expect.objectContaining({ wave_id: one, status: 'CANCELLED' }),
  ]);
  expect((await list('limit=0&status=LOST&import_supplier=%00&cursor=x')).body.errors).toHaveLength(4);
  const operators = await service.call('GET', '/v1/operations/waves/?limit=1', { token: service.operatorToken });
  expect(operators.body[0].wave_id).toBe(two);
  const wrong = await service.call('GET', '/v1/operations/waves/?limit=x', { token: service.operatorToken });
  expect(wrong.body.code).toBe('validation_failed');
  const stranger = await service.supplierToken(['SUPPLIER_FR']);
  expect((await service.call('GET', WAVES, { token: stranger })).status).toBe(200);
});
