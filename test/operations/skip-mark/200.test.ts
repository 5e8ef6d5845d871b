import { afterAll, expect, test } from '@jest/globals';
import { domesticAccount } from '../../support/account-payload.ts';
import { startService } from '../../support/harness.ts';

const service = await startService({ worker: true });
afterAll(() => service.stop());
const token = await service.supplierToken(['SUPPLIER_FR']);

const skip = (method: string, external: string, body?: unknown) =>
  service.call(method, `/v1/operations/account-import-processes/SUPPLIER_FR/${encodeURIComponent(external)}/skip/`, {
    token: service.operatorToken,
    body,
  });
const stage = (external: string) =>
  service.call('POST', '/v1/data-import/account-import-process/create-or-update/', {
    token,
    body: domesticAccount({ import_supplier: 'SUPPLIER_FR', external_account_number: external }),
  });
const create = (external: string) =>
  service.call('POST', '/v1/data-import/account-import-process/process/', {
    token,
    body: { external_account_number: external, import_supplier_code: 'SUPPLIER_FR', operations_team_name: 'Migration' },
  });

test('neither stages nor creates a marked account until the mark is removed, and keeps who did it and why', async () => {
  const external = 'SKIP/1 é';
  await stage(external);
  const marked = await skip('PUT', external, { reason: 'duplicate customer' });
  expect(marked).toMatchObject({
    status: 200,
    body: {
      import_supplier: 'SUPPLIER_FR',
      external_account_number: external,
      skipped_at: expect.stringMatching(/Z$/),
      skip_reason: 'duplicate customer',
    },
  });
  expect((await stage(external)).body.code).toBe('import_process_marked_to_skip');
  expect((await create(external)).body.code).toBe('import_process_marked_to_skip');

  // Repeated: the time of the first mark stays, and the reason unless a new one is sent.
  expect((await skip('PUT', external, {})).body).toEqual(marked.body);
  expect((await skip('PUT', external, { reason: 'really' })).body).toEqual({ ...marked.body, skip_reason: 'really' });

  const unmarked = await skip('DELETE', external, { reason: 'was none' });
  expect(unmarked).toMatchObject({ status: 200, body: { skipped_at: null, skip_reason: null } });
  expect(await skip('DELETE', external)).toMatchObject({ status: 200, body: unmarked.body });
  const { body: audit } = await service.call(
    'GET',
    `/v1/operations/audit/?subject=${encodeURIComponent(`account-import-processes/SUPPLIER_FR/${external}/skip`)}`,
    { token: service.operatorToken },
  );
  expect(audit.map(({ action, reason }: any) => [action, reason])).toEqual([
    ['skip_mark.removed', 'was none'],
    ['skip_mark.set', 'really'],
    ['skip_mark.set', 'duplicate customer'],
  ]);
  expect((await create(external)).status).toBe(201);
});

test('lets one of a concurrent mark and creation win', async () => {
  await Promise.all(
    Array.from({ length: 8 }, async (_, index) => {
      const external = `RACE-${index}`;
      await stage(external);
      const [created, marked] = await Promise.all([create(external), skip('PUT', external, {})]);
      expect([
        [201, 400],
        [400, 200],
      ]).toContainEqual([created.status, marked.status]);
    }),
  );
});
