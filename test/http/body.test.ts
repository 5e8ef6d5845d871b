import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import { afterAll, describe, expect, test } from '@jest/globals';
import { domesticAccount } from '../support/account-payload.ts';
import { errorBody } from '../support/error-body.ts';
import { startService } from '../support/harness.ts';

const VALIDATE = '/v1/data-import/validate-account/';
const CREATE = '/v1/data-import/account-import-process/process/';

const service = await startService({ temporal: false });
afterAll(() => service.stop());
const token = await service.supplierToken(['SUPPLIER_FR']);

const account = JSON.stringify(domesticAccount({ import_supplier: 'SUPPLIER_FR' }));
const post = (path: string, body: string | Uint8Array, headers: Record<string, string> = {}) =>
  service.call('POST', path, { token, body, headers });

describe('rejects invalid JSON as parse_error without quoting it', () => {
  test.each<[string, string | Uint8Array]>([
    ['an empty body', ''],
    ['blanks', ' \n'],
    ['a word', 'hunter2-secret'],
    ['single quotes', "{'hunter2-secret': 1}"],
    ['truncated JSON', account.slice(0, -1)],
    ['an extra comma', '{"hunter2-secret":1,}'],
    ['NaN', '{"a":NaN}'],
    ['a number with a leading zero', '{"a":01}'],
    ['two values', '{}{}'],
    ['a comment', '{/*hunter2-secret*/}'],
    ['a raw line break in a string', '{"a":"x\ny"}'],
    ['a byte order mark alone', '\ufeff'],
    ['two byte order marks', `\ufeff\ufeff${account}`],
    ['a form', 'a=1&b=hunter2-secret'],
    ['invalid UTF-8', Buffer.concat([Buffer.from('{"a":"'), Buffer.from([0xff, 0xfe]), Buffer.from('"}')])],
    ['overlong UTF-8', Buffer.from([0x7b, 0x22, 0xc0, 0xaf, 0x22, 0x3a, 0x31, 0x7d])],
    ['a surrogate in UTF-8', Buffer.from([0x22, 0xed, 0xa0, 0x80, 0x22])],
    ['UTF-16', Buffer.from(account, 'utf16le')],
    ['Latin-1', Buffer.from('{"a":"é"}', 'latin1')],
  ])('%s', async (_name, body) => {
    for (const path of [VALIDATE, CREATE]) {
      const answer = await post(path, body);
      expect(answer.status).toBe(400);
      expect(answer.body).toEqual(errorBody('parse_error'));
      expect(answer.body.detail).not.toContain('hunter2');
    }
  });

  test('accepts a request without body and type', async () => {
    const response = await fetch(service.url + VALIDATE, {
      method: 'POST',
      headers: { authorization: `Token ${token}` },
    });
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({ code: 'parse_error' });
  });
});

describe('a parse_error', () => {
  test.each<[string, string | Uint8Array, number, number, RegExp]>([
    ['a missing colon', '{\n  "a": 1,\n  "b" 2\n}', 3, 7, /colon/],
    ['a missing comma', '{"a": 1\n "b": 2}', 2, 2, /comma/],
    ['an extra comma', '[1,\n2,]', 2, 3, /comma/],
    ['single quotes', "{'a': 1}", 1, 2, /double quotes/],
    ['a string in single quotes', '{"a": \'x\'}', 1, 7, /double quotes/],
    ['a name without quotes', '{a: 1}', 1, 2, /double quotes/],
    ['a literal of another language', '{"a":\n None}', 2, 2, /true, false and null/],
    ['a leading zero', '[007]', 1, 3, /leading zeros/],
    ['a comment', '{"a": // b\n1}', 1, 7, /comments/],
    ['a raw line break', '{"a":"x\ny"}', 1, 8, /line break/],
    ['an unknown escape', String.raw`{"a":"\x"}`, 1, 6, /backslash/],
    ['an unterminated string', '{\n"a":"x}', 2, 5, /closing quote/],
    ['a premature end', '{"a":{\n"b":1', 2, 6, /too early/],
    ['two values', '{}\n{}', 2, 1, /after the end/],
    ['Latin-1', Buffer.from('{"a":1,\n"b":"é"}', 'latin1'), 2, 6, /UTF-8/],
  ])('reports the place and the cause of %s', async (_name, body, line, column, cause) => {
    const { detail } = (await post(VALIDATE, body)).body;
    expect(detail).toContain(`line ${line}, column ${column}: `);
    expect(detail).toMatch(cause);
  });
});

