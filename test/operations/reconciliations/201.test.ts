import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { startService, type Service } from '../../support/harness.ts';
import { OPERATORS_RECONCILIATIONS, UNKNOWN_RECONCILIATION } from '../../support/reconciliations.ts';

let service: Service;
beforeAll(async () => {
  service = await startService({ temporal: false });
});
afterAll(async () => {
  await service?.stop();
});

test('operators start and see any', async () => {
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

test('one that nobody started, and an import supplier that is not there', async () => {
  const token = service.operatorToken;
  const unknown = await service.call('GET', `${OPERATORS_RECONCILIATIONS}${UNKNOWN_RECONCILIATION}/`, { token });
  expect(unknown).toMatchObject({ status: 404, body: { code: 'reconciliation_not_found' } });
  const refused = await service.call('POST', OPERATORS_RECONCILIATIONS, { token, body: { import_supplier: 'NONE' } });
  expect(refused).toMatchObject({ status: 400, body: { errors: [{ code: 'invalid_choice' }] } });
});
