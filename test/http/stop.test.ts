import type { ServerResponse } from 'node:http';
import { setImmediate as afterReading, setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from '@jest/globals';
import { serveHttp, type HttpServer } from '../../src/platform/http/http-server.ts';
import { createLog } from '../../src/platform/log.ts';
import { until } from '../support/until.ts';
import { openRaw, rawRequest, type RawConnection } from '../support/raw-http.ts';
import { testSettings } from '../support/test-settings.ts';

/** Far longer than a test may take, so that a stop that waits for its end is detected. */
const GRACE_MS = 600_000;

/** A server with an unanswered request. */
async function startWithRequest(
  drainMs = 0,
): Promise<{ server: HttpServer; connection: RawConnection; response: ServerResponse; asked: ServerResponse[] }> {
  const requests: ServerResponse[] = [];
  const server = await serveHttp(
    (_request, response) => {
      requests.push(response);
    },
    testSettings({ HTTP_PORT: '0', SHUTDOWN_DRAIN_MS: String(drainMs), SHUTDOWN_GRACE_MS: String(GRACE_MS) }),
    createLog({ level: 'silent', process: 'test' }),
  );
  const connection = await openRaw(server.url);
  connection.write(rawRequest('GET', '/', {}));
  await until(() => requests.length === 1);
  return { server, connection, response: requests[0]!, asked: requests };
}

const isRefusing = async ({ url }: HttpServer) =>
  openRaw(url).then(
    ({ socket }) => {
      socket.destroy();
      return false;
    },
    () => true,
  );

test.each([
  ['without drain time', 0],
  ['with drain time', 2_000],
])(
  'answers a request in progress when a stop begins (%s), closes its connection, and stops',
  async (_name, drainMs) => {
    const { server, connection, response } = await startWithRequest(drainMs);
    const stopped = server.stop();
    expect(server.isDraining()).toBe(true);
    await until(() => isRefusing(server));
    response.end('answered');
    expect(await connection.answer()).toMatchObject({
      status: 200,
      body: 'answered',
      headers: { connection: 'close' },
    });
    await stopped;
  },
);

test('answers the requests on connections that were not accepted yet when a stop begins', async () => {
  const server = await serveHttp(
    (_request, response) => void response.end('answered'),
    testSettings({ HTTP_PORT: '0', SHUTDOWN_DRAIN_MS: '0', SHUTDOWN_GRACE_MS: String(GRACE_MS) }),
    createLog({ level: 'silent', process: 'test' }),
  );
  const answers = Array.from({ length: 40 }, async () => {
    const connection = await openRaw(server.url);
    connection.write(rawRequest('GET', '/', {}));
    return (await connection.answer()).body;
  });
  const stopped = server.stop();
  expect(await Promise.all(answers)).toEqual(answers.map(() => 'answered'));
  await stopped;
});

test('finishes a started response during shutdown, and closes its connection', async () => {
  const { server, connection, response } = await startWithRequest();
  response.write('first ');
  await until(() => response.headersSent);
  const stopped = server.stop();
  await until(() => isRefusing(server));
  response.end('last');
  expect((await connection.answer()).body).toBe('first last');
  await stopped;
});

test('answers a request that arrived while the process was busy during shutdown', async () => {
  const drainMs = 1_000;
  const { server, connection, response, asked: requests } = await startWithRequest(drainMs);
  response.end('first');
  await connection.answer();
  const stopBegan = performance.now();
  const stopped = server.stop();
  await until(() => isRefusing(server));
  // Sent now, while the timers run before the next poll for data.
  await afterReading();
  connection.write(rawRequest('GET', '/', {}));
  while (performance.now() - stopBegan < drainMs + 100);
  await until(() => requests.length === 2);
  requests[1]!.end('second');
  expect(await connection.answer()).toMatchObject({ body: 'second', headers: { connection: 'close' } });
  await stopped;
});

test('keeps the drain time of clients when the machine is suspended', async () => {
  const drainMs = 3_000;
  const { server, connection, response, asked: requests } = await startWithRequest(drainMs);
  response.end('first');
  await connection.answer();
  const stopBegan = performance.now();
  const stopped = server.stop();
  await until(() => isRefusing(server));
  // Server and client are in this process: neither can do anything meanwhile.
  while (performance.now() - stopBegan < drainMs + 100);
  await sleep(200);
  connection.write(rawRequest('GET', '/', {}));
  await until(() => requests.length === 2);
  requests[1]!.end('second');
  expect(await connection.answer()).toMatchObject({ body: 'second', headers: { connection: 'close' } });
  await stopped;
});
