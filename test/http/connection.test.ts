import { afterAll, expect, test } from '@jest/globals';
import { domesticAccount } from '../support/account-payload.ts';
import { errorBody } from '../support/error-body.ts';
import { startService } from '../support/harness.ts';
import { until } from '../support/until.ts';
import { openRaw, rawRequest } from '../support/raw-http.ts';

const STAGE = '/v1/data-import/account-import-process/create-or-update/';
const LIMIT = 50_000;

const service = await startService({ temporal: false, settings: { BODY_LIMIT_BYTES: String(LIMIT) } });
afterAll(() => service.stop());
const token = await service.supplierToken(['SUPPLIER_FR']);

const bodyOf = (sequence: number) => JSON.stringify(domesticAccount({ import_supplier: 'SUPPLIER_FR' }, sequence));
const headers = (more: Record<string, string> = {}) => ({
  authorization: `Token ${token}`,
  'content-type': 'application/json',
  ...more,
});
const isStaged = async (sequence: number) =>
  (
    await service.database.pool.query('select from import_process where external_account_number = $1', [
      `HOME-${String(sequence).padStart(8, '0')}`,
    ])
  ).rows.length === 1;

test('answers pipelined requests in order', async () => {
  const connection = await openRaw(service.url);
  connection.write(
    [1, 2, 3]
      .map((sequence) => rawRequest('POST', STAGE, headers({ 'x-request-id': `r${sequence}` }), bodyOf(sequence)))
      .join('') +
      rawRequest('GET', '/nowhere', { 'x-request-id': 'r4' }) +
      rawRequest('POST', STAGE, headers({ 'x-request-id': 'r5' }), '{'),
  );
  for (const [id, status] of [
    ['r1', 201],
    ['r2', 201],
    ['r3', 201],
    ['r4', 404],
    ['r5', 400],
  ] as const) {
    const answer = await connection.answer();
    expect([answer.headers['x-request-id'], answer.status]).toEqual([id, status]);
  }
  connection.socket.destroy();
});

test('reads a body byte by byte and in chunks alike', async () => {
  const connection = await openRaw(service.url);
  const text = rawRequest('POST', STAGE, headers(), bodyOf(10));
  for (let at = 0; at < text.length; at += 97) {
    connection.write(text.slice(at, at + 97));
    await new Promise((resolve) => {
      setImmediate(resolve);
    });
  }
  expect((await connection.answer()).status).toBe(201);
  const body = Buffer.from(bodyOf(11));
  connection.write(rawRequest('POST', STAGE, headers({ 'transfer-encoding': 'chunked' })));
  for (let at = 0; at < body.length; at += 1_000) {
    const part = body.subarray(at, at + 1_000);
    connection.write(Buffer.concat([Buffer.from(`${part.length.toString(16)}\r\n`), part, Buffer.from('\r\n')]));
  }
  connection.write('0\r\n\r\n');
  expect((await connection.answer()).status).toBe(201);
  connection.socket.destroy();
});

test.each([
  ['Content-Length', (body: string) => rawRequest('POST', STAGE, headers(), body)],
  [
    'chunks',
    (body: string) =>
      rawRequest(
        'POST',
        STAGE,
        headers({ 'transfer-encoding': 'chunked' }),
        `${Buffer.byteLength(body).toString(16)}\r\n${body}\r\n0\r\n\r\n`,
      ),
  ],
])('never parses the rest of a body that is too large (%s) as a request', async (_name, request) => {
  const smuggled = rawRequest('POST', STAGE, headers(), bodyOf(20));
  const connection = await openRaw(service.url);
  connection.write(request(`"${'x'.repeat(LIMIT)}${smuggled}`));
  connection.write(rawRequest('POST', STAGE, headers(), bodyOf(21)));
  expect(await connection.answer()).toMatchObject({ status: 413, body: expect.stringContaining('request_too_large') });
  // The connection either ends here or continues with the next request.
  const next = await connection.answer().catch(() => undefined);
  // 200 if the previous case has staged it.
  if (next) expect([200, 201]).toContain(next.status);
  connection.socket.destroy();
  expect(await isStaged(20)).toBe(false);
});

