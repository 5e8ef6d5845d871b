import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { startService, type Service } from '../../support/harness.ts';
import { RECONCILIATIONS, UNKNOWN_RECONCILIATION } from '../../support/reconciliations.ts';

let service: Service;
beforeAll(async () => {
  service = await startService({ temporal: false });
});
afterAll(async () => {
  await service?.stop();
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
    for (const end of ['', 'differences/', 'certificate/']) {
      const answer = await service.call('GET', `${RECONCILIATIONS}${id}/${end}`, { token: by as string });
      expect(answer).toMatchObject({ status: 404, body: { code: 'reconciliation_not_found' } });
    }
  }
});
