import { EventEmitter } from 'node:events';
import type { ServerResponse } from 'node:http';
import { expect, test } from '@jest/globals';
import { readManyPhoneNumbers, readPhoneNumber } from '../../src/account-import/validate/phone-number.rules.ts';
import { createApp } from '../../src/platform/http/app.ts';
import { serveHttp } from '../../src/platform/http/http-server.ts';
import { createLargeBodyGate } from '../../src/platform/http/large-body-gate.ts';
import { createEventLoopScheduler } from '../../src/platform/http/event-loop-scheduler.ts';
import type { PublicRoute, Route } from '../../src/platform/http/route.ts';
import { createLog } from '../../src/platform/log.ts';
import { createSlots } from '../../src/platform/slots.ts';
import { compilePayload } from '../../src/platform/validation/compile-payload.ts';
import { refuse } from '../../src/vocabulary/refusals.ts';
import { violation } from '../../src/vocabulary/violations.ts';
import { testSettings } from '../support/test-settings.ts';

/** Counts the iterations of the event loop during some work. */
function countIterations(): { now(): number; stop(): void } {
  let iteration = 0;
  let isOn = true;
  const count = () => {
    iteration += 1;
    if (isOn) setImmediate(count);
  };
  setImmediate(count);
  return {
    now: () => iteration,
    stop: () => {
      isOn = false;
    },
  };
}

function workFor(ms: number): void {
  const begunAt = performance.now();
  while (performance.now() - begunAt < ms);
}

/** Serves one route without authentication. */
function serve(route: Route): ReturnType<typeof serveHttp> {
  const log = createLog({ level: 'silent', process: 'test' });
  const answer = createApp({
    routes: [route],
    log,
    authenticate: async () => refuse('authentication_failed'),
    largeBodies: createLargeBodyGate({ capacityBytes: 10_000_000, waitsMs: 60_000, arrivesMs: 60_000 }),
    scheduler: createEventLoopScheduler(),
  }).callback();
  return serveHttp(
    (request, response) => void answer(request, response),
    testSettings({ HTTP_PORT: '0', SHUTDOWN_DRAIN_MS: '0', SHUTDOWN_GRACE_MS: '1000' }),
    log,
  );
}

test('processes no two large bodies in one iteration of the event loop, whatever arrives together', async () => {
  const iterations = countIterations();
  const workedAt: number[] = [];
  let [inWork, mostInWork] = [0, 0];
  const route: PublicRoute = {
    method: 'POST',
    path: '/work',
    access: 'public',
    bodyLimitBytes: 1_000_000,
    handle: async ({ yieldToEventLoop }) => {
      inWork += 1;
      mostInWork = Math.max(mostInWork, inWork);
      workedAt.push(iterations.now());
      await yieldToEventLoop();
      workedAt.push(iterations.now());
      inWork -= 1;
      return { status: 200, body: {} };
    },
  };
  const server = await serve(route);
  const body = JSON.stringify({ text: 'x'.repeat(200_000) });
  const answers = await Promise.all(
    Array.from({ length: 12 }, () =>
      fetch(`${server.url}/work`, { method: 'POST', headers: { 'content-type': 'application/json' }, body }),
    ),
  );
  iterations.stop();
  expect(answers.map(({ status }) => status)).toEqual(Array.from({ length: 12 }, () => 200));
  expect(new Set(workedAt).size).toBe(24);
  // Nor is there more than one parsed tree at a time.
  expect(mostInWork).toBe(1);
  await server.stop();
});

test('admits the next large body while one waits for other work, and skips one whose client has disconnected', async () => {
  const slots = createSlots({ atOnce: 1, releaseAfterMs: 20 });
  const clients = [0, 1, 2].map(() => new AbortController());
  const first = await slots.acquire('', clients[0]!.signal);
  const disconnected = slots.acquire('', clients[1]!.signal);
  const last = slots.acquire('', clients[2]!.signal);
  clients[1]!.abort();
  expect(await disconnected).toBeUndefined();
  const release = await last;
  expect(release).toBeDefined();
  // A late task does not end the slot of another one; the next ones still run one after the other.
  first!();
  const begun: string[] = [];
  const next = slots.acquire('', clients[2]!.signal).then(() => begun.push('next'));
  await new Promise(setImmediate);
  expect(begun).toEqual([]);
  release!();
  await next;
  expect(await slots.acquire('', AbortSignal.abort())).toBeUndefined();
});

