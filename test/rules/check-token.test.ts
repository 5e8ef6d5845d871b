import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from '@jest/globals';
import {
  createAuthenticator,
  rememberHashes,
  UNKNOWN_TOKENS_MAX,
  hashOfToken,
} from '../../src/access/tokens/check-token.store.ts';
import { SECRET_BYTES, writeSecret } from '../../src/access/tokens/token.rules.ts';
import type { Queryable } from '../../src/platform/database/prepared-query.ts';

const token = (number: number) => writeSecret('access', Buffer.alloc(SECRET_BYTES).fill(`${number}.`));
const facts = {
  keyId: 'k',
  organisation: 'o',
  keyName: 'n',
  role: 'supplier',
  importSuppliers: ['ACME'],
  lifeMs: 3_600_000,
};
const sha256Of = (number: number) => Buffer.from(hashOfToken(token(number)), 'base64url');
const rowOf = (number: number, more: object = {}) => ({ sha256: sha256Of(number), ...facts, ...more });

function database(answer: (hashes: Buffer[]) => Promise<object[]>): Queryable & { asked: number } {
  const stub = {
    asked: 0,
    run: async (_statement: unknown, [hashes]: readonly unknown[]) =>
      ((stub.asked += 1), await answer(hashes as Buffer[])) as never,
    em: () => {
      throw new Error('No key needs its last use recorded.');
    },
  };
  return stub;
}

/** An authenticator whose clients all come from one address by default. */
function authenticatorOf(stub: Queryable, now?: () => number) {
  const { authenticate, introduce } = createAuthenticator(
    now === undefined ? { database: stub } : { database: stub, now },
  );
  return {
    authenticate: async (number: number, address = '192.0.2.1') =>
      authenticate(`Token ${token(number)}`, () => address),
    introduce: (number: number) => {
      introduce(token(number));
    },
  };
}

test('shares one lookup among requests with the same token, and caches it for one second', async () => {
  let now = 0;
  const stub = database(async () => [rowOf(1)]);
  const { authenticate } = authenticatorOf(stub, () => now);
  const callers = await Promise.all([authenticate(1), authenticate(1), authenticate(1)]);
  expect(callers[2]).toMatchObject({ keyId: 'k', importSuppliers: new Set(['ACME']) });
  now = 999;
  await authenticate(1);
  expect(stub.asked).toBe(1);
  now = 1_000;
  await authenticate(1);
  expect(stub.asked).toBe(2);
});

test('hashes a repeated token only after it leaves the cache', async () => {
  const hashed: string[] = [];
  const hashOf = rememberHashes((one) => {
    hashed.push(one);
    return hashOfToken(one);
  });
  const sent = [token(1), token(2), token(1)];
  expect(sent.map((one) => hashOf(one))).toEqual(sent.map((one) => hashOfToken(one)));
  expect(hashed).toEqual([token(1), token(2)]);
  await sleep(1_100);
  hashOf(token(1));
  expect(hashed).toEqual([token(1), token(2), token(1)]);
});

test('also hashes tokens that are evicted because the cache is full', () => {
  const hashOf = rememberHashes();
  for (let number = 0; number < 2_000; number += 1) expect(hashOf(token(number))).toBe(hashOfToken(token(number)));
});

test('caches a token no longer than it is valid', async () => {
  let now = 0;
  const stub = database(async () => [rowOf(1, { lifeMs: 200 })]);
  const { authenticate } = authenticatorOf(stub, () => now);
  await authenticate(1);
  now = 200;
  await authenticate(1);
  expect(stub.asked).toBe(2);
});

test('caches a rejected token, too, until it may have been issued', async () => {
  let now = 0;
  let rows: object[] = [];
  const { authenticate } = authenticatorOf(
    database(async () => rows),
    () => now,
  );
  expect(await authenticate(1)).toMatchObject({ code: 'authentication_failed' });
  rows = [rowOf(1)];
  expect(await authenticate(1)).toMatchObject({ code: 'authentication_failed' });
  now = 1_000;
  expect(await authenticate(1)).toMatchObject({ keyId: 'k' });
});

test('does not cache a failed lookup, and counts it for no client', async () => {
  let fails = true;
  const { authenticate } = authenticatorOf(
    database(async () => (fails ? Promise.reject(new Error('away')) : [rowOf(1)])),
    () => 0,
  );
  for (let count = 0; count <= UNKNOWN_TOKENS_MAX; count += 1) await expect(authenticate(1)).rejects.toThrow('away');
  fails = false;
  expect(await authenticate(1)).toMatchObject({ keyId: 'k' });
});

test('counts the age from before the query: a slow answer is not joined after a second', async () => {
  let now = 0;
  const answers: ((rows: object[]) => void)[] = [];
  const stub = database(() => new Promise((resolve) => answers.push(resolve)));
  const { authenticate, introduce } = authenticatorOf(stub, () => now);
  introduce(1);
  const early = authenticate(1);
  now = 1_000;
  const late = authenticate(1);
  expect(stub.asked).toBe(2);
  answers[1]!([]);
  answers[0]!([rowOf(1)]);
  expect(await late).toMatchObject({ code: 'authentication_failed' });
  expect(await early).toMatchObject({ keyId: 'k' });
});

