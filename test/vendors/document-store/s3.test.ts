import { afterAll, expect, test } from '@jest/globals';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { fixedSecret } from '../../../src/platform/secrets/secrets.ts';
import { VendorBusy, VendorMisconfigured, VendorUnavailable } from '../../../src/vocabulary/vendor-errors.ts';
import { startDocumentStoreSimulator } from '../../../src/vendors/document-store/document-store.simulator.ts';
import { createS3DocumentStore } from '../../../src/vendors/document-store/s3.client.ts';

const simulator = await startDocumentStoreSimulator();
afterAll(() => simulator.stop());

const options = () => ({
  endpoint: simulator.url,
  region: 'eu-west-3',
  accessKeyId: fixedSecret('key'),
  secretAccessKey: fixedSecret('secret'),
  timeoutMs: 300,
});
const never = () => new AbortController().signal;
const exists = (key: string, more: object = {}) =>
  createS3DocumentStore({ ...options(), ...more }).exists({ kind: 's3', bucket: 'imports', key }, never());

test('finds an existing document, and not a missing one, by a signed HEAD', async () => {
  expect(await exists('boreal/bills/1.pdf')).toBe(true);
  expect(await exists('boreal/bills/missing-1.pdf')).toBe(false);
  expect(simulator.requests).toEqual(['HEAD /imports/boreal/bills/1.pdf', 'HEAD /imports/boreal/bills/missing-1.pdf']);
});

test('sends names with blanks, accents and signs unchanged', async () => {
  const before = simulator.requests.length;
  expect(await exists('boreal/été 2026/a+b & c?d=#1%.pdf')).toBe(true);
  expect(decodeURIComponent(simulator.requests[before]!)).toBe('HEAD /imports/boreal/été 2026/a+b & c?d=#1%.pdf');
});

test.each([
  ['forbidden-1.pdf', VendorMisconfigured],
  ['down-1.pdf', VendorUnavailable],
  ['slow-1.pdf', VendorUnavailable],
  ['cut-1.pdf', VendorUnavailable],
  ['busy-1.pdf', VendorBusy],
])('maps %s to the right kind of error, without quoting the request', async (name, kind) => {
  const error = await exists(`boreal/${name}`).then(
    () => undefined,
    (fault: unknown) => fault as Error,
  );
  expect(error).toBeInstanceOf(kind);
  expect(error!.message).not.toMatch(/boreal|imports|secret|127\.0/);
  if (error instanceof VendorBusy) expect(error.retryAfterSeconds).toBe(7);
});

test('nothing listens', async () => {
  const server = createServer().listen(0, '127.0.0.1');
  await new Promise((resolve) => {
    server.once('listening', resolve);
  });
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => {
    server.close(resolve);
  });
  await expect(exists('a.pdf', { endpoint: `http://127.0.0.1:${port}` })).rejects.toThrow(VendorUnavailable);
});

test('ends an aborted call', async () => {
  const pending = createS3DocumentStore({ ...options(), timeoutMs: 60_000 }).exists(
    { kind: 's3', bucket: 'imports', key: 'slow-2.pdf' },
    AbortSignal.timeout(50),
  );
  await expect(pending).rejects.toThrow(VendorUnavailable);
});

test('reads a replaced access key again before it reports it as wrong', async () => {
  const server = createServer((request, response) => {
    response.writeHead(request.headers.authorization?.includes('Credential=new/') ? 200 : 403).end();
  }).listen(0, '127.0.0.1');
  await new Promise((resolve) => {
    server.once('listening', resolve);
  });
  let key = 'former';
  const accessKeyId = {
    value: () => key,
    readAgain: async () => {
      key = 'new';
    },
  };
  const endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  expect(await exists('a.pdf', { endpoint, accessKeyId, timeoutMs: 5_000 })).toBe(true);
  server.closeAllConnections();
  await new Promise((resolve) => {
    server.close(resolve);
  });
});
