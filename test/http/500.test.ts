import { Writable } from 'node:stream';
import { afterAll, expect, test } from '@jest/globals';
import { pino } from 'pino';
import { domesticAccount } from '../support/account-payload.ts';
import { errorBody } from '../support/error-body.ts';
import { startService } from '../support/harness.ts';
import { insertProcesses } from '../support/import-process-lists.ts';
import { openRaw, rawRequest } from '../support/raw-http.ts';

const lines: string[] = [];
const log = pino(
  { level: 'info' },
  new Writable({
    write: (chunk, _encoding, done) => {
      lines.push(String(chunk));
      done();
    },
  }),
);
const service = await startService({ temporal: false, log });
afterAll(() => service.stop());
await service.database.pool.query(`insert into import_supplier (code, name, status) values ('LONG', 'L', 'Ongoing')`);
const token = await service.supplierToken(['SUPPLIER_FR', 'LONG']);

test('answers an internal error with a fixed text and the request id, and logs the location in the code', async () => {
  await service.database.pool.query('alter table import_process_revision rename to hidden_away');
  const body = domesticAccount({ import_supplier: 'SUPPLIER_FR', external_account_number: 'SECRET-NUMBER' });
  const answer = await service.call('POST', '/v1/data-import/account-import-process/create-or-update/', {
    token,
    body,
    headers: { 'x-request-id': 'five-hundred' },
  });
  await service.database.pool.query('alter table hidden_away rename to import_process_revision');
  expect(answer.status).toBe(500);
  expect(answer.body).toEqual(
    errorBody('error', 'An unexpected error occurred. If it persists, report the request_id.', {
      request_id: 'five-hundred',
    }),
  );
  const logged = lines
    .map((line) => JSON.parse(line))
    .find((line) => line.level >= 50 && line.requestId === 'five-hundred');
  expect(logged).toMatchObject({
    route: '/v1/data-import/account-import-process/create-or-update',
    fault: { code: '42P01', at: expect.stringContaining('stage-account.store.ts') },
  });
  expect(lines.join('')).not.toContain('SECRET-NUMBER');
});

test('disconnects a list that fails in the middle, and logs the cause', async () => {
  // More than the socket buffers while the client does not read: 14 MB in a few long items.
  const numbers = Array.from({ length: 25_000 }, (_, index) => `${'🔌'.repeat(120)}-${index}`);
  await insertProcesses(service.database, 'LONG', numbers, 'staged');
  const connection = await openRaw(service.url);
  connection.write(
    rawRequest('GET', '/v1/data-import/all-account-import-processes/LONG/', {
      authorization: `Token ${token}`,
      'x-request-id': 'cut-off',
    }),
  );
  await new Promise<void>((resolve) => {
    connection.socket.once('data', () => {
      connection.socket.pause();
      resolve();
    });
  });
  await service.database.pool.query('alter table account rename to hidden_away');
  connection.socket.resume();
  const text = await connection.closed();
  await service.database.pool.query('alter table hidden_away rename to account');
  expect(text).toMatch(/^HTTP\/1\.1 200 /);
  expect(text.endsWith('0\r\n\r\n')).toBe(false);
  const ofRequest = lines.map((line) => JSON.parse(line)).filter((line) => line.requestId === 'cut-off');
  expect(ofRequest).toEqual(
    expect.arrayContaining([
      expect.objectContaining({ msg: 'request', status: 200, complete: false }),
      expect.objectContaining({ level: 50, fault: expect.objectContaining({ code: '42P01' }) }),
    ]),
  );
});
