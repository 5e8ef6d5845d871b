import { Writable } from 'node:stream';
import { afterAll, expect, test } from '@jest/globals';
import { pino } from 'pino';
import { businessAccount, domesticAccount } from '../support/account-payload.ts';
import { startService } from '../support/harness.ts';
import { until } from '../support/until.ts';

const lines: string[] = [];
const log = pino(
  { level: 'trace' },
  new Writable({
    write: (chunk, _encoding, done) => {
      lines.push(String(chunk));
      done();
    },
  }),
);
const service = await startService({ worker: true, log });
afterAll(() => service.stop());
const token = await service.supplierToken(['SUPPLIER_FR']);

const V1 = '/v1/data-import';
const home = domesticAccount({ import_supplier: 'SUPPLIER_FR', external_account_number: 'NUM-7731-SECRET' }, 1);
const firm = { ...businessAccount({ import_supplier: 'SUPPLIER_FR' }, 2), external_account_number: 'NUM-7732-SECRET' };
const creation = {
  external_account_number: 'NUM-7731-SECRET',
  import_supplier_code: 'SUPPLIER_FR',
  operations_team_name: 'Migration',
};
const wrongToken = `gwa_${'Q'.repeat(43)}`;

/** Every string of a payload that is too long to appear in the log by coincidence. */
function textsOf(value: unknown): string[] {
  if (typeof value === 'string') return value.length >= 6 ? [value] : [];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(textsOf) : [];
}

const requests: [string, string, object, string, number][] = [
  ['POST', `${V1}/validate-account/`, { body: home }, `${V1}/validate-account`, 200],
  [
    'POST',
    `${V1}/validate-account/`,
    { body: { ...home, customers: [{ given_name: 'Guillemette-Secret', landline: 'no-number-secret' }] } },
    `${V1}/validate-account`,
    400,
  ],
  [
    'POST',
    `${V1}/validate-account/`,
    { body: '{"secret-in-bad-json": Guillemette-Secret' },
    `${V1}/validate-account`,
    400,
  ],
  [
    'POST',
    `${V1}/account-import-process/create-or-update/`,
    { body: home },
    `${V1}/account-import-process/create-or-update`,
    201,
  ],
  [
    'POST',
    `${V1}/account-import-process/create-or-update/`,
    { body: firm },
    `${V1}/account-import-process/create-or-update`,
    201,
  ],
  [
    'POST',
    `${V1}/account-import-process/process/`,
    { body: { ...creation, dry_run: true } },
    `${V1}/account-import-process/process`,
    400,
  ],
  ['POST', `${V1}/account-import-process/process/`, { body: creation }, `${V1}/account-import-process/process`, 201],
  ['POST', `${V1}/account-import-process/process/`, { body: creation }, `${V1}/account-import-process/process`, 400],
  [
    'POST',
    `${V1}/account-import-process/process/`,
    { body: { ...creation, external_account_number: 'NUM-7732-SECRET' } },
    `${V1}/account-import-process/process`,
    400,
  ],
  [
    'GET',
    `${V1}/account-transfer-status/SUPPLIER_FR/NUM-7731-SECRET/`,
    {},
    `${V1}/account-transfer-status/:supplier/:external`,
    200,
  ],
  [
    'GET',
    `${V1}/account-transfer-status/SUPPLIER_FR/NUM-7733-SECRET/`,
    {},
    `${V1}/account-transfer-status/:supplier/:external`,
    404,
  ],
  [
    'GET',
    `${V1}/account-transfer-status/SUPPLIER_FR/NUM-7733-SECRET%00/`,
    {},
    `${V1}/account-transfer-status/:supplier/:external`,
    404,
  ],
  ['GET', `${V1}/nowhere/NUM-7734-SECRET/?token=${wrongToken}`, {}, 'none', 404],
  [
    'GET',
    `${V1}/account-transfer-status/SUPPLIER_FR/NUM-7735-SECRET/`,
    { token: wrongToken },
    `${V1}/account-transfer-status/:supplier/:external`,
    401,
  ],
  ['DELETE', `${V1}/account-transfer-status/SUPPLIER_FR/NUM-7736-SECRET/`, {}, 'none', 405],
  [
    'GET',
    `${V1}/pending-account-import-processes/SUPPLIER_FR/?limit=1&cursor=NUM-7737-SECRET`,
    {},
    `${V1}/pending-account-import-processes/:supplier`,
    400,
  ],
  ['GET', `${V1}/all-account-import-processes/SUPPLIER_FR/`, {}, `${V1}/all-account-import-processes/:supplier`, 200],
];

