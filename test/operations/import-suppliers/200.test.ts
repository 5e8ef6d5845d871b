import { afterAll, expect, test } from '@jest/globals';
import { startService } from '../../support/harness.ts';

const service = await startService();
afterAll(() => service.stop());

const put = (code: string, body: unknown) =>
  service.call('PUT', `/v1/operations/import-suppliers/${code}/`, { token: service.operatorToken, body });
const get = (path: string) => service.call('GET', `/v1/operations/${path}`, { token: service.operatorToken });

test('changes only the members of a PUT', async () => {
  await put('PART', {
    name: 'Part',
    document_root: 'file:///docs',
    options: { check_documents: true, closed_value_sets: { reason: ['X'] } },
    reason: 'first',
  });
  const answer = await put('PART', { status: 'Paused' });
  expect(answer.status).toBe(200);
  expect(answer.body).toMatchObject({
    name: 'Part',
    status: 'Paused',
    document_root: 'file:///docs',
    options: { check_documents: true, closed_value_sets: { reason: ['X'] } },
    options_revision: 2,
    reason: 'first',
  });
  expect((await get('import-suppliers/PART/')).body).toEqual(answer.body);
});

test('merges options, removes one on null, and raises their revision only on a change', async () => {
  const [closed, wider] = [{ reason: ['X'] }, { reason: ['X', 'Y'] }];
  expect((await put('OPT', { options: { check_documents: true, closed_value_sets: closed } })).body).toMatchObject({
    options: { check_documents: true, closed_value_sets: closed },
    options_revision: 2,
  });
  expect((await put('OPT', { options: { closed_value_sets: closed } })).body).toMatchObject({
    options: { check_documents: true, closed_value_sets: closed },
    options_revision: 2,
  });
  expect((await put('OPT', { options: { closed_value_sets: wider } })).body).toMatchObject({
    options: { check_documents: true, closed_value_sets: wider },
    options_revision: 3,
  });
  const { body } = await put('OPT', { options: { check_documents: null } });
  expect([body.options, body.options_revision]).toEqual([{ closed_value_sets: wider }, 4]);
});

test('audits who, what, before, after and why for every change, and nothing otherwise', async () => {
  await put('AUDITED', {});
  await put('AUDITED', { status: 'Complete', reason: 'campaign over' });
  await put('AUDITED', { status: 'Complete' });
  const { body } = await get('audit/?subject=import-suppliers/AUDITED');
  expect(body).toHaveLength(2);
  expect(body[0]).toMatchObject({
    action: 'import_supplier.changed',
    before: { status: 'Ongoing' },
    after: { status: 'Complete' },
    reason: 'campaign over',
    actor: { key_id: expect.any(String), name: expect.any(String) },
  });
});

test('loses none of several concurrent changes', async () => {
  await put('RACE', {});
  const changes = [
    { options: { check_documents: true } },
    { options: { industry_switch: false } },
    { options: { closed_value_sets: { reason: ['X'] } } },
    { name: 'Race' },
    { status: 'Paused' },
    { document_root: 's3://race' },
    { reason: 'many hands' },
  ];
  await Promise.all(changes.map((change) => put('RACE', change)));
  const { body } = await get('import-suppliers/RACE/');
  expect(body).toMatchObject({
    name: 'Race',
    status: 'Paused',
    document_root: 's3://race',
    reason: 'many hands',
    options_revision: 4,
  });
  expect(body.options).toEqual({ check_documents: true, industry_switch: false, closed_value_sets: { reason: ['X'] } });
});

test('updates updated_at with a change, in UTC', async () => {
  const first = (await put('TIME', {})).body;
  const second = (await put('TIME', { name: 'Time' })).body;
  expect(second.created_at).toBe(first.created_at);
  expect(Date.parse(second.updated_at)).toBeGreaterThanOrEqual(Date.parse(first.updated_at));
  expect((await get('import-suppliers/TIME')).body).toEqual(second);
});

test('orders the list by code', async () => {
  await put('B-LAST', {});
  await put('A-FIRST', {});
  const { status, body } = await get('import-suppliers/');
  expect(status).toBe(200);
  const codes = body.map(({ code }: { code: string }) => code);
  expect(codes).toEqual([...codes].sort());
  expect(codes).toEqual(expect.arrayContaining(['A-FIRST', 'B-LAST']));
});
