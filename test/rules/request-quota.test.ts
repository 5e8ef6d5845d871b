import { expect, test } from '@jest/globals';
import fc from '../support/random-seed.ts';
import { createRequestQuotas } from '../../src/suppliers/request-quota.rules.ts';
import type { KnownSupplier } from '../../src/suppliers/index.ts';

const supplier = (code: string, quota?: number): KnownSupplier => ({
  code,
  status: 'Ongoing',
  documentRoot: null,
  options: quota === undefined ? {} : { requests_per_second: quota },
  optionsRevision: 1,
});

test('accepts as many requests a second as the quota, and returns the remaining number', () => {
  let now = 1_000;
  const take = createRequestQuotas(() => now);
  const acme = [supplier('ACME', 3)];
  expect([take(acme), take(acme), take(acme)].map((taken) => taken?.headers)).toEqual(
    [2, 1, 0].map((left) => ({ 'ratelimit-policy': '"requests";q=3;w=1', ratelimit: `"requests";r=${left};t=1` })),
  );
  expect(take(acme)).toMatchObject({
    refused: { code: 'throttled', retryAfterSeconds: 1 },
    headers: { ratelimit: '"requests";r=0;t=1' },
  });
  now = 1_334;
  expect(take(acme)?.refused).toBeUndefined();
  expect(take(acme)?.refused).toBeDefined();
  now = 3_000;
  expect(take(acme)?.headers['ratelimit']).toBe('"requests";r=2;t=1');
});

test('counts suppliers separately, ignores those without a quota, and reports the lowest quota to a key of several', () => {
  const take = createRequestQuotas(() => 1_000);
  expect(take([supplier('FREE')])).toBeUndefined();
  expect(take([])).toBeUndefined();
  expect(take([supplier('FREE'), supplier('WIDE', 100), supplier('NARROW', 1)])?.headers['ratelimit-policy']).toBe(
    '"requests";q=1;w=1',
  );
  expect(take([supplier('NARROW', 1)])?.refused).toBeDefined();
  expect(take([supplier('WIDE', 100)])?.headers['ratelimit']).toBe('"requests";r=98;t=1');
});

test('uses none of the other quotas for a request that one quota rejects', () => {
  const take = createRequestQuotas(() => 0);
  expect(take([supplier('ACME', 1), supplier('BETA', 2)])?.refused).toBeUndefined();
  for (let time = 0; time < 5; time += 1) {
    expect(take([supplier('ACME', 1), supplier('BETA', 2)])?.refused).toMatchObject({ code: 'throttled' });
  }
  // One of two remains.
  expect(take([supplier('BETA', 2)])?.refused).toBeUndefined();
  expect(take([supplier('BETA', 2)])?.refused).toMatchObject({ code: 'throttled' });
});

test('never accepts more than the quota over any period', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 50 }),
      fc.array(fc.integer({ min: 0, max: 120 }), { minLength: 1, maxLength: 200 }),
      (quota, pauses) => {
        let now = 0;
        const take = createRequestQuotas(() => now);
        let accepted = 0;
        for (const pause of pauses) {
          now += pause;
          if (take([supplier('ACME', quota)])?.refused === undefined) accepted += 1;
        }
        expect(accepted).toBeLessThanOrEqual(Math.floor(quota + (now * quota) / 1_000 + 1e-3));
      },
    ),
  );
});
