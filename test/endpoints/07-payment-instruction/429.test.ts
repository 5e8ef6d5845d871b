import { afterAll, expect, test } from '@jest/globals';
import { addAccounts } from '../../support/attachments.ts';
import { send, startService } from '../../support/harness.ts';
import { instructionCalls, startPaymentVendors } from '../../support/payment-vendors.ts';
import { startApi } from '../../../src/processes/start-api.ts';
import { createLog } from '../../../src/platform/log.ts';

const LIMITS = { PAYMENT_VERIFICATIONS_PER_MINUTE: '6', PAYMENT_REFUSALS_PER_HOUR: '3' };

const vendors = await startPaymentVendors();
const service = await startService({ worker: true, settings: { ...vendors.settings, ...LIMITS } });
await addAccounts(service, ['ONE', 'OLD', ...Array.from({ length: 12 }, (_, index) => `MANY-${index}`)]);
afterAll(async () => {
  await service.stop();
  await vendors?.stop();
});

test('limits verifications per key and minute, across concurrent requests and processes, without affecting another key', async () => {
  const token = await service.supplierToken(['SUPPLIER_FR']);
  const create = instructionCalls(service, token);
  const second = await startApi({
    settings: service.settings,
    gateway: service.gateway,
    log: createLog({ level: 'silent', process: 'test' }),
  });
  const elsewhere = instructionCalls(
    { call: (method: string, path: string, options: object) => send(second.url, method, path, options) },
    token,
  );
  const answers = await Promise.all(
    Array.from({ length: 12 }, (_, index) =>
      (index % 2 === 0 ? create : elsewhere)(`MANY-${index}`, `MD-MANY-${index}`),
    ),
  );
  await second.stop();
  expect(answers.map(({ status }) => status).sort()).toEqual([
    ...Array.from({ length: 6 }, () => 201),
    ...Array.from({ length: 6 }, () => 429),
  ]);
  for (const { body, headers } of answers.filter(({ status }) => status === 429)) {
    expect(body).toMatchObject({ code: 'throttled', errors: [] });
    expect(Number(headers['retry-after'])).toBeGreaterThan(0);
    expect(Number(headers['retry-after'])).toBeLessThanOrEqual(60);
  }
  // An instruction in force needs no vendor, and another key has its own count.
  const done = answers.findIndex(({ status }) => status === 201);
  expect((await create(`MANY-${done}`, `MD-MANY-${done}`)).status).toBe(201);
  expect((await instructionCalls(service, await service.supplierToken(['SUPPLIER_FR']))('ONE', 'MD-ONE')).status).toBe(
    201,
  );
  // After the minute new requests are accepted.
  await service.database.pool.query(
    `update payment_verification set requested_at = requested_at - interval '1 minute'`,
  );
  const left = answers.findIndex(({ status }) => status === 429);
  expect((await create(`MANY-${left}`, `MD-MANY-${left}`)).status).toBe(201);
});

test('makes a key wait for an hour after too many rejections, so that references cannot be probed', async () => {
  const create = instructionCalls(service, await service.supplierToken(['SUPPLIER_FR']));
  for (let index = 0; index < 3; index += 1) {
    expect((await create('OLD', `MD-UNKNOWN-${index}`)).body.code).toBe('payment_vendor_rejected');
  }
  const answer = await create('OLD', 'MD-GOOD');
  expect(answer).toMatchObject({ status: 429, body: { code: 'throttled' } });
  expect(Number(answer.headers['retry-after'])).toBeGreaterThan(3_000);
  // The earlier result is still returned.
  expect((await create('OLD', 'MD-UNKNOWN-0')).body.code).toBe('payment_vendor_rejected');
  await service.database.pool.query(`update payment_verification set completed_at = completed_at - interval '1 hour'`);
  expect((await create('OLD', 'MD-GOOD')).status).toBe(201);
});