test('ignores a byte order mark before a body', async () => {
  expect(await post(VALIDATE, `\ufeff${account}`)).toMatchObject({
    status: 200,
    body: { external_account_number: JSON.parse(account).external_account_number },
  });
  expect(await post(VALIDATE, gzipSync(Buffer.from(`\ufeff${account}`)), { 'content-encoding': 'gzip' })).toMatchObject(
    { status: 200 },
  );
});

test.each(['token', 'TOKEN', 'ToKeN'])('accepts the Authorization scheme %s', async (scheme) => {
  expect(
    (await service.call('POST', VALIDATE, { body: account, headers: { authorization: `${scheme} ${token}` } })).status,
  ).toBe(200);
});

describe('compressed bodies', () => {
  test.each([
    ['gzip', gzipSync],
    ['deflate', deflateSync],
    ['br', brotliCompressSync],
  ] as const)('reads %s', async (encoding, compress) => {
    expect((await post(VALIDATE, compress(Buffer.from(account)), { 'content-encoding': encoding })).status).toBe(200);
  });

  test('rejects a bomb by its decompressed size without decompressing all of it', async () => {
    const bomb = gzipSync(Buffer.alloc(200_000_000, ' '));
    expect(bomb.length).toBeLessThan(300_000);
    const before = process.memoryUsage().rss;
    const answer = await post(VALIDATE, bomb, { 'content-encoding': 'gzip' });
    expect(answer).toMatchObject({ status: 413, body: { code: 'request_too_large' } });
    expect(process.memoryUsage().rss - before).toBeLessThan(100_000_000);
  });

  test.each([
    ['cut off', gzipSync(Buffer.from(account)).subarray(0, 200)],
    ['no gzip at all', Buffer.from(account)],
    [
      'damaged',
      (() => {
        const bytes = gzipSync(Buffer.from(account));
        bytes[200] = (bytes[200] as number) ^ 0xff;
        return bytes;
      })(),
    ],
  ])('answers parse_error for a gzip body that is %s', async (_name, bytes) => {
    expect(await post(VALIDATE, bytes, { 'content-encoding': 'gzip' })).toMatchObject({
      status: 400,
      body: { code: 'parse_error' },
    });
  });

  test.each(['gzip', 'deflate', 'br'])('answers parse_error for a body that is no %s everywhere', async (encoding) => {
    for (const path of [VALIDATE, CREATE, '/graphql/']) {
      for (const bytes of [account, 'junkjunk', Buffer.from([0xff, 0xff, 0xff])]) {
        expect(await post(path, bytes, { 'content-encoding': encoding })).toMatchObject({
          status: 400,
          body: { code: 'parse_error' },
        });
      }
    }
  });
});

const many = (text: string, count: number) => Array.from({ length: count }, () => text).join(',');
const tenMembers = (value: number) => Array.from({ length: 10 }, (_, index) => `"k${index}":${value}`).join(',');

