import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { addAccounts, attachmentCalls, statement } from '../../support/attachments.ts';
import { startService, type Service } from '../../support/harness.ts';
import { insertProcesses } from '../../support/import-process-lists.ts';

let service: Service;
beforeAll(async () => {
  service = await startService({ temporal: false });
});
afterAll(async () => {
  await service.stop();
});

const items = [statement('S-1')];

test('an account that is unknown, only staged, or of another supplier: all look the same', async () => {
  await service.call('PUT', '/v1/operations/import-suppliers/HIDDEN/', { token: service.operatorToken, body: {} });
  await addAccounts(service, ['THERE']);
  await insertProcesses(service.database, 'SUPPLIER_FR', ['STAGED'], 'staged');
  await insertProcesses(service.database, 'SUPPLIER_FR', ['SKIPPED'], 'skipped');
  const own = attachmentCalls(service, await service.supplierToken(['SUPPLIER_FR']));
  const foreign = attachmentCalls(service, await service.supplierToken(['HIDDEN']));
  const answers = await Promise.all([
    ...['STAGED', 'SKIPPED', 'NOBODY', 'there'].map((external) => own.statements(external, items)),
    foreign.statements('THERE', items),
  ]);
  for (const answer of answers) {
    expect(answer.status).toBe(404);
    expect(answer.body).toMatchObject({ code: 'account_not_found', errors: [] });
    expect(answer.body.detail).toBe(answers[0].body.detail);
  }
  expect((await own.statements('THERE', items)).status).toBe(201);
});

test('faults of the payload come first', async () => {
  const own = attachmentCalls(service, await service.supplierToken(['SUPPLIER_FR']));
  expect((await own.statements('NOBODY', [{}])).status).toBe(400);
});