test.each([
  ['wrong type', 415, { 'content-type': 'text/plain' }],
  ['no token', 401, { authorization: '' }],
  ['wrong token', 401, { authorization: `Token gwa_${'x'.repeat(43)}` }],
] as const)('never treats an unread body (%s) as the next request', async (_name, status, more) => {
  const connection = await openRaw(service.url);
  connection.write(
    rawRequest(
      'POST',
      STAGE,
      headers(more),
      `${'x'.repeat(LIMIT * 3)}${rawRequest('POST', STAGE, headers(), bodyOf(22))}`,
    ),
  );
  connection.write(rawRequest('GET', '/healthz/live', {}));
  expect((await connection.answer()).status).toBe(status);
  const next = await connection.answer().catch(() => undefined);
  if (next) expect(next.body).toContain('"ok"');
  connection.socket.destroy();
  expect(await isStaged(22)).toBe(false);
});

test('stores nothing of a client that disconnects within its body', async () => {
  const text = rawRequest('POST', STAGE, headers(), bodyOf(30));
  for (let round = 0; round < 20; round += 1) {
    const connection = await openRaw(service.url);
    connection.write(text.slice(0, text.length - 1 - round * 50));
    connection.socket.destroy();
  }
  expect((await service.call('GET', '/healthz/live')).status).toBe(200);
  expect(await isStaged(30)).toBe(false);
});

test('waits for the rest of a body shorter than its Content-Length', async () => {
  const connection = await openRaw(service.url);
  const body = bodyOf(31);
  connection.write(rawRequest('POST', STAGE, headers({ 'content-length': String(Buffer.byteLength(body) + 5) }), body));
  expect(await isStaged(31)).toBe(false);
  connection.write('     ');
  expect((await connection.answer()).status).toBe(201);
  connection.socket.destroy();
});

test('validates a body up to its Content-Length, and parses no rest as a request', async () => {
  const connection = await openRaw(service.url);
  const body = bodyOf(32);
  connection.write(rawRequest('POST', STAGE, headers({ 'content-length': String(Buffer.byteLength(body) - 5) }), body));
  expect((await connection.answer()).status).toBe(400);
  await connection.closed();
  expect(await isStaged(32)).toBe(false);
});

test.each([
  ['both lengths', { 'content-length': '5', 'transfer-encoding': 'chunked' }],
  ['a negative length', { 'content-length': '-1' }],
  ['a length that is not a number', { 'content-length': 'ten' }],
  ['an unknown transfer coding', { 'transfer-encoding': 'gzip, identity' }],
])('answers 400 and closes the connection: %s', async (_name, more) => {
  const connection = await openRaw(service.url);
  connection.write(
    `${rawRequest('POST', STAGE, headers(more))}0\r\n\r\n${rawRequest('POST', STAGE, headers(), bodyOf(40))}`,
  );
  expect(await connection.closed()).toMatch(/^HTTP\/1\.1 400 /);
  expect(await isStaged(40)).toBe(false);
});

test('answers Expect: 100-continue before the body is sent', async () => {
  const connection = await openRaw(service.url);
  const body = bodyOf(50);
  connection.write(
    rawRequest('POST', STAGE, headers({ expect: '100-continue', 'content-length': String(Buffer.byteLength(body)) })),
  );
  expect((await connection.answer()).status).toBe(100);
  connection.write(body);
  expect((await connection.answer()).status).toBe(201);
  connection.socket.destroy();
});

test('ignores other expectations', async () => {
  const connection = await openRaw(service.url);
  connection.write(rawRequest('POST', STAGE, headers({ expect: 'a miracle' }), bodyOf(51)));
  expect((await connection.answer()).status).toBe(201);
  connection.socket.destroy();
});

test('rejects a request without Host in the usual form and closes the connection, except HTTP/1.0', async () => {
  const connection = await openRaw(service.url);
  connection.write(`GET /healthz/live HTTP/1.1\r\n\r\n`);
  const answer = await connection.answer().catch(() => undefined);
  expect(answer).toMatchObject({ status: 400, headers: { 'content-type': 'application/json', connection: 'close' } });
  expect(JSON.parse(answer!.body)).toMatchObject(errorBody('parse_error'));
  await connection.closed();
  const old = await openRaw(service.url);
  old.write('GET /healthz/live HTTP/1.0\r\n\r\n');
  expect(await old.closed()).toMatch(/^HTTP\/1\.1 200 /);
});