test('looks unknown tokens up together, one query at a time, each with its own result', async () => {
  const questions: { hashes: Buffer[]; answer: (rows: object[]) => void }[] = [];
  const { authenticate } = authenticatorOf(
    database((hashes) => new Promise((answer) => questions.push({ hashes, answer }))),
  );
  const first = authenticate(1);
  const others = [authenticate(2), authenticate(3), authenticate(4)];
  expect(questions.map(({ hashes }) => hashes.length)).toEqual([1]);
  questions[0]!.answer([rowOf(1)]);
  expect(await first).toMatchObject({ keyId: 'k' });
  expect(questions.map(({ hashes }) => hashes.length)).toEqual([1, 3]);
  questions[1]!.answer([rowOf(3, { keyId: 'third' })]);
  expect(await Promise.all(others)).toMatchObject([
    { code: 'authentication_failed' },
    { keyId: 'third' },
    { code: 'authentication_failed' },
  ]);
});

test('fails the callers of a failed query, and runs the next one', async () => {
  let fails = true;
  const { authenticate } = authenticatorOf(
    database(async () => (fails ? Promise.reject(new Error('away')) : [rowOf(2)])),
  );
  await expect(Promise.all([authenticate(1), authenticate(1)])).rejects.toThrow('away');
  fails = false;
  expect(await authenticate(2)).toMatchObject({ keyId: 'k' });
});

test('queues unknown tokens separately; a token known minutes ago is looked up beside them', async () => {
  let now = 0;
  let isSlow = false;
  const { authenticate } = authenticatorOf(
    database((hashes) =>
      isSlow && !hashes[0]!.equals(sha256Of(1)) ? new Promise(() => {}) : Promise.resolve([rowOf(1)]),
    ),
    () => now,
  );
  await authenticate(1);
  isSlow = true;
  now = 10 * 60_000 - 1;
  for (let number = 0; number < 1_024; number += 1) {
    void authenticate(1_000 + number, `10.0.${number >> 8}.${number & 255}`);
  }
  expect(await authenticate(9_999, '10.9.9.9')).toMatchObject({ code: 'service_unavailable', retryAfterSeconds: 1 });
  expect(await authenticate(1)).toMatchObject({ keyId: 'k' });
});

test('knows a token that was issued here before its first use', async () => {
  const { authenticate, introduce } = authenticatorOf(
    database((hashes) => (hashes[0]!.equals(sha256Of(1)) ? Promise.resolve([rowOf(1)]) : new Promise(() => {}))),
  );
  void authenticate(2);
  introduce(1);
  expect(await authenticate(1)).toMatchObject({ keyId: 'k' });
});

test('counts unknown tokens by network, and rejects further ones without a lookup until the minute is over', async () => {
  let now = 0;
  const stub = database(async () => []);
  const { authenticate } = authenticatorOf(stub, () => now);
  for (let number = 0; number < UNKNOWN_TOKENS_MAX; number += 1) {
    expect(await authenticate(number, `2001:db8::${number.toString(16)}`)).toMatchObject({
      code: 'authentication_failed',
    });
  }
  expect(await authenticate(9_999, '2001:db8::ffff:1')).toMatchObject({ code: 'throttled', retryAfterSeconds: 60 });
  expect(stub.asked).toBe(UNKNOWN_TOKENS_MAX);
  expect(await authenticate(9_999, '2001:db8:0:1::1')).toMatchObject({ code: 'authentication_failed' });
  now = 60_000;
  expect(await authenticate(9_998, '2001:db8::1')).toMatchObject({ code: 'authentication_failed' });
});

test('counts one repeated wrong token once', async () => {
  let now = 0;
  const { authenticate } = authenticatorOf(
    database(async () => []),
    () => now,
  );
  for (let count = 0; count < 59; count += 1) {
    now += 1_000;
    await authenticate(1);
  }
  for (let number = 2; number <= UNKNOWN_TOKENS_MAX; number += 1) {
    expect(await authenticate(number)).toMatchObject({ code: 'authentication_failed' });
  }
  expect(await authenticate(9_999)).toMatchObject({ code: 'throttled' });
});

test('does not count new valid tokens of a network', async () => {
  const { authenticate } = authenticatorOf(
    database(async (hashes) => hashes.map((sha256) => ({ ...rowOf(1), sha256 }))),
  );
  for (let number = 0; number <= UNKNOWN_TOKENS_MAX; number += 1) {
    expect(await authenticate(number)).toMatchObject({ keyId: 'k' });
  }
});

test.each([
  [undefined, 'not_authenticated'],
  ['', 'not_authenticated'],
  ['Bearer x', 'authentication_failed'],
  ['Token x', 'authentication_failed'],
])('rejects the header %p without a lookup', async (value, code) => {
  const stub = database(async () => [rowOf(1)]);
  expect(await createAuthenticator({ database: stub }).authenticate(value, () => '192.0.2.1')).toMatchObject({ code });
  expect(stub.asked).toBe(0);
});
