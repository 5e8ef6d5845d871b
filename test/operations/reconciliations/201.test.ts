import { afterAll, expect, test } from '@jest/globals';
import { startService } from '../../support/harness.ts';
import { OPERATORS_RECONCILIATIONS, UNKNOWN_RECONCILIATION } from '../../support/reconciliations.ts';

const service = await startService({ temporal: false });
afterAll(() => service.stop());

test('lets operators start and see any reconciliation', async () => {
  const token = service.operatorToken;
  const started = await service.call('POST', OPERATORS_RECONCILIATIONS, {
    token,
    body: { import_supplier: 'SUPPLIER_FR' },
  });
  expect(started.status).toBe(201);
  const path = `${OPERATORS_RECONCILIATIONS}${started.body.reconciliation_id}/`;
  expect((await service.call('GET', path, { token })).body).toMatchObject({ status: 'RUNNING' });
  expect((await service.call('GET', `${path}differences/`, { token })).body).toEqual([]);
  expect((await service.call('GET', `${path}certificate/`, { token })).body.code).toBe('reconciliation_not_completed');
});

test('lists all of them in pages, newest first', async () => {
  const token = service.operatorToken;
  await service.database.pool.query(
    `insert into reconciliation (id, import_supplier, tally, status, created_at, ended_at)
     select ('00000000-0000-7000-8000-' || lpad(n::text, 12, '0'))::uuid, 'SUPPLIER_FR', r.tally, 'COMPLETED', now(), now() from generate_series(1, 60) n, reconciliation r`,
  );
  const list = (query: string) => service.call('GET', `${OPERATORS_RECONCILIATIONS}${query}`, { token });
  const first = await list('?import_supplier=SUPPLIER_FR');
  expect(first.body).toHaveLength(50);
  expect(first.body[0]).toMatchObject({ status: 'RUNNING', accounts_in_all: 0, estimated_end_at: null });
  const next = /<([^>]+)>; rel="next"/.exec(first.headers['link']!)![1]!;
  const second = await service.call('GET', next, { token });
  expect(second.body).toHaveLength(11);
  expect(second.headers['link']).toBeUndefined();
  expect((await list('?import_supplier=NONE')).body).toEqual([]);
  expect(await list('?before=none')).toMatchObject({ status: 400, body: { errors: [{ attr: 'before' }] } });
});

test('answers 404 for an unknown reconciliation, and rejects an unknown import supplier', async () => {
  const token = service.operatorToken;
  const unknown = await service.call('GET', `${OPERATORS_RECONCILIATIONS}${UNKNOWN_RECONCILIATION}/`, { token });
  expect(unknown).toMatchObject({ status: 404, body: { code: 'reconciliation_not_found' } });
  const refused = await service.call('POST', OPERATORS_RECONCILIATIONS, { token, body: { import_supplier: 'NONE' } });
  expect(refused).toMatchObject({ status: 400, body: { errors: [{ code: 'invalid_choice' }] } });
});
