import { afterAll, expect, test } from '@jest/globals';
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { VendorMisconfigured, VendorUnavailable } from '../../../src/vocabulary/vendor-errors.ts';
import { createFolderDocumentStore } from '../../../src/vendors/document-store/folder.client.ts';

const parent = await mkdtemp(join(tmpdir(), 'gangway-documents-'));
await mkdir(join(parent, 'root/bills'), { recursive: true });
await writeFile(join(parent, 'root/bills/1.pdf'), 'x');
await writeFile(join(parent, 'secret.txt'), 'x');
await mkdir(join(parent, 'root-of-another'));
await writeFile(join(parent, 'root-of-another/1.pdf'), 'x');
await symlink(join(parent, 'secret.txt'), join(parent, 'root/link.txt'));
await symlink(join(parent, 'root-of-another'), join(parent, 'root/neighbour'));
await symlink('bills/1.pdf', join(parent, 'root/inner.pdf'));
afterAll(async () => {
  await rm(parent, { recursive: true });
});

const store = createFolderDocumentStore();
const exists = (path: string, folder = 'root') =>
  store.exists({ kind: 'folder', folder: join(parent, folder), path }, new AbortController().signal);

test.each([
  ['bills/1.pdf', true],
  ['./bills//1.pdf', true],
  ['inner.pdf', true],
  ['bills/2.pdf', false],
  ['bills', false],
  ['bills/1.pdf/x', false],
  ['link.txt', false],
  ['neighbour/1.pdf', false],
  ['../secret.txt', false],
  ['x'.repeat(400), false],
])('%s is there: %s', async (path, isThere) => {
  expect(await exists(path)).toBe(isThere);
});

test('reports a missing folder as a misconfiguration', async () => {
  await expect(exists('bills/1.pdf', 'nowhere')).rejects.toThrow(VendorMisconfigured);
});

test('reports an aborted call', async () => {
  await expect(
    store.exists({ kind: 'folder', folder: parent, path: 'secret.txt' }, AbortSignal.abort()),
  ).rejects.toThrow(VendorUnavailable);
});