test('validates a large payload in steps, with the same result', async () => {
  const check = compilePayload<{ a?: string }, number>(
    { type: 'object', properties: { a: { type: 'string' } } },
    (payload, fact) => [violation('invalid', ['a'], `${String(payload.a)} ${fact}`)],
  );
  let iterations = 0;
  const yieldToEventLoop = async () => {
    iterations += 1;
  };
  for (const body of [{ a: ' x ' }, { a: 5 }, { a: 'x\0' }, null]) {
    iterations = 0;
    expect(await check.ofRequest({ body, isLarge: true, yieldToEventLoop }, 7)).toEqual(check(body, 7));
    expect(iterations).toBeGreaterThan(2);
    iterations = 0;
    expect(await check.ofRequest({ body, isLarge: false, yieldToEventLoop }, 7)).toEqual(check(body, 7));
    expect(iterations).toBe(0);
  }
});

test('runs short work immediately until the time slice is used, and not behind long work', async () => {
  const share = createEventLoopScheduler();
  expect([share.acquire(), share.acquire()]).toEqual([undefined, undefined]);
  workFor(25);
  const iterations = countIterations();
  const done: [string, number][] = [];
  const long = [1, 2, 3].map(async (count) => {
    await share.acquire(true);
    done.push([`long ${count}`, iterations.now()]);
  });
  const short = [1, 2].map(async (count) => {
    await share.acquire();
    done.push([`short ${count}`, iterations.now()]);
  });
  expect(done).toEqual([]);
  await Promise.all([...long, ...short]);
  iterations.stop();
  expect(done.map(([name]) => name)).toEqual(['short 1', 'long 1', 'short 2', 'long 2', 'long 3']);
  expect(new Set(done.filter(([name]) => name.startsWith('long')).map(([, iteration]) => iteration)).size).toBe(3);
});

const openResponse = () => Object.assign(new EventEmitter(), { closed: false }) as unknown as ServerResponse;

test('delays a step of a large body until short requests are answered, but not without limit', async () => {
  const [one, other] = [openResponse(), openResponse()];
  const waiting = createEventLoopScheduler(600_000);
  waiting.prioritize(one);
  waiting.prioritize(other);
  waiting.prioritize(Object.assign(openResponse(), { closed: true }));
  const done: string[] = [];
  const steps = ['first', 'second'].map(async (name) => {
    await waiting.acquire(true);
    done.push(name);
  });
  one.emit('close');
  for (let iteration = 0; iteration < 20; iteration += 1) await new Promise(setImmediate);
  expect(done).toEqual([]);
  other.emit('close');
  await Promise.all(steps);
  expect(done).toEqual(['first', 'second']);
  const shortTimeout = createEventLoopScheduler(1);
  shortTimeout.prioritize(openResponse());
  await shortTimeout.acquire(true);
  await shortTimeout.acquire(true);
});

test('reads one chunk of large bodies per iteration, whatever has arrived', async () => {
  const gate = createLargeBodyGate({ capacityBytes: 10_000_000, waitsMs: 60_000, arrivesMs: 60_000 });
  const iterations = countIterations();
  const readAt: number[] = [];
  const read = async () => {
    // The next chunk is available as soon as this one is read.
    for (let count = 0; count < 3; count += 1) {
      await gate.nextChunk();
      readAt.push(iterations.now());
    }
  };
  await Promise.all([read(), read(), read(), read()]);
  iterations.stop();
  expect(new Set(readAt).size).toBe(12);
});

test('queues calls beyond the limit', async () => {
  const server = await serve({
    method: 'GET',
    path: '/known',
    access: 'operator',
    action: 'look',
    handle: async () => ({ status: 200, body: {} }),
  });
  const begunAt = performance.now();
  const { status } = await fetch(`${server.url}/known`);
  expect([status, performance.now() - begunAt > 95]).toEqual([401, true]);
  await server.stop();
});

test('validates the phone numbers of many customers in parts, with the same result', async () => {
  const numbers = Array.from(
    { length: 3_000 },
    (_, index) => [`+4930${1_000_000 + index}`, '06 12 34 56 78', ` +1 212 555 ${1_000 + index} `, 'none'][index % 4]!,
  );
  let iterations = 0;
  const known = await readManyPhoneNumbers(
    { customers: [null, 5, [], ...numbers.map((mobile) => ({ mobile, landline: 5 }))] },
    async () => {
      iterations += 1;
      workFor(11);
    },
  );
  expect(iterations).toBeGreaterThan(2);
  for (const text of numbers.map((one) => one.trim())) expect(readPhoneNumber(text, known)).toBe(readPhoneNumber(text));
  expect(known?.get('+49301000000')).toBe('+49301000000');
  for (const few of [null, 5, {}, { customers: 'x' }, { customers: numbers.slice(0, 50) }]) {
    expect(
      await readManyPhoneNumbers(few, async () => {
        throw new Error('validated without a time slice');
      }),
    ).toBeUndefined();
  }
});
