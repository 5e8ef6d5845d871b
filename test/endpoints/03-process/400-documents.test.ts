import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from '@jest/globals';
import { domesticAccount } from '../../support/account-payload.ts';
import { attachmentCalls, faultsOf, statement } from '../../support/attachments.ts';
import { startService } from '../../support/harness.ts';

const folder: string = mkdtempSync(join(tmpdir(), 'gangway-documents-'));
for (const name of ['first', 'second', 'second/letters']) mkdirSync(join(folder, name));
const service = await startService({ worker: true });
const token = await service.supplierToken(['SUPPLIER_FR']);
afterAll(async () => {
  rmSync(folder, { recursive: true });
  await service.stop();
});

/** Sets the document root, and waits until the service's cache of one second has expired. */
async function setRoot(name: string, checks: boolean): Promise<string> {
  const root = `file://${join(folder, name)}/`;
  await service.call('PUT', '/v1/operations/import-suppliers/SUPPLIER_FR/', {
    token: service.operatorToken,
    body: { document_root: root, options: { check_documents: checks } },
  });
  await new Promise((resolve) => {
    setTimeout(resolve, 1_100);
  });
  return root;
}
const account = (external: string, sequence: number) =>
  domesticAccount(
    {
      import_supplier: 'SUPPLIER_FR',
      external_account_number: external,
      statements: [
        {
          statement_id: 'S-1',
          bill_period_from_date: '2024-01-01',
          bill_period_to_date: '2024-01-31',
          statement_path: '/bill.pdf',
        },
      ],
      notes: [
        {
          body: 'with a letter',
          created_at: '2024-08-14T07:41:00Z',
          document_paths: [{ document_path: 'letters/a.pdf' }],
        },
      ],
    },
    sequence,
  );
const post = (path: string, body: object) => service.call('POST', `/v1/data-import/${path}/`, { token, body });
const stage = (body: object) => post('account-import-process/create-or-update', body);
const create = (external: string, more: object = {}) =>
  post('account-import-process/process', {
    external_account_number: external,
    import_supplier_code: 'SUPPLIER_FR',
    operations_team_name: 'Migration',
    ...more,
  });
const view = async (external: string) =>
  (await service.call('GET', `/v1/operations/accounts/SUPPLIER_FR/${external}/`, { token: service.operatorToken }))
    .body;

test('reports the same missing documents in validate-account as in staging', async () => {
  await setRoot('second', true);
  const body = account('SAME', 1);
  const [validated, staged] = [await post('validate-account', body), await stage(body)];
  expect(faultsOf(validated)).toEqual([
    'path_does_not_exist_in_file_store statements.0.statement_path',
    'path_does_not_exist_in_file_store notes.0.document_paths.0.document_path',
  ]);
  expect({ status: validated.status, code: validated.body.code }).toEqual({
    status: 400,
    code: 'account_failed_validation',
  });
  expect(faultsOf(staged)).toEqual(faultsOf(validated));
});

test('looks up again what was staged under another root, and uses the new root if the document exists there', async () => {
  const first = await setRoot('first', false);
  expect((await stage(account('MOVED', 2))).status).toBe(201);
  const second = await setRoot('second', true);
  const dry = await create('MOVED', { dry_run: true });
  expect(dry).toMatchObject({ status: 400, body: { code: 'import_process_failed_validation' } });
  expect((await view('MOVED')).import_process).toMatchObject({ refusal: null, document_root: first });
  const refused = await create('MOVED');
  expect({ code: refused.body.code, faults: faultsOf(refused) }).toEqual({
    code: 'import_process_failed_validation',
    faults: [
      'path_does_not_exist_in_file_store statements.0.statement_path',
      'path_does_not_exist_in_file_store notes.0.document_paths.0.document_path',
    ],
  });
  expect((await view('MOVED')).import_process.refusal).toMatchObject({ code: 'import_process_failed_validation' });
  for (const path of ['bill.pdf', 'letters/a.pdf']) writeFileSync(join(folder, 'second', path), 'x');
  expect((await create('MOVED', { dry_run: true })).body.code).toBe('dry_run_succeeded');
  expect((await create('MOVED')).status).toBe(201);
  expect((await view('MOVED')).account).toMatchObject({
    statements: [{ location: `${second}bill.pdf` }],
    notes: [{ documents: [{ location: `${second}letters/a.pdf` }] }],
  });
});

test('keeps documents under the root of their acceptance, and uses the new root for the next ones', async () => {
  const first = await setRoot('first', false);
  expect((await stage(account('KEPT', 3))).status).toBe(201);
  const second = await setRoot('second', false);
  expect((await create('KEPT')).status).toBe(201);
  const calls = attachmentCalls(service, token);
  expect((await calls.notes('KEPT', [{ document_paths: [{ document_path: '/letters/b.pdf' }] }])).status).toBe(201);
  expect((await calls.statements('KEPT', [statement('S-2')])).status).toBe(201);
  await setRoot('first', false);
  const { statements, notes } = await calls.account('KEPT');
  expect(statements.map(({ location }: any) => location)).toEqual([`${first}bill.pdf`, `${second}bills/S-2.pdf`]);
  expect(notes.map(({ documents }: any) => documents[0].location)).toEqual([
    `${first}letters/a.pdf`,
    `${second}letters/b.pdf`,
  ]);
});
