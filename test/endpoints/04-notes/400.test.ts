import { afterAll, expect, test } from '@jest/globals';
import { addAccounts, attachmentCalls, countRows, faultsOf, type AttachmentCalls } from '../../support/attachments.ts';
import { startService } from '../../support/harness.ts';

const service = await startService({ temporal: false });
afterAll(() => service.stop());
const token = await service.supplierToken(['SUPPLIER_FR']);
const calls: AttachmentCalls = attachmentCalls(service, token);
await addAccounts(service, ['ONE']);

const documents = (...paths: unknown[]) => paths.map((path) => ({ document_path: path }));

test.each<[string, unknown, string[]]>([
  ['missing notes', undefined, ['required notes']],
  ['no list', {}, ['not_a_list notes']],
  ['a note that is not an object', ['text'], ['invalid notes.0.non_field_errors']],
  [
    'neither body nor document',
    [{ body: 'fine' }, {}, { body: ' ' }, { document_paths: [] }],
    [
      'note_body_or_document_path_not_found notes.1.non_field_errors',
      'note_body_or_document_path_not_found notes.2.non_field_errors',
      'note_body_or_document_path_not_found notes.3.non_field_errors',
    ],
  ],
  ['a body that is too long', [{ body: 'x'.repeat(65_537) }], ['max_length notes.0.body']],
  ['a body with U+0000', [{ body: 'a\u0000b' }], ['null_characters_not_allowed notes.0.body']],
  [
    'wrong forms',
    [{ body: 7, created_at: '2026-01-01', is_pinned: 'yes', unpin_at: 'soon' }],
    ['invalid notes.0.body', 'invalid notes.0.created_at', 'invalid notes.0.is_pinned', 'invalid notes.0.unpin_at'],
  ],
  [
    'unpinned before it is created',
    [{ body: 'a', created_at: '2026-01-02T00:00:00Z', is_pinned: true, unpin_at: '2026-01-02T00:59:59+01:00' }],
    ['note_unpin_at_earlier_than_creation_date notes.0.unpin_at'],
  ],
  [
    'unpinned before now',
    [{ body: 'a', unpin_at: '2026-01-02T00:00:00Z' }],
    ['note_unpin_at_earlier_than_creation_date notes.0.unpin_at'],
  ],
  [
    'documents outside the root',
    [{ document_paths: documents('facture..2026.pdf', '../x.pdf', 'a/%2E%2e/b', 'a\\b', '/', '') }],
    [
      'document_path_outside_root notes.0.document_paths.1.document_path',
      'document_path_outside_root notes.0.document_paths.2.document_path',
      'document_path_outside_root notes.0.document_paths.3.document_path',
      'document_path_outside_root notes.0.document_paths.4.document_path',
      'blank notes.0.document_paths.5.document_path',
    ],
  ],
])('rejects %s, and stores no note', async (_what, notes, faults) => {
  const answer = await calls.notes('ONE', notes);
  expect(answer).toMatchObject({ status: 400, body: { code: 'validation_failed' } });
  expect(faultsOf(answer)).toEqual(faults);
  expect(await countRows(service, 'ONE', 'note')).toEqual([0]);
});

test('stores none of the earlier items when item 999 is invalid', async () => {
  const notes: object[] = Array.from({ length: 1_000 }, (_, index) => ({ body: `note ${index}` }));
  notes[999] = { body: '' };
  expect(faultsOf(await calls.notes('ONE', notes))).toEqual([
    'note_body_or_document_path_not_found notes.999.non_field_errors',
  ]);
  expect(await countRows(service, 'ONE', 'note')).toEqual([0]);
});

test('rejects names that are missing or of the wrong type', async () => {
  const answer = await service.call('POST', '/v1/data-import/notes/create/', {
    token,
    body: { external_account_number: 7, notes: [{ body: 'a' }] },
  });
  expect(faultsOf(answer)).toEqual(['invalid external_account_number', 'required import_supplier']);
});

test('reports all missing documents if operators want them checked', async () => {
  await service.call('PUT', '/v1/operations/import-suppliers/SUPPLIER_FR/', {
    token: service.operatorToken,
    body: { document_root: `file://${import.meta.dirname}/`, options: { check_documents: true } },
  });
  const here = '400.test.ts';
  const answer = await calls.notes('ONE', [
    { document_paths: documents(here, 'gone.pdf') },
    { body: 'a', document_paths: documents(`/${here}`, 'gone', `${here}/x`) },
  ]);
  expect(answer.body.code).toBe('validation_failed');
  expect(faultsOf(answer)).toEqual([
    'path_does_not_exist_in_file_store notes.0.document_paths.1.document_path',
    'path_does_not_exist_in_file_store notes.1.document_paths.1.document_path',
    'path_does_not_exist_in_file_store notes.1.document_paths.2.document_path',
  ]);
  expect(await countRows(service, 'ONE', 'note')).toEqual([0]);
  expect((await calls.notes('ONE', [{ document_paths: documents(here) }])).status).toBe(201);
});
