import { afterAll, expect, test } from '@jest/globals';
import { pino } from 'pino';
import { startService } from '../../support/harness.ts';
import { RECONCILIATIONS } from '../../support/reconciliations.ts';

const service = await startService({ temporal: false });
afterAll(() => service.stop());
const token = await service.supplierToken(['SUPPLIER_FR']);

test('starts without Temporal, and returns the running one when repeated', async () => {
  const start = () => service.call('POST', RECONCILIATIONS, { token, body: { import_supplier: 'SUPPLIER_FR' } });
  const [one, other] = await Promise.all([start(), start()]);
  expect(one).toMatchObject({ status: 201, body: { status: 'RUNNING' } });
  expect(other.body).toEqual(one.body);
  const id = one.body.reconciliation_id;
  const { rows } = await service.database.pool.query('select workflow_id, kind, input from work_item');
  expect(rows).toEqual([
    {
      workflow_id: `reconcile/${id}`,
      kind: 'reconcile',
      input: { reconciliationId: id, importSupplier: 'SUPPLIER_FR' },
    },
  ]);
  const audited = await service.database.pool.query(
    `select subject from audit_entry where action = 'reconciliation.started'`,
  );
  expect(audited.rows).toEqual([{ subject: `reconciliations/${id}` }]);
});

test('logs no warning when the reconciliation is running already', async () => {
  const warnings: string[] = [];
  const log = pino({ level: 'warn' }, { write: (line: string) => void warnings.push(line) });
  const running = await startService({ log });
  try {
    const supplierToken = await running.supplierToken(['SUPPLIER_FR']);
    const start = () =>
      running.call('POST', RECONCILIATIONS, { token: supplierToken, body: { import_supplier: 'SUPPLIER_FR' } });
    const [first, second] = [await start(), await start()];
    expect(second.body).toEqual(first.body);
    expect(warnings.filter((line) => line.includes('reconciliation'))).toEqual([]);
  } finally {
    await running.stop();
  }
});
