import { expect, test } from '@jest/globals';
import { createAuthenticator } from '../../src/access/check-token.store.ts';
import { SECRET_BYTES, writeSecret } from '../../src/access/token.rules.ts';
import type { Queryable } from '../../src/platform/database/database.ts';

const header = (byte: number) => `Token ${writeSecret('access', Buffer.alloc(SECRET_BYTES, byte))}`;
const row = { keyId: 'k', organisation: 'o', keyName: 'n', role: 'supplier', importSuppliers: ['ACME'], lifeMs: 3_600_000 };

function database(answer: () => Promise<object[]>): Queryable & { asked: number } {
  const stub = { asked: 0, run: async () => ((stub.asked += 1), await answer()) as never };
  return stub;
}

test('requests with the same token share one look-up, and it is remembered for one second', async () => {
  let now = 0;
  const stub = database(async () => [row]);
  const authenticate = createAuthenticator({ database: stub, now: () => now });
  const callers = await Promise.all([authenticate(header(1)), authenticate(header(1)), authenticate(header(1))]);
  expect(callers[2]).toMatchObject({ keyId: 'k', importSuppliers: new Set(['ACME']) });
  now = 999;
  await authenticate(header(1));
  expect(stub.asked).toBe(1);
  now = 1_000;
  await authenticate(header(1));
  expect(stub.asked).toBe(2);
});

test('a token that ends sooner is remembered no longer than it lives', async () => {
  let now = 0;
  const stub = database(async () => [{ ...row, lifeMs: 200 }]);
  const authenticate = createAuthenticator({ database: stub, now: () => now });
  await authenticate(header(1));
  now = 200;
  await authenticate(header(1));
  expect(stub.asked).toBe(2);
});

test('a refused token is remembered too, until it may have become known', async () => {
  let now = 0;
  let rows: object[] = [];
  const authenticate = createAuthenticator({ database: database(async () => rows), now: () => now });
  expect(await authenticate(header(1))).toMatchObject({ code: 'authentication_failed' });
  rows = [row];
  expect(await authenticate(header(1))).toMatchObject({ code: 'authentication_failed' });
  now = 1_000;
  expect(await authenticate(header(1))).toMatchObject({ keyId: 'k' });
});

test('a failed look-up is not remembered', async () => {
  let fails = true;
  const authenticate = createAuthenticator({ database: database(async () => (fails ? Promise.reject(new Error('away')) : [row])) });
  await expect(authenticate(header(1))).rejects.toThrow('away');
  fails = false;
  expect(await authenticate(header(1))).toMatchObject({ keyId: 'k' });
});

test('an age counts from before the question: a slow answer is not joined after a second', async () => {
  let now = 0;
  const answers: ((rows: object[]) => void)[] = [];
  const stub = database(() => new Promise((resolve) => answers.push(resolve)));
  const authenticate = createAuthenticator({ database: stub, now: () => now });
  const early = authenticate(header(1));
  now = 1_000;
  const late = authenticate(header(1));
  expect(stub.asked).toBe(2);
  answers[1]!([]);
  answers[0]!([row]);
  expect(await late).toMatchObject({ code: 'authentication_failed' });
  expect(await early).toMatchObject({ keyId: 'k' });
});

test('a flood of wrong tokens is bounded', async () => {
  const authenticate = createAuthenticator({ database: database(() => new Promise(() => {})) });
  for (let byte = 0; byte < 256; byte += 1) void authenticate(header(byte));
  const other = `Token ${writeSecret('access', Buffer.from('0123456789abcdef0123456789abcdef'))}`;
  expect(await authenticate(other)).toMatchObject({ code: 'service_unavailable', retryAfterSeconds: 1 });
});

test.each([[undefined, 'not_authenticated'], ['', 'not_authenticated'], ['Bearer x', 'authentication_failed'], ['Token x', 'authentication_failed']])('header %p is refused without a look-up', async (value, code) => {
  const stub = database(async () => [row]);
  expect(await createAuthenticator({ database: stub })(value)).toMatchObject({ code });
  expect(stub.asked).toBe(0);
});