describe('rejects hostile JSON with 400, never 500', () => {
  test.each<[string, string, string]>([
    ['20,000 nested objects', `${'{"a":'.repeat(20_000)}1${'}'.repeat(20_000)}`, 'max_depth'],
    ['500,000 nested lists', '['.repeat(500_000) + ']'.repeat(500_000), 'max_depth'],
    [
      'deep objects around a number beyond 15 digits',
      `${'{"a":'.repeat(20_000)}1e400${'}'.repeat(20_000)}`,
      'max_depth',
    ],
    ['deep lists of numbers beyond 15 digits', `${'[1e400,'.repeat(20_000)}1${']'.repeat(20_000)}`, 'max_depth'],
    [
      '100,000 faults',
      `{"notes":[${many('{}', 9_999)}],"customers":[${many('{}', 9_999)}],"statements":[${many('{}', 9_999)}],"metadata":[${many('{}', 9_999)}]}`,
      'required',
    ],
    ['a key of 500,000 characters', `{"${'k'.repeat(500_000)}":1}`, 'required'],
    ['9,900 keys', `{${Array.from({ length: 9_900 }, (_, index) => `"k${index}":${index}`).join(',')}}`, 'required'],
  ])('%s', async (_name, body, code) => {
    const answer = await post(VALIDATE, body);
    expect(answer.status).toBe(400);
    expect(answer.body.code).toBe('account_failed_validation');
    expect(answer.body.errors.map((error: { code: string }) => error.code)).toContain(code);
    expect(answer.body.errors.length).toBeLessThanOrEqual(1_000);
  });

  test.each([
    '"__proto__":{"external_account_number":"x","isAdmin":true}',
    '"constructor":{"prototype":{"x":1}}',
    '"toString":null',
    '"hasOwnProperty":1',
    '"__proto__":1e400',
    '"__proto__":null',
    '"rawJSON":"1"',
    '"toJSON":1',
    '"then":1',
  ])('treats a member of a built-in name as unknown: %s', async (member) => {
    const answer = await post(VALIDATE, `{${member},${account.slice(1)}`);
    expect(answer.status).toBe(200);
    expect(answer.body).toEqual(JSON.parse(account));
    expect(({} as Record<string, unknown>)['isAdmin']).toBeUndefined();
  });

  test.each([
    '"__proto__":{"external_account_number":"x"}',
    '"external_account_number":{"__proto__":{}}',
    '"customers":{"length":1,"0":{}}',
    '"customers":[{"__proto__":[]}]',
    '"import_supplier":{"trim":1}',
    '"customers":1e400',
    '"metadata":[1e400]',
    '"metadata":[{"key":1e400,"value":1e400}]',
    '"business":1e400',
    '"account_contracts":[{"versions":[{"terms":[1e400]}]}]',
    '"unknown_occupier":1e400',
  ])('rejects %s in an otherwise empty account with ordinary violations', async (member) => {
    const answer = await post(VALIDATE, `{${member}}`);
    expect(answer).toMatchObject({ status: 400, body: { code: 'account_failed_validation' } });
  });
});

describe('rejects duplicate members and costly bodies before parsing', () => {
  test.each<[string, string, string]>([
    ['the same name', account.replace('{', '{"external_account_number":12345678901234567890,'), 'line 1, column 49'],
    ['equal after unescaping', '{"a":1,\n "b":{"\\u0061":1},"\\u0061":2}', 'line 2, column 19'],
    ['with other members between', '{"a":{"x":[{"b":1},{"b":2}]},"c":{"a":1},\n"a":1}', 'line 2, column 1'],
    ['in an object of a list', '[{"a":1},{"a":1,"b":2,"b":3}]', 'line 1, column 23'],
    ['50,000 times', `{${many('"customers":[]', 50_000)}}`, 'line 1, column 17'],
    ['among many', `{${Array.from({ length: 1_000 }, (_, index) => `"k${index}":1`).join(',')},"k7":1}`, 'column 8892'],
    ['names beyond ASCII, one of them escaped', '{"é":1,"\\u00e9":2}', 'line 1, column 8'],
    ['__proto__', '{"__proto__":1,"__proto__":2}', 'line 1, column 16'],
  ])('rejects a repeated member with its place: %s', async (_name, body, place) => {
    for (const path of [VALIDATE, CREATE]) {
      const answer = await post(path, body);
      expect([answer.status, answer.body]).toEqual([
        400,
        errorBody('parse_error', expect.stringContaining(`${place}`)),
      ]);
      expect(answer.body.detail).toContain('a second member with this name');
    }
  });

  test.each([
    '{"a":{"a":{"a":1}},"b":[{"a":1},{"a":1}]}',
    '{"\\ud800":1,"\\ud801":2,"\\ufffd":3}',
    '{"a":1,"A":2,"a ":3,"\\u0000a":4}',
    '{"x":"\\",\\"x\\":1","y":1}',
  ])('accepts similar names, and equal names in different objects: %s', async (body) => {
    expect((await post(VALIDATE, body)).body.code).toBe('account_failed_validation');
  });
});

