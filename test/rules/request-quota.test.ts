import { expect, test } from '@jest/globals';
import fc from '../support/random-seed.ts';
import { createRequestQuotas } from '../../src/suppliers/request-quota.rules.ts';
import { shareRequestQuotas } from '../../src/suppliers/shared-quota.queue.ts';
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
  const { use: take } = createRequestQuotas(() => now);
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
  const { use: take } = createRequestQuotas(() => 1_000);
  expect(take([supplier('FREE')])).toBeUndefined();
  expect(take([])).toBeUndefined();
  expect(take([supplier('FREE'), supplier('WIDE', 100), supplier('NARROW', 1)])?.headers['ratelimit-policy']).toBe(
    '"requests";q=1;w=1',
  );
  expect(take([supplier('NARROW', 1)])?.refused).toBeDefined();
  expect(take([supplier('WIDE', 100)])?.headers['ratelimit']).toBe('"requests";r=98;t=1');
});

test('uses none of the other quotas for a request that one quota rejects', () => {
  const { use: take } = createRequestQuotas(() => 0);
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
        const { use: take } = createRequestQuotas(() => now);
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

test('counts over all processes, late by a round, although the common count restarts', async () => {
  const [quota, seconds, roundMs] = [20, 10, 250];
  let [now, total, accepted] = [0, 0, 0];
  const rounds: (() => Promise<void>)[] = [];
  const processes = Array.from({ length: 3 }, () =>
    shareRequestQuotas(
      createRequestQuotas(() => now),
      async (codes, [requests]) => {
        expect(codes).toEqual(['ACME']);
        total += requests!;
        return [total];
      },
      (round) => rounds.push(round),
    ),
  );
  for (; now < seconds * 1_000; now += 10) {
    for (const use of processes) if (use([supplier('ACME', quota)])?.refused === undefined) accepted += 1;
    if (now % roundMs === 0) for (const round of rounds.splice(0)) await round();
    if (now === 5_000) total = 0;
  }
  // One burst of each process, and what each accepts in the round after a restart of the count.
  expect(accepted).toBeLessThanOrEqual(quota * (seconds + processes.length + 1));
  expect(accepted).toBeGreaterThan(0.9 * quota * seconds);
  now += 60_000;
  while (rounds.length > 0) for (const round of rounds.splice(0)) await round();
  expect(processes[0]!([supplier('ACME', quota)])?.headers['ratelimit']).toBe('"requests";r=19;t=1');
});

test('does not charge a process for what others accepted before it had requests, and survives a failing count', async () => {
  const rounds: (() => Promise<void>)[] = [];
  let isAway = true;
  const quotas = createRequestQuotas(() => 0);
  const use = shareRequestQuotas(
    quotas,
    async () => {
      if (isAway) throw new Error('the database is unavailable');
      return [1_000_000];
    },
    (round) => rounds.push(round),
  );
  expect(use([supplier('FREE')])).toBeUndefined();
  expect(rounds).toHaveLength(0);
  for (let request = 0; request < 2; request += 1) {
    expect(use([supplier('ACME', 3)])?.refused).toBeUndefined();
    await rounds.shift()!();
    isAway = false;
  }
  expect(use([supplier('ACME', 3)])?.refused).toBeUndefined();
});
