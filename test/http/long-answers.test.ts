import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, expect, test } from '@jest/globals';
import Koa from 'koa';
import { createLongAnswers, type LongAnswerLimits, type Pieces } from '../../src/platform/http/long-answers.ts';
import { createLog } from '../../src/platform/log.ts';
import { openRaw, type RawConnection } from '../support/raw-http.ts';
import { until } from '../support/until.ts';

const log = createLog({ level: 'silent', process: 'test' });
const opened: (() => void)[] = [];
afterEach(() => {
  for (const close of opened.splice(0)) close();
});

/** Serves pieces to callers, who are named by a header. */
async function serve(limits: Partial<LongAnswerLimits>, pieces: () => Pieces): Promise<string> {
  const answers = createLongAnswers({ perProcess: 4, perCaller: 2, waitMs: 0, ...limits });
  const app = new Koa();
  app.silent = true;
  app.use(async (ctx) => {
    const refused = await answers.run(ctx, ctx.get('caller'), () => answers.send(ctx, log, pieces()));
    if (!refused) return;
    ctx.status = 429;
    ctx.body = `${refused.code} ${refused.retryAfterSeconds}`;
  });
  const server = createServer(app.callback()).listen(0);
  opened.push(() => {
    server.closeAllConnections();
    server.close();
  });
  await once(server, 'listening');
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const get = (url: string, caller = 'Ada') => fetch(url, { headers: { caller } });

/** Requests a response and reads nothing of it. */
async function requestUnread(url: string, caller = 'Ada'): Promise<RawConnection> {
  const raw = await openRaw(url);
  opened.push(() => raw.socket.destroy());
  raw.socket.pause();
  raw.write(`GET / HTTP/1.1\r\nHost: x\r\nCaller: ${caller}\r\n\r\n`);
  return raw;
}

const MEGABYTE = Buffer.alloc(1_048_576, 'x');

/** An endless source, and the number of its current readers. */
function endless() {
  const counts = { open: 0 };
  async function* pieces() {
    counts.open += 1;
    try {
      for (;;) yield MEGABYTE;
    } finally {
      counts.open -= 1;
    }
  }
  return { counts, pieces };
}

test('sends all pieces in order, large and small ones', async () => {
  const url = await serve({}, () => ['[', MEGABYTE, '', ',', 'é', ']']);
  expect(await (await get(url)).text()).toBe(`[${MEGABYTE.toString()},é]`);
});

test('rejects a third response of a caller, and a fifth of the process, until one has ended', async () => {
  const { counts, pieces } = endless();
  const url = await serve({}, pieces);
  const first = await requestUnread(url);
  await requestUnread(url);
  await until(() => counts.open === 2);
  const refused = await get(url);
  expect([refused.status, await refused.text()]).toEqual([429, 'throttled 10']);
  for (const caller of ['Bob', 'Eve']) await requestUnread(url, caller);
  await until(() => counts.open === 4);
  expect((await get(url, 'Dan')).status).toBe(429);
  first.socket.destroy();
  await until(() => counts.open === 3);
  const served = await get(url, 'Dan');
  expect(served.status).toBe(200);
  await served.body?.cancel();
});

test('keeps the slot of a client that has disconnected until its source has ended', async () => {
  const query = Promise.withResolvers<string>();
  const url = await serve({ perCaller: 1 }, async function* pieces() {
    // A whole chunk, which is sent before the rest exists.
    yield MEGABYTE;
    yield await query.promise;
  });
  const first = await get(url);
  await first.body?.cancel();
  expect((await get(url)).status).toBe(429);
  query.resolve('rest');
  await until(async () => (await get(url)).status === 200);
});

test('disconnects a client that does not read, and stops reading the source', async () => {
  const { counts, pieces } = endless();
  const url = await serve({ unreadMs: 100 }, pieces);
  const unread = await requestUnread(url);
  await until(() => counts.open === 1);
  await until(() => counts.open === 0);
  unread.socket.resume();
  await unread.closed();
});

test('disconnects a client that does not read the end of a response', async () => {
  const url = await serve({ unreadMs: 100, perCaller: 1 }, () => Array.from({ length: 16 }, () => MEGABYTE));
  await requestUnread(url);
  await until(async () => {
    const answer = await get(url);
    await answer.body?.cancel();
    return answer.status === 200;
  });
});

test('leaves other work its time on the event loop while pieces are made', async () => {
  let turns = 0;
  let isOver = false;
  const count = () => {
    turns += 1;
    if (!isOver) setImmediate(count);
  };
  const piecesByTurn = new Map<number, number>();
  const url = await serve({}, function* pieces() {
    for (let piece = 0; piece < 200; piece += 1) {
      const until = performance.now() + 1;
      while (performance.now() < until);
      piecesByTurn.set(turns, (piecesByTurn.get(turns) ?? 0) + 1);
      yield 'x';
    }
  });
  count();
  const texts = await Promise.all(['Ada', 'Bob'].map(async (caller) => (await get(url, caller)).text()));
  isOver = true;
  expect(texts.map((text) => text.length)).toEqual([200, 200]);
  // Pieces of a millisecond, in time slices of five; the last slice of one stream and the first of the next may share an iteration.
  expect(Math.max(...piecesByTurn.values())).toBeLessThanOrEqual(12);
});

test('answers a source that fails before its first piece as a failed request, and releases the slot', async () => {
  let isBroken = true;
  const url = await serve({ perCaller: 1 }, async function* pieces() {
    if (isBroken) throw new Error('away');
    yield 'whole';
  });
  expect((await get(url)).status).toBe(500);
  isBroken = false;
  await until(async () => (await get(url)).status === 200);
});