test('logs one line for each request with method, route template, status, duration and request id', async () => {
  for (const [index, [method, path, options, route, status]] of requests.entries()) {
    const answer = await service.call(method, path, {
      token,
      ...options,
      headers: { 'x-request-id': `line-${index}` },
    });
    expect([path, answer.status]).toEqual([path, status]);
    const ofRequest = () =>
      lines
        .map((line) => JSON.parse(line))
        .filter((line) => line.requestId === `line-${index}` && line.msg === 'request');
    await until(() => ofRequest().length > 0);
    expect(ofRequest()).toEqual([
      expect.objectContaining({ method, route, status, durationMs: expect.any(Number), complete: true, level: 30 }),
    ]);
    if (status >= 400) expect(ofRequest()[0].code).toBe(answer.body.code);
  }
});

test('logs successful probes at level debug', async () => {
  expect((await service.call('GET', '/healthz/live', { headers: { 'x-request-id': 'probe' } })).status).toBe(200);
  await until(() => lines.some((line) => line.includes('"probe"')));
  expect(JSON.parse(lines.find((line) => line.includes('"probe"')) as string)).toMatchObject({
    msg: 'request',
    level: 20,
  });
});

test('logs no token, payload value or number of a path', async () => {
  const all = lines.join('');
  expect(lines.length).toBeGreaterThanOrEqual(requests.length);
  const secrets = [
    token,
    service.operatorToken,
    wrongToken,
    'SECRET',
    'Secret',
    'no-number-secret',
    'secret-in-bad-json',
    ...textsOf(home),
    ...textsOf(firm),
  ].filter(
    (text) => !['SUPPLIER_FR', 'DOMESTIC', 'ELECTRICITY', 'BUSINESS', 'DIRECT', 'MONTHLY', 'VALID'].includes(text),
  );
  expect(secrets.length).toBeGreaterThan(100);
  expect(secrets.filter((secret) => all.includes(secret))).toEqual([]);
});

test('logs a client that disconnects before the response', async () => {
  const controller = new AbortController();
  const aborted = fetch(`${service.url}${V1}/validate-account/`, {
    method: 'POST',
    signal: controller.signal,
    duplex: 'half',
    headers: { authorization: `Token ${token}`, 'content-type': 'application/json', 'x-request-id': 'gone' },
    body: new ReadableStream({
      start: (stream) => {
        stream.enqueue(new TextEncoder().encode('{"a":"NUM-7738-SECRET'));
      },
    }),
  }).catch(() => 'gone');
  // The service answers another request, so it has begun to read this one.
  expect((await service.call('GET', '/healthz/live')).status).toBe(200);
  controller.abort();
  expect(await aborted).toBe('gone');
  await until(() => lines.some((line) => JSON.parse(line).requestId === 'gone' && JSON.parse(line).msg === 'request'));
  const ofRequest = lines.map((line) => JSON.parse(line)).filter((line) => line.requestId === 'gone');
  expect(ofRequest.find((line) => line.msg === 'request')).toMatchObject({ complete: false });
  expect(ofRequest.filter((line) => line.level >= 50)).toEqual([]);
  expect(lines.join('')).not.toContain('NUM-7738');
});