test.each([
  [
    'two headers Host',
    'GET /healthz/live HTTP/1.1\r\nHost: one.example\r\nHost: other.example\r\n\r\n',
    /Host was sent more than once/,
  ],
  [
    'the same Host twice, in another case',
    'GET /healthz/live HTTP/1.1\r\nhost: one.example\r\nHOST: one.example\r\n\r\n',
    /Host was sent more than once/,
  ],
  [
    'two headers Host in HTTP/1.0',
    'GET /healthz/live HTTP/1.0\r\nHost: one.example\r\nHost: one.example\r\n\r\n',
    /Host was sent more than once/,
  ],
  ['HTTP/0.9', 'GET /healthz/live HTTP/0.9\r\nHost: one.example\r\n\r\n', /version/],
  ['HTTP/2.0', 'GET /healthz/live HTTP/2.0\r\nHost: one.example\r\n\r\n', /version/],
  ['HTTP/1.2', 'GET /healthz/live HTTP/1.2\r\nHost: one.example\r\n\r\n', /not valid HTTP/],
  ['HTTP/3.0', 'GET /healthz/live HTTP/3.0\r\nHost: one.example\r\n\r\n', /not valid HTTP/],
  ['a version in lower case', 'GET /healthz/live http/1.1\r\nHost: one.example\r\n\r\n', /not valid HTTP/],
  ['no version', 'GET /healthz/live\r\nHost: one.example\r\n\r\n', /version/],
  [
    'Content-Length beside Transfer-Encoding',
    'POST /healthz/live HTTP/1.1\r\nHost: a.example\r\nContent-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n',
    /not valid HTTP: .*(?:Content-Length|Transfer-Encoding)/,
  ],
])('answers 400 in the usual form, and parses no further request: %s', async (_name, head, detail) => {
  const connection = await openRaw(service.url);
  connection.write(head + rawRequest('POST', STAGE, headers(), bodyOf(60)));
  const answer = await connection.answer();
  expect(answer).toMatchObject({
    status: 400,
    headers: {
      'content-type': 'application/json',
      connection: expect.stringMatching(/close/i),
      'x-request-id': expect.stringMatching(/^[0-9a-f-]{36}$/),
    },
  });
  expect(JSON.parse(answer.body)).toMatchObject({
    code: 'parse_error',
    errors: [],
    detail: expect.stringMatching(detail),
  });
  await connection.closed();
  expect(await isStaged(60)).toBe(false);
});

test('releases the database connection when a client disconnects during a list', async () => {
  await service.database.pool
    .query(`insert into import_process (id, import_supplier, external_account_number, payload, phone_numbers, payload_hash, validated_with)
    select gen_random_uuid(), 'SUPPLIER_FR', 'L-' || n, '{}', '[]', '', 'test' from generate_series(1, 20000) n`);
  const connections = await Promise.all(Array.from({ length: 8 }, () => openRaw(service.url)));
  for (const connection of connections) {
    connection.socket.pause();
    connection.write(rawRequest('GET', '/v1/data-import/pending-account-import-processes/SUPPLIER_FR/', headers()));
  }
  const answer = await service.call('GET', '/v1/data-import/pending-account-import-processes/SUPPLIER_FR/', { token });
  expect(answer.body.length).toBeGreaterThanOrEqual(20_000);
  for (const connection of connections) connection.socket.destroy();
  const { rows } = await service.database.pool.query(
    `select from pg_stat_activity where application_name = 'gangway-lists' and state <> 'idle' and datname = current_database()`,
  );
  await until(
    async () =>
      rows.length === 0 ||
      (
        await service.database.pool.query(
          `select from pg_stat_activity where application_name = 'gangway-lists' and state <> 'idle' and datname = current_database()`,
        )
      ).rows.length === 0,
  );
});
