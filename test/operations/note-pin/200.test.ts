import { afterAll, expect, test } from '@jest/globals';
import { domesticAccount } from '../../support/account-payload.ts';
import { startService } from '../../support/harness.ts';

const service = await startService({ worker: true });
afterAll(() => service.stop());
await createAccount();

async function createAccount(): Promise<void> {
  const token = await service.supplierToken(['SUPPLIER_FR']);
  const body = domesticAccount({ import_supplier: 'SUPPLIER_FR', external_account_number: 'PIN/1 é' });
  await service.call('POST', '/v1/data-import/account-import-process/create-or-update/', { token, body });
  const created = await service.call('POST', '/v1/data-import/account-import-process/process/', {
    token,
    body: {
      external_account_number: 'PIN/1 é',
      import_supplier_code: 'SUPPLIER_FR',
      operations_team_name: 'Migration',
    },
  });
  expect(created.status).toBe(201);
}

const pathOf = (external: string) => `/v1/operations/accounts/SUPPLIER_FR/${encodeURIComponent(external)}`;
const pin = (method: string, note: string, body?: unknown, external = 'PIN/1 é') =>
  service.call(method, `${pathOf(external)}/notes/${note}/pin/`, { token: service.operatorToken, body });
const notes = async () =>
  (await service.call('GET', `${pathOf('PIN/1 é')}/`, { token: service.operatorToken })).body.account.notes;

test('pins and unpins a note, numbers the notes in the view, and audits who and why', async () => {
  const until = '2037-01-31T23:00:00+01:00';
  const pinned = await pin('PUT', '1', { unpin_at: until, reason: 'a new meter' });
  expect(pinned).toMatchObject({
    status: 200,
    body: { note: 1, is_pinned: true, unpin_at: '2037-01-31T22:00:00.000Z' },
  });
  expect(await notes()).toMatchObject([{ note: 0 }, { note: 1, is_pinned: true }]);
  expect((await pin('PUT', '1')).body).toEqual({ note: 1, is_pinned: true, unpin_at: null });
  expect((await pin('DELETE', '1', { reason: 'it is in' })).body).toEqual({
    note: 1,
    is_pinned: false,
    unpin_at: null,
  });
  expect((await pin('DELETE', '1')).status).toBe(200);
  const path = `/v1/operations/audit/?subject=${encodeURIComponent('accounts/SUPPLIER_FR/PIN/1 é/notes')}`;
  const { body: audit } = await service.call('GET', path, { token: service.operatorToken });
  expect(audit.map(({ action, reason }: any) => [action, reason])).toEqual([
    ['note.unpinned', 'it is in'],
    ['note.pinned', null],
    ['note.pinned', 'a new meter'],
  ]);
});

test('shows a note as unpinned after its unpin_at', async () => {
  await pin('PUT', '0', { unpin_at: '2037-01-31T23:00:00Z' });
  await service.database.pool.query(`update note set unpin_at = now() - interval '1 second' where position = 0`);
  expect(await notes()).toMatchObject([{ is_pinned: false }, {}]);
  expect((await pin('DELETE', '0')).status).toBe(200);
  const path = '/v1/operations/audit/?action=note.unpinned&limit=1';
  const [{ before }] = (await service.call('GET', path, { token: service.operatorToken })).body;
  expect(before).toMatchObject({ note: 0, is_pinned: false, unpin_at: expect.any(String) });
});

test('rejects an invalid pin, and changes nothing', async () => {
  expect(await pin('PUT', '0', { unpin_at: '2020-01-01T00:00:00Z' })).toMatchObject({
    status: 400,
    body: { errors: [{ code: 'note_unpin_at_earlier_than_creation_date', attr: 'unpin_at' }] },
  });
  expect((await pin('DELETE', '0', { unpin_at: '2037-01-01T00:00:00Z' })).status).toBe(400);
  for (const note of ['2', 'x', '-1', '99999999999']) {
    for (const method of ['PUT', 'DELETE']) {
      expect({ note, method, status: (await pin(method, note, {})).status }).toEqual({ note, method, status: 404 });
    }
  }
  expect((await pin('PUT', '0', {}, 'NOWHERE')).status).toBe(404);
  expect(await notes()).toMatchObject([{ is_pinned: false }, {}]);
});
