import { afterAll, expect, test } from '@jest/globals';
import { startService } from '../../support/harness.ts';
import { jobClient } from '../../support/import-jobs.ts';
import { RECONCILIATIONS, UNKNOWN_RECONCILIATION } from '../../support/reconciliations.ts';

const service = await startService({ temporal: false });
afterAll(() => service.stop());
const token = await service.supplierToken(['SUPPLIER_FR']);

const start = (body: unknown) => service.call('POST', RECONCILIATIONS, { token, body });

test.each([
  ['neither', {}, 'required', 'import_supplier'],
  ['an empty string', { import_supplier: '', job_id: '' }, 'required', 'import_supplier'],
  ['both', { import_supplier: 'SUPPLIER_FR', job_id: 'x' }, 'invalid', 'job_id'],
  ["another organisation's import supplier", { import_supplier: 'SUPPLIER_XX' }, 'invalid_choice', 'import_supplier'],
  ['an unknown job', { job_id: '019ac3f2-7c51-7c6e-9d1f-3a5b7c9d1e2f' }, 'invalid_choice', 'job_id'],
  ['an invalid id', { job_id: 'nothing' }, 'invalid_choice', 'job_id'],
])('rejects %s', async (_name, body, code, attr) => {
  const answer = await start(body);
  expect(answer).toMatchObject({ status: 400, body: { code: 'validation_failed', errors: [{ code, attr }] } });
});

test('rejects a job that creates nothing', async () => {
  const client = await jobClient(service);
  const jobId = await client.open();
  const answer = await service.call('POST', RECONCILIATIONS, { token: client.token, body: { job_id: jobId } });
  expect(answer).toMatchObject({ status: 400, body: { errors: [{ code: 'invalid_choice', attr: 'job_id' }] } });
});

test('has no certificate before the end', async () => {
  const { body } = await start({ import_supplier: 'SUPPLIER_FR' });
  const path = `${RECONCILIATIONS}${body.reconciliation_id}/`;
  expect((await service.call('GET', `${path}certificate/`, { token })).body.code).toBe('reconciliation_not_completed');
  expect((await service.call('GET', path, { token })).body).toMatchObject({ status: 'RUNNING', ended_at: null });
  expect((await service.call('GET', `${path}differences/`, { token })).body).toEqual([]);
  for (const account of ['unknown', '%00']) {
    const values = await service.call('GET', `${path}accounts/${account}/`, { token });
    expect(values).toMatchObject({ status: 404, body: { code: 'account_not_found' } });
  }
});

test('publishes no keys without a signing key', async () => {
  const { body } = await service.call('GET', '/v1/data-import/certificate-keys/');
  expect(body).toEqual({ keys: [] });
});

test("answers alike for an unknown reconciliation, an invalid id, and another organisation's", async () => {
  const token = await service.supplierToken(['SUPPLIER_FR']);
  const otherToken = await service.supplierToken(['SUPPLIER_FR']);
  const { body } = await service.call('POST', RECONCILIATIONS, { token, body: { import_supplier: 'SUPPLIER_FR' } });
  for (const [id, by] of [
    [UNKNOWN_RECONCILIATION, token],
    ['nothing', token],
    [body.reconciliation_id, otherToken],
  ]) {
    for (const end of ['', 'differences/', 'balances/', 'accounts/', 'accounts/A/', 'certificate/']) {
      const answer = await service.call('GET', `${RECONCILIATIONS}${id}/${end}`, { token: by as string });
      expect(answer).toMatchObject({ status: 404, body: { code: 'reconciliation_not_found' } });
    }
  }
});
