import { afterAll, expect, test } from '@jest/globals';
import { startService } from '../../support/harness.ts';

const service = await startService({ temporal: false });
afterAll(() => service.stop());

const PATH = '/v1/operations/bulk-actions/';
const UNKNOWN = '019ac3f2-c4d7-7a2e-8f3c-6b8d0e2f4a7c';
const send = (method: string, path = '', body?: unknown) =>
  service.call(method, `${PATH}${path}`, { token: service.operatorToken, body });
const query = async (text: string, values: unknown[] = []) => (await service.database.pool.query(text, values)).rows;

await query(
  `insert into work_item (workflow_id, kind, input, start_at, cause, party, failure, failing_since)
   select 'verify-instruction/' || lpad(n::text, 3, '0'), 'verify-payment-instruction',
     jsonb_build_object('importSupplier', case when n % 2 = 0 then 'SUPPLIER_FR' else 'OTHER' end, 'externalAccountNumber', 'A-' || n),
     now() + interval '1 hour', 'vendor_unavailable', 'SLIMPAY', 'SLIMPAY did not answer.', now() - n * interval '1 minute'
   from generate_series(1, 100) n`,
);

test('previews the matching items with their count, the oldest and a sample', async () => {
  const preview = (filter: object) => send('POST', '', { action: 'retry', filter, reason: 'Preview', dry_run: true });
  const { status, body } = await preview({ cause: 'vendor_unavailable' });
  expect(status).toBe(200);
  expect(body.matched).toBe(100);
  expect(body.sample.map(({ item }: any) => item)).toEqual(
    [100, 99, 98, 97, 96].map((n) => `verify-instruction/${String(n).padStart(3, '0')}`),
  );
  expect(body.sample[0]).toEqual({
    item: 'verify-instruction/100',
    cause: 'vendor_unavailable',
    party: 'SLIMPAY',
    import_supplier: 'SUPPLIER_FR',
    external_account_number: 'A-100',
    stuck_since: body.oldest_at,
  });
  const counts = [
    { party: 'STRIPE' },
    { party: 'SLIMPAY', import_supplier: 'SUPPLIER_FR' },
    { older_than_seconds: 3_570 },
    { cause: 'vendor_busy' },
    { wave_id: UNKNOWN },
    {},
  ].map(async (filter) => (await preview(filter)).body.matched);
  expect(await Promise.all(counts)).toEqual([0, 50, 41, 0, 0, 100]);
  expect(await query('select 1 from bulk_action')).toEqual([]);
});

test('starts an action with one audit entry, and pauses, resumes and cancels it', async () => {
  const started = await send('POST', '', {
    action: 'retry',
    filter: { cause: 'vendor_unavailable', import_supplier: 'OTHER' },
    reason: 'SLIMPAY has recovered.',
  });
  expect(started).toMatchObject({
    status: 202,
    body: { action: 'retry', status: 'RUNNING', matched: 50, handled: 0, reason: 'SLIMPAY has recovered.' },
  });
  const { bulk_action_id: id, filter } = started.body;
  expect(filter).toMatchObject({ cause: 'vendor_unavailable', import_supplier: 'OTHER', party: null, wave_id: null });
  expect(await query(`select input from work_item where workflow_id = $1`, [`bulk/${id}`])).toEqual([
    { input: { bulkActionId: id } },
  ]);
  const audited = () =>
    query(`select action, reason from audit_entry where subject = $1 order by id`, [`bulk-actions/${id}`]);
  expect(await audited()).toEqual([{ action: 'bulk_action.started', reason: 'SLIMPAY has recovered.' }]);
  const reason = { reason: 'It fails again.' };
  expect((await send('POST', `${id}/pause/`, reason)).body.status).toBe('PAUSED');
  expect((await send('POST', `${id}/pause/`, reason)).body.status).toBe('PAUSED');
  expect((await send('POST', `${id}/resume/`, reason)).body.status).toBe('RUNNING');
  expect((await send('POST', `${id}/cancel/`, reason)).body).toMatchObject({
    status: 'CANCELLED',
    ended_at: expect.any(String),
  });
  expect((await send('POST', `${id}/resume/`, reason)).body.status).toBe('CANCELLED');
  expect((await audited()).map(({ action }) => action)).toEqual([
    'bulk_action.started',
    'bulk_action.paused',
    'bulk_action.resumed',
    'bulk_action.cancelled',
  ]);
  expect(await query(`select 1 from work_item where workflow_id = $1`, [`bulk/${id}`])).toEqual([]);
  expect((await send('GET', `${id}/`)).body).toMatchObject({ bulk_action_id: id, workflow_id: `bulk/${id}` });
  expect((await send('GET')).body.bulk_actions).toMatchObject([{ bulk_action_id: id }]);
});

test('streams the outcome of each item as JSON lines', async () => {
  const { body } = await send('POST', '', { action: 'dismiss', reason: 'Old messages.' });
  const id = body.bulk_action_id;
  await query(
    `insert into bulk_action_item (bulk_action_id, position, item, import_supplier, external_account_number, outcome, code)
     select $1, n, 'M-' || n, 'SUPPLIER_FR', 'A-' || n, case when n = 2 then 'refused' else 'done' end, case when n = 2 then 'validation_failed' end
     from generate_series(1, 5001) n`,
    [id],
  );
  const { status, headers, body: lines } = await send('GET', `${id}/results/`);
  expect([status, headers['content-type']]).toEqual([200, 'application/x-ndjson']);
  expect(lines).toHaveLength(5_001);
  expect(lines[1]).toEqual({
    item: 'M-2',
    import_supplier: 'SUPPLIER_FR',
    external_account_number: 'A-2',
    outcome: 'refused',
    code: 'validation_failed',
    handled_at: expect.any(String),
  });
});

test.each([
  [{ action: 'retry' }, 'reason'],
  [{ action: 'erase', reason: 'x' }, 'action'],
  [{ action: 'decide', reason: 'x' }, 'decision'],
  [{ action: 'assign', reason: 'x' }, 'to_import_supplier'],
  [{ action: 'retry', decision: 'LEAVE', reason: 'x' }, 'decision'],
  [{ action: 'retry', to_import_supplier: 'OTHER', reason: 'x' }, 'to_import_supplier'],
  [{ action: 'retry', filter: { wave_id: 'first' }, reason: 'x' }, 'filter.wave_id'],
  [{ action: 'retry', filter: { causes: 'x' }, reason: 'x' }, 'filter.causes'],
  [{ action: 'retry', filter: { older_than_seconds: -1 }, reason: 'x' }, 'filter.older_than_seconds'],
])('rejects %j', async (body, attr) => {
  expect(await send('POST', '', body)).toMatchObject({
    status: 400,
    body: { code: 'validation_failed', errors: [{ attr }] },
  });
});

test('rejects unknown actions, and changes without a reason', async () => {
  for (const id of ['no-id', UNKNOWN]) {
    const calls = ['pause/', 'resume/', 'cancel/'].map((verb) => send('POST', `${id}/${verb}`, { reason: 'x' }));
    for (const call of [...calls, send('GET', `${id}/`), send('GET', `${id}/results/`)]) {
      expect(await call).toMatchObject({ status: 404, body: { code: 'not_found' } });
    }
  }
  expect((await send('POST', `${UNKNOWN}/pause/`, {})).status).toBe(400);
});
