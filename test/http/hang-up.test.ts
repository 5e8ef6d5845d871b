import { expect, test } from '@jest/globals';
import { createApp } from '../../src/platform/http/app.ts';
import { serveHttp } from '../../src/platform/http/http-server.ts';
import { createLargeBodyGate } from '../../src/platform/http/large-body-gate.ts';
import { createEventLoopScheduler } from '../../src/platform/http/event-loop-scheduler.ts';
import type { PublicRoute } from '../../src/platform/http/route.ts';
import { createLog } from '../../src/platform/log.ts';
import { refuse } from '../../src/vocabulary/refusals.ts';
import { until } from '../support/until.ts';
import { openRaw, rawRequest } from '../support/raw-http.ts';
import { testSettings } from '../support/test-settings.ts';

test('reports a disconnected client to a route that asks late', async () => {
  let isCalled = false;
  let answered = 0;
  let signal: AbortSignal | undefined;
  const route: PublicRoute = {
    method: 'GET',
    path: '/slow',
    access: 'public',
    handle: async ({ hungUp }) => {
      isCalled = true;
      await until(() => answered === 1);
      signal = hungUp();
      return { status: 200, body: {} };
    },
  };
  const app = createApp({
    routes: [route],
    log: createLog({ level: 'silent', process: 'test' }),
    authenticate: async () => refuse('not_authenticated'),
    largeBodies: createLargeBodyGate({ capacityBytes: 1_000_000, waitsMs: 5_000, arrivesMs: 5_000 }),
    scheduler: createEventLoopScheduler(),
    onAnswered: () => {
      answered += 1;
    },
  });
  const callback = app.callback();
  const server = await serveHttp(
    (request, response) => {
      void callback(request, response);
    },
    testSettings({ HTTP_PORT: '0', SHUTDOWN_DRAIN_MS: '0', SHUTDOWN_GRACE_MS: '1000' }),
    createLog({ level: 'silent', process: 'test' }),
  );
  const connection = await openRaw(server.url);
  connection.write(rawRequest('GET', '/slow', {}));
  await until(() => isCalled);
  connection.socket.destroy();
  await until(() => signal !== undefined);
  expect(signal?.aborted).toBe(true);
  await server.stop();
});
