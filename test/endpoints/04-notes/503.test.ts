import { afterAll, expect, test } from '@jest/globals';
import { startDocumentStoreSimulator } from '../../../src/vendors/document-store/document-store.simulator.ts';
import { domesticAccount } from '../../support/account-payload.ts';
import { addAccounts, attachmentCalls, countRows, statement, type AttachmentCalls } from '../../support/attachments.ts';
import { startService } from '../../support/harness.ts';

const store = await startDocumentStoreSimulator();
const endpoint: string = store.url;
await store.stop();
const service = await startService({
  temporal: false,
  settings: {
    DOCUMENT_STORE_ENDPOINT: endpoint,
    DOCUMENT_STORE_ACCESS_KEY_ID: 'key',
    DOCUMENT_STORE_SECRET_ACCESS_KEY: 'secret',
  },
});
afterAll(() => service.stop());
const token = await service.supplierToken(['SUPPLIER_FR']);
const calls: AttachmentCalls = attachmentCalls(service, token);
await addAccounts(service, ['ONE']);
await service.call('PUT', '/v1/operations/import-suppliers/SUPPLIER_FR/', {
  token: service.operatorToken,
  body: { document_root: 's3://imports/boreal/', options: { check_documents: true } },
});

test('stores nothing while the document store is down, and accepts the same requests when it is up', async () => {
  const account = domesticAccount({ import_supplier: 'SUPPLIER_FR' });
  const requests = [
    () => calls.notes('ONE', [{ document_paths: [{ document_path: 'a.pdf' }] }]),
    () => calls.statements('ONE', [statement('B-1')]),
    () => service.call('POST', '/v1/data-import/account-import-process/create-or-update/', { token, body: account }),
    () => service.call('POST', '/v1/data-import/validate-account/', { token, body: account }),
  ];
  for (const request of requests) {
    const answer = await request();
    expect(answer).toMatchObject({ status: 503, body: { code: 'service_unavailable', errors: [] } });
    expect(Number(answer.headers['retry-after'])).toBeGreaterThan(0);
    expect(JSON.stringify(answer.body)).not.toContain('127.0.0.1');
  }
  expect(await countRows(service, 'ONE', 'note', 'statement')).toEqual([0, 0]);
  // A note without documents needs no store.
  expect((await calls.notes('ONE', [{ body: 'words' }])).status).toBe(201);
  const store = await startDocumentStoreSimulator({ port: Number(new URL(endpoint).port) });
  try {
    for (const request of requests) expect([200, 201]).toContain((await request()).status);
  } finally {
    await store.stop();
  }
});

test('answers like a store that is down if the root is missing or misspelled', async () => {
  for (const root of [null, 'boreal/documents', 'file:///no/such/folder/']) {
    await service.call('PUT', '/v1/operations/import-suppliers/SUPPLIER_FR/', {
      token: service.operatorToken,
      body: { document_root: root },
    });
    expect(await calls.notes('ONE', [{ document_paths: [{ document_path: 'b.pdf' }] }])).toMatchObject({
      status: 503,
      body: { code: 'service_unavailable' },
    });
  }
});