describe('rejects a body with too many parts before parsing', () => {
  test.each<[string, string]>([
    ['51,000 members', `[${Array.from({ length: 5_100 }, (_, index) => `{${tenMembers(index)}}`).join(',')}]`],
    [
      '10,001 names in one object',
      `{${Array.from({ length: 10_001 }, (_, index) => `"k${index}":${index}`).join(',')}}`,
    ],
    [
      '10,001 names in separate objects',
      `[${Array.from({ length: 10_001 }, (_, index) => `{"${index}":0}`).join(',')}]`,
    ],
    ['101,000 items', `[${many('1', 101_000)}]`],
    ['101,000 lists', `{"metadata":[${many('[]', 101_000)}]}`],
    ['small numbers with exponents', `[${many('1e1', 10_001)}]`],
    ['numbers of 16 digits', `{"metadata":[{"key":"a","value":{"a":[${many('1234567890123456', 10_001)}]}}]}`],
  ])('rejects a request that is too much work: %s', async (_name, body) => {
    for (const path of [VALIDATE, CREATE]) {
      expect(await post(path, body)).toMatchObject({
        status: 413,
        body: { code: 'request_too_large', detail: expect.stringContaining('50000 members') },
      });
    }
  });

  test('accepts 10,000 names, each repeated in any number of objects', async () => {
    const names = Array.from({ length: 10_000 }, (_, index) => `{"k${index}":0,"same":1}`);
    expect((await post(VALIDATE, `[${names.slice(1).join(',')},${names[1]}]`)).body.code).toBe(
      'account_failed_validation',
    );
  });
});

test('rejects numbers with more than 15 digits or an exponent in every number and text field', async () => {
  const point = {
    identifier: 'IDENTIFIER',
    supply_type: 'ELECTRICITY',
    supply_start_date: '2024-01-01',
    billing_frequency: 'FREQUENCY',
  };
  const body = JSON.stringify({
    external_account_number: 'NUMBER',
    import_supplier: 'SUPPLIER_FR',
    customers: [{ given_name: 'A', family_name: 'B' }],
    supply_addresses: [{ customer_at_supply_address_from_date: '2024-01-01', supply_points: [point] }],
    supplementary_ledgers: [{ ledger_code: 'L', energy_cheques: [{ number: '1', amount: 'AMOUNT' }] }],
  })
    .replace('"NUMBER"', '12345678901234567890')
    .replace('"IDENTIFIER"', '20000000000000001')
    .replace('"FREQUENCY"', '1e0')
    .replace('"AMOUNT"', '10000000000000000');
  const answer = await post(VALIDATE, body);
  expect(answer.body.errors.map(({ attr, code }: { attr: string; code: string }) => `${attr} ${code}`)).toEqual([
    'external_account_number invalid',
    'supply_addresses.0.supply_points.0.identifier invalid',
    'supply_addresses.0.supply_points.0.billing_frequency invalid',
    'supplementary_ledgers.0.energy_cheques.0.amount invalid',
  ]);
});
