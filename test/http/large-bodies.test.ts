import { gzipSync } from 'node:zlib';
import { afterAll, afterEach, expect, test } from '@jest/globals';
import { createLog } from '../../src/platform/log.ts';
import { openMetrics } from '../../src/platform/metrics/metrics.ts';
import { domesticAccount } from '../support/account-payload.ts';
import { startService, type Service } from '../support/harness.ts';
import { until } from '../support/until.ts';
import { openRaw, rawRequest, type RawConnection } from '../support/raw-http.ts';
import { reservePort } from '../support/test-port.ts';

const VALIDATE = '/v1/data-import/validate-account/';
const ROOM = 400_000;
const account = (bytes: number) => {
  const payload = (text: string) =>
    JSON.stringify({
      ...domesticAccount({ import_supplier: 'SUPPLIER_FR' }),
      metadata: [{ key: 'a', value: { text } }],
    });
  return payload('x'.repeat(bytes - Buffer.byteLength(payload(''))));
};

const opened: RawConnection[] = [];
const port = await reservePort();
const metrics = await openMetrics(
  { METRICS_PORT: port, METRICS_HOST: '127.0.0.1' },
  createLog({ level: 'silent', process: 'test' }),
  '0.1.0-test',
);
const service = await startService({
  temporal: false,
  metrics,
  settings: { LARGE_BODIES_BYTES: String(ROOM), LARGE_BODY_WAIT_MS: '600000', LARGE_BODY_ARRIVAL_MS: '600000' },
});
const shortTimeout = await startService({
  temporal: false,
  settings: { LARGE_BODIES_BYTES: String(ROOM), LARGE_BODY_WAIT_MS: '200', LARGE_BODY_ARRIVAL_MS: '10000' },
});
afterEach(async () => {
  for (const { socket } of opened.splice(0)) socket.destroy();
  await until(async () => (await figures()).size === 0);
});
afterAll(async () => {
  await service.stop();
  await shortTimeout.stop();
  await metrics.stop();
});

async function figures(): Promise<Record<'size' | 'waiting' | 'refused', number>> {
  const text = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
  const valueOf = (name: string) =>
    Number(
      new RegExp(`^http_server_large_bodies_${name}(?:_bytes|_total)?(?:\\{[^}]*\\})? (\\d+)`, 'm').exec(text)?.[1],
    );
  return { size: valueOf('size'), waiting: valueOf('waiting'), refused: valueOf('refused') };
}

/** A sender of a large body that stops after its first half. */
async function half(on: Service, token: string, body: string | Buffer, headers: Record<string, string> = {}) {
  const connection = await openRaw(on.url);
  opened.push(connection);
  const bytes = Buffer.from(body);
  connection.write(
    rawRequest('POST', VALIDATE, {
      authorization: `Token ${token}`,
      'content-type': 'application/json',
      'content-length': String(bytes.length),
      ...headers,
    }),
  );
  connection.write(bytes.subarray(0, Math.ceil(bytes.length / 2)));
  return { ...connection, sendRest: () => connection.write(bytes.subarray(Math.ceil(bytes.length / 2))) };
}

test('admits large bodies up to the capacity, and queues the next one', async () => {
  const tokens = await Promise.all(Array.from({ length: 4 }, () => service.supplierToken(['SUPPLIER_FR'])));
  const [first, second] = [
    await half(service, tokens[0]!, account(150_000)),
    await half(service, tokens[1]!, account(150_000)),
  ];
  await until(async () => (await figures()).size === 300_000);
  const third = await half(service, tokens[2]!, account(150_000));
  const fourth = await half(service, tokens[3]!, account(150_000));
  third.sendRest();
  fourth.sendRest();
  await until(async () => (await figures()).waiting === 2);
  expect((await figures()).size).toBe(300_000);
  first.sendRest();
  expect((await first.answer()).status).toBe(200);
  expect((await third.answer()).status).toBe(200);
  second.socket.destroy();
  expect((await fourth.answer()).status).toBe(200);
});

test('gives one organisation at most half of the capacity', async () => {
  const [one, other] = [await service.supplierToken(['SUPPLIER_FR']), await service.supplierToken(['SUPPLIER_FR'])];
  const first = await half(service, one, account(150_000));
  await until(async () => (await figures()).size === 150_000);
  const second = await half(service, one, account(150_000));
  second.sendRest();
  await until(async () => (await figures()).waiting === 1);
  for (let count = 0; count < 3; count += 1) {
    expect((await service.call('POST', VALIDATE, { token: other, body: account(150_000) })).status).toBe(200);
  }
  expect(await figures()).toMatchObject({ size: 150_000, waiting: 1 });
  first.sendRest();
  expect([(await first.answer()).status, (await second.answer()).status]).toEqual([200, 200]);
});

test('pauses a body of unknown length when it becomes large', async () => {
  const [one, other, packer] = await Promise.all(
    Array.from({ length: 3 }, () => service.supplierToken(['SUPPLIER_FR'])),
  );
  await half(service, one!, account(200_000));
  await half(service, other!, account(190_000));
  await until(async () => (await figures()).size === 390_000);
  const packed = await half(service, packer!, gzipSync(account(150_000)), { 'content-encoding': 'gzip' });
  packed.sendRest();
  await until(async () => (await figures()).waiting === 1);
  for (const token of [one!, other!, packer!]) {
    expect((await service.call('POST', VALIDATE, { token, body: account(60_000) })).status).toBe(200);
    expect(
      (
        await service.call('POST', VALIDATE, {
          token,
          body: gzipSync(account(60_000)),
          headers: { 'content-encoding': 'gzip' },
        })
      ).status,
    ).toBe(200);
  }
  expect(await figures()).toMatchObject({ size: 390_000, waiting: 1 });
});

test('rejects a large body without capacity in time with 503 and Retry-After', async () => {
  const [one, other] = [
    await shortTimeout.supplierToken(['SUPPLIER_FR']),
    await shortTimeout.supplierToken(['SUPPLIER_FR']),
  ];
  const held = await half(shortTimeout, one, account(390_000));
  let answer = await shortTimeout.call('POST', VALIDATE, { token: other, body: account(150_000) });
  await until(async () => {
    if (answer.status === 200) {
      answer = await shortTimeout.call('POST', VALIDATE, { token: other, body: account(150_000) });
    }
    return answer.status !== 200;
  });
  expect([answer.status, answer.body.code]).toEqual([503, 'service_unavailable']);
  expect(Number(answer.headers['retry-after'])).toBeGreaterThan(0);
  const late = await held.answer();
  expect(late.status).toBe(400);
  expect(JSON.parse(late.body)).toMatchObject({
    code: 'parse_error',
    detail: 'The body did not arrive within 10 seconds.',
  });
  expect(late.headers['connection']).toBe('close');
  // Its capacity is free again.
  expect((await shortTimeout.call('POST', VALIDATE, { token: other, body: account(150_000) })).status).toBe(200);
});
