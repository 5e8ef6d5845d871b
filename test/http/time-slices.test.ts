import { EventEmitter } from 'node:events';
import type { ServerResponse } from 'node:http';
import { expect, test } from '@jest/globals';
import { readManyPhoneNumbers, readPhoneNumber } from '../../src/account-import/validate/phone-number.rules.ts';
import { createApp } from '../../src/platform/http/app.ts';
import { serveHttp } from '../../src/platform/http/http-server.ts';
import { createLargeBodyGate } from '../../src/platform/http/large-body-gate.ts';
import { createLargeBodyMutex } from '../../src/platform/http/large-body-mutex.ts';
import { createEventLoopScheduler } from '../../src/platform/http/event-loop-scheduler.ts';
import { HungUp } from '../../src/platform/http/request-bytes.ts';
import type { PublicRoute, Route } from '../../src/platform/http/route.ts';
import { createLog } from '../../src/platform/log.ts';
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
  const mutex = createLargeBodyMutex(20);
  const responses = [0, 1, 2].map(() => Object.assign(new EventEmitter(), { closed: false })) as unknown as [
    ServerResponse,
    ServerResponse,
    ServerResponse,
  ];
  const begun: number[] = [];
  let release = () => {};
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  const first = mutex.run(responses[0], async () => {
    begun.push(0);
    await held;
  });
  const disconnected = mutex.run(responses[1], async () => {
    begun.push(1);
  });
  const last = mutex.run(responses[2], async () => {
    begun.push(2);
  });
  responses[1].emit('close');
  await expect(disconnected).rejects.toThrow(HungUp);
  expect(begun).toEqual([0]);
  await last;
  expect(begun).toEqual([0, 2]);
  release();
  await first;
  // A late task does not end the time slice of another one; the next ones still run one after the other.
  const again: string[] = [];
  const one = mutex.run(responses[0], async () => {
    again.push('begun');
    await new Promise(setImmediate);
    again.push('done');
  });
  await Promise.all([one, mutex.run(responses[2], async () => void again.push('next'))]);
  expect(again).toEqual(['begun', 'done', 'next']);
  const closed = Object.assign(new EventEmitter(), { closed: true }) as unknown as ServerResponse;
  await expect(mutex.run(closed, async () => void again.push('never'))).rejects.toThrow(HungUp);
  expect(again).not.toContain('never');
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
  await new Promise<void>((resolve) => {
    const read = () => {
      readAt.push(iterations.now());
      // The next chunk is available as soon as this one is read.
      if (readAt.length < 10) gate.acceptChunk(read);
      if (readAt.length === 13) resolve();
    };
    for (let count = 0; count < 4; count += 1) gate.acceptChunk(read);
  });
  iterations.stop();
  expect(new Set(readAt).size).toBe(13);
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
