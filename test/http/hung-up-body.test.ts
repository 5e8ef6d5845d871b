import { Writable } from 'node:stream';
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import { afterAll, expect, test } from '@jest/globals';
import { pino } from 'pino';
import type { AnsweredRequest } from '../../src/platform/http/note-answered.ts';
import { noMetrics } from '../../src/platform/metrics/metrics.ts';
import { domesticAccount } from '../support/account-payload.ts';
import { startService } from '../support/harness.ts';
import { until } from '../support/until.ts';
import { openRaw, rawRequest } from '../support/raw-http.ts';

const VALIDATE = '/v1/data-import/validate-account/';
const lines: string[] = [];
const answered: AnsweredRequest[] = [];
const log = pino(
  { level: 'info' },
  new Writable({
    write: (chunk, _encoding, done) => {
      lines.push(String(chunk));
      done();
    },
  }),
);
const service = await startService({
  temporal: false,
  log,
  metrics: {
    ...noMetrics,
    requestAnswered: (one) => {
      answered.push(one);
    },
  },
});
afterAll(() => service.stop());
const token = await service.supplierToken(['SUPPLIER_FR']);

const account = Buffer.from(
  JSON.stringify({
    ...domesticAccount({ import_supplier: 'SUPPLIER_FR' }),
    metadata: [{ key: 'a', value: { text: 'x'.repeat(90_000) } }],
  }),
);
const noise = Buffer.from(JSON.stringify({ a: Array.from({ length: 4_500 }, () => Math.random()) }));
const bodies: [string, Buffer, Record<string, string>][] = [
  ['plain', account, {}],
  ['small', noise.subarray(0, 20_000), {}],
  ['gzip', gzipSync(noise), { 'content-encoding': 'gzip' }],
  ['deflate', deflateSync(noise), { 'content-encoding': 'deflate' }],
  ['br', brotliCompressSync(noise), { 'content-encoding': 'br' }],
];

test.each(
  bodies.flatMap(([name, body, headers]) =>
    [VALIDATE, '/graphql/'].map((path) => [name, path, body, headers] as const),
  ),
)(
  'does not report a client that disconnects within its body (%s to %s) as an internal error',
  async (name, path, body, headers) => {
    const id = `hung-up-${name}-${path.length}`;
    for (const share of [0, 0.1, 0.5, 0.9]) {
      const connection = await openRaw(service.url);
      connection.write(
        rawRequest('POST', path, {
          authorization: `Token ${token}`,
          'content-type': 'application/json',
          'x-request-id': id,
          'content-length': String(body.length),
          ...headers,
        }),
      );
      connection.write(body.subarray(0, Math.floor(body.length * share)));
      await new Promise((resolve) => {
        setTimeout(resolve, 30);
      });
      if (share > 0.4) connection.socket.resetAndDestroy();
      else connection.socket.destroy();
    }
    const ofRequest = () => lines.map((line) => JSON.parse(line)).filter(({ requestId }) => requestId === id);
    await until(() => ofRequest().filter(({ msg }) => msg === 'request').length === 4);
    expect(ofRequest().filter(({ level }) => level > 30)).toEqual([]);
    expect(ofRequest().map(({ status, complete, msg, code }) => [msg, status, complete, code])).toEqual(
      Array.from({ length: 4 }, () => ['request', 499, false, 'hung_up']),
    );
  },
);

test('counts disconnected clients as such, and not as errors', () => {
  expect(answered.filter(({ code }) => code === 'hung_up').length).toBe(bodies.length * 8);
  expect(answered.filter(({ status }) => status >= 500)).toEqual([]);
});
