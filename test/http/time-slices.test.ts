import { EventEmitter } from 'node:events';
import type { ServerResponse } from 'node:http';
import { expect, test } from '@jest/globals';
import { readManyPhoneNumbers, readPhoneNumber } from '../../src/account-import/validate/phone-number.rules.ts';
import { createApp } from '../../src/platform/http/app.ts';
import { serveHttp } from '../../src/platform/http/http-server.ts';
import { createLargeBodyGate } from '../../src/platform/http/large-body-gate.ts';
import { createLargeBodyTurns } from '../../src/platform/http/large-body-turns.ts';
import { createLoopShare } from '../../src/platform/http/loop-share.ts';
import { HungUp } from '../../src/platform/http/request-bytes.ts';
import type { PublicRoute, Route } from '../../src/platform/http/route.ts';
import { createLog } from '../../src/platform/log.ts';
import { readSettings } from '../../src/platform/settings.ts';
import { compilePayload } from '../../src/platform/validation/compile-payload.ts';
import { refuse } from '../../src/vocabulary/refusals.ts';
import { violation } from '../../src/vocabulary/violations.ts';

/** Counts the iterations of the event loop during some work. */
function countTurns(): { now(): number; stop(): void } {
  let turn = 0;
  let isOn = true;
  const count = () => {
    turn += 1;
    if (isOn) setImmediate(count);
  };
  setImmediate(count);
  return {
    now: () => turn,
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
    largeBodies: createLargeBodyGate({ roomBytes: 10_000_000, waitsMs: 60_000, arrivesMs: 60_000 }),
    loopShare: createLoopShare(),
  }).callback();
  return serveHttp(
    (request, response) => void answer(request, response),
    readSettings({ HTTP_PORT: '0', SHUTDOWN_DRAIN_MS: '0', SHUTDOWN_GRACE_MS: '1000' }),
    log,
  );
}

test('processes no two large bodies in one iteration of the event loop, whatever arrives together', async () => {
  const turns = countTurns();
  const workedAt: number[] = [];
  let [inWork, mostInWork] = [0, 0];
  const route: PublicRoute = {
    method: 'POST',
    path: '/work',
    access: 'public',
    bodyLimitBytes: 1_000_000,
    handle: async ({ nextTurn }) => {
      inWork += 1;
      mostInWork = Math.max(mostInWork, inWork);
      workedAt.push(turns.now());
      await nextTurn();
      workedAt.push(turns.now());
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
  turns.stop();
  expect(answers.map(({ status }) => status)).toEqual(Array.from({ length: 12 }, () => 200));
  expect(new Set(workedAt).size).toBe(24);
  // Nor is there more than one parsed tree at a time.
  expect(mostInWork).toBe(1);
  await server.stop();
});

test('admits the next large body while one waits for other work, and skips one whose client has disconnected', async () => {
  const turns = createLargeBodyTurns(20);
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
  const first = turns.run(responses[0], async () => {
    begun.push(0);
    await held;
  });
  const disconnected = turns.run(responses[1], async () => {
    begun.push(1);
  });
  const last = turns.run(responses[2], async () => {
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
  const one = turns.run(responses[0], async () => {
    again.push('begun');
    await new Promise(setImmediate);
    again.push('done');
  });
  await Promise.all([one, turns.run(responses[2], async () => void again.push('next'))]);
  expect(again).toEqual(['begun', 'done', 'next']);
  const closed = Object.assign(new EventEmitter(), { closed: true }) as unknown as ServerResponse;
  await expect(turns.run(closed, async () => void again.push('never'))).rejects.toThrow(HungUp);
  expect(again).not.toContain('never');
});

test('validates a large payload in steps, with the same result', async () => {
  const check = compilePayload<{ a?: string }, number>(
    { type: 'object', properties: { a: { type: 'string' } } },
    (payload, fact) => [violation('invalid', ['a'], `${String(payload.a)} ${fact}`)],
  );
  let turns = 0;
  const nextTurn = async () => {
    turns += 1;
  };
  for (const body of [{ a: ' x ' }, { a: 5 }, { a: 'x\0' }, null]) {
    turns = 0;
    expect(await check.ofRequest({ body, isLarge: true, nextTurn }, 7)).toEqual(check(body, 7));
    expect(turns).toBeGreaterThan(2);
    turns = 0;
    expect(await check.ofRequest({ body, isLarge: false, nextTurn }, 7)).toEqual(check(body, 7));
    expect(turns).toBe(0);
  }
});

test('runs short work immediately until the time slice is used, and not behind long work', async () => {
  const share = createLoopShare();
  expect([share.take(), share.take()]).toEqual([undefined, undefined]);
  workFor(25);
  const turns = countTurns();
  const done: [string, number][] = [];
  const long = [1, 2, 3].map(async (count) => {
    await share.take(true);
    done.push([`long ${count}`, turns.now()]);
  });
  const short = [1, 2].map(async (count) => {
    await share.take();
    done.push([`short ${count}`, turns.now()]);
  });
  expect(done).toEqual([]);
  await Promise.all([...long, ...short]);
  turns.stop();
  expect(done.map(([name]) => name)).toEqual(['short 1', 'long 1', 'short 2', 'long 2', 'long 3']);
  expect(new Set(done.filter(([name]) => name.startsWith('long')).map(([, turn]) => turn)).size).toBe(3);
});

const openResponse = () => Object.assign(new EventEmitter(), { closed: false }) as unknown as ServerResponse;

test('delays a step of a large body until short requests are answered, but not without limit', async () => {
  const [one, other] = [openResponse(), openResponse()];
  const patient = createLoopShare(600_000);
  patient.putFirst(one);
  patient.putFirst(other);
  patient.putFirst(Object.assign(openResponse(), { closed: true }));
  const done: string[] = [];
  const steps = ['first', 'second'].map(async (name) => {
    await patient.take(true);
    done.push(name);
  });
  one.emit('close');
  for (let turn = 0; turn < 20; turn += 1) await new Promise(setImmediate);
  expect(done).toEqual([]);
  other.emit('close');
  await Promise.all(steps);
  expect(done).toEqual(['first', 'second']);
  const shortTimeout = createLoopShare(1);
  shortTimeout.putFirst(openResponse());
  await shortTimeout.take(true);
  await shortTimeout.take(true);
});

test('reads one chunk of large bodies per iteration, whatever has arrived', async () => {
  const gate = createLargeBodyGate({ roomBytes: 10_000_000, waitsMs: 60_000, arrivesMs: 60_000 });
  const turns = countTurns();
  const readAt: number[] = [];
  await new Promise<void>((resolve) => {
    const read = () => {
      readAt.push(turns.now());
      // The next chunk is available as soon as this one is read.
      if (readAt.length < 10) gate.takeChunk(read);
      if (readAt.length === 13) resolve();
    };
    for (let count = 0; count < 4; count += 1) gate.takeChunk(read);
  });
  turns.stop();
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
  let turns = 0;
  const known = await readManyPhoneNumbers(
    { customers: [null, 5, [], ...numbers.map((mobile) => ({ mobile, landline: 5 }))] },
    async () => {
      turns += 1;
      workFor(11);
    },
  );
  expect(turns).toBeGreaterThan(2);
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
