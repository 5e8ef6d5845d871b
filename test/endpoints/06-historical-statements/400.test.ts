import { afterAll, expect, test } from '@jest/globals';
import { startDocumentStoreSimulator } from '../../../src/vendors/document-store/document-store.simulator.ts';
import { domesticAccount } from '../../support/account-payload.ts';
import {
  addAccounts,
  attachmentCalls,
  countRows,
  faultsOf,
  statement,
  type AttachmentCalls,
} from '../../support/attachments.ts';
import { startService } from '../../support/harness.ts';

const store = await startDocumentStoreSimulator();
const service = await startService({
  temporal: false,
  settings: {
    DOCUMENT_STORE_ENDPOINT: store.url,
    DOCUMENT_STORE_ACCESS_KEY_ID: 'key',
    DOCUMENT_STORE_SECRET_ACCESS_KEY: 'secret',
  },
});
const token = await service.supplierToken(['SUPPLIER_FR']);
const calls: AttachmentCalls = attachmentCalls(service, token);
await addAccounts(service, ['ONE', 'HAS']);
await calls.statements('HAS', [statement('OLD-1'), statement('OLD-2')]);
afterAll(async () => {
  await service.stop();
  await store.stop();
});

test.each<[string, unknown, string[]]>([
  ['missing statements', undefined, ['required statements']],
  ['no list', {}, ['not_a_list statements']],
  [
    'statements without fields',
    [{}],
    [
      'required statements.0.bill_period_from_date',
      'required statements.0.bill_period_to_date',
      'required statements.0.statement_id',
      'required statements.0.issued_date',
      'required statements.0.number',
      'required statements.0.gross_amount',
    ],
  ],
  [
    'wrong forms',
    [
      statement('B', {
        bill_period_from_date: '01/09/2026',
        issued_date: '',
        number: 5,
        gross_amount: '1e3',
        statement_path: '../b.pdf',
      }),
    ],
    [
      'invalid statements.0.bill_period_from_date',
      'blank statements.0.issued_date',
      'invalid statements.0.number',
      'invalid statements.0.gross_amount',
      'document_path_outside_root statements.0.statement_path',
    ],
  ],
  [
    'a period that ends before it starts',
    [statement('B', { bill_period_from_date: '2026-10-01' })],
    ['start_date_later_than_end_date statements.0.bill_period_to_date'],
  ],
  [
    'periods that end in another century',
    [statement('B', { bill_period_to_date: '2126-09-30' }), statement('C', { bill_period_to_date: '2199-12-31' })],
    ['date_too_far_ahead statements.0.bill_period_to_date', 'date_too_far_ahead statements.1.bill_period_to_date'],
  ],
  [
    'a complete address as path',
    [statement('B', { statement_path: 's3://bucket/b.pdf' })],
    ['document_path_outside_root statements.0.statement_path'],
  ],
  [
    'a duplicate id',
    [statement('B'), statement('C'), statement('B'), statement('B')],
    [
      'historical_statement_already_exists statements.2.statement_id',
      'historical_statement_already_exists statements.3.statement_id',
    ],
  ],
  [
    'a duplicate id beside another violation',
    [statement('B'), statement('B', { number: '' })],
    ['historical_statement_already_exists statements.1.statement_id', 'blank statements.1.number'],
  ],
])('rejects %s, and stores no statement', async (_what, statements, faults) => {
  const answer = await calls.statements('ONE', statements);
  expect(answer).toMatchObject({ status: 400, body: { code: 'validation_failed' } });
  expect(faultsOf(answer).sort()).toEqual(faults.sort());
  expect(await countRows(service, 'ONE', 'statement')).toEqual([0]);
});

test('reports existing ids at every index, together with duplicates within the request', async () => {
  const answer = await calls.statements('HAS', [
    statement('OLD-2'),
    statement('NEW'),
    statement('OLD-1'),
    statement('NEW'),
    statement('OLD-1'),
  ]);
  expect(answer).toMatchObject({ status: 400, body: { code: 'validation_failed' } });
  expect(faultsOf(answer)).toEqual(
    [0, 2, 3, 4].map((index) => `historical_statement_already_exists statements.${index}.statement_id`),
  );
  expect(await countRows(service, 'HAS', 'statement')).toEqual([2]);
});

test('stores none of the earlier items when item 999 is invalid', async () => {
  const statements = Array.from({ length: 1_000 }, (_, index) => statement(index === 999 ? 'OLD-1' : `B-${index}`));
  expect(faultsOf(await calls.statements('HAS', statements))).toEqual([
    'historical_statement_already_exists statements.999.statement_id',
  ]);
  expect(await countRows(service, 'HAS', 'statement')).toEqual([2]);
});

test('reports documents that are not in the store, here and at staging, if operators want them checked', async () => {
  const bodies = {
    root: { document_root: 's3://imports/boreal' },
    option: { options: { check_documents: true } },
    off: { options: { check_documents: false } },
  };
  const set = (body: object) =>
    service.call('PUT', '/v1/operations/import-suppliers/SUPPLIER_FR/', { token: service.operatorToken, body });
  const gone = [
    statement('B-1'),
    statement('B-2', { statement_path: 'bills/missing-2.pdf' }),
    statement('B-3', { statement_path: '' }),
  ];
  await set(bodies.root);
  await set(bodies.option);
  const answer = await calls.statements('ONE', gone);
  expect(answer.body.code).toBe('validation_failed');
  expect(faultsOf(answer)).toEqual(['path_does_not_exist_in_file_store statements.1.statement_path']);
  expect(new Set(store.requests)).toEqual(
    new Set(['HEAD /imports/boreal/bills/B-1.pdf', 'HEAD /imports/boreal/bills/missing-2.pdf']),
  );

  const account = domesticAccount({
    import_supplier: 'SUPPLIER_FR',
    notes: [{ body: 'a', document_paths: [{ document_path: 'missing-a.pdf' }] }],
  });
  account.statements![0]!.statement_path = 'missing-b.pdf';
  const stage = () =>
    service.call('POST', '/v1/data-import/account-import-process/create-or-update/', { token, body: account });
  const refused = await stage();
  expect(refused.body.code).toBe('account_failed_validation');
  expect(faultsOf(refused)).toEqual([
    'path_does_not_exist_in_file_store statements.0.statement_path',
    'path_does_not_exist_in_file_store notes.0.document_paths.0.document_path',
  ]);

  await set(bodies.off);
  expect((await calls.statements('ONE', gone)).status).toBe(201);
  expect((await stage()).status).toBe(201);
});
