import { connect, type Socket } from 'node:net';
import type { ServerResponse } from 'node:http';
import { afterEach, expect, test } from '@jest/globals';
import { serveHttp, type HttpServer } from '../../src/platform/http/http-server.ts';
import { createLog } from '../../src/platform/log.ts';
import { testSettings } from '../support/test-settings.ts';
import { until } from '../support/until.ts';

const REQUEST = 'GET / HTTP/1.1\r\nHost: g\r\n\r\n';

let server: HttpServer;
let requests: ServerResponse[] = [];
let sockets: Socket[] = [];
afterEach(async () => {
  for (const socket of sockets) socket.destroy();
  [sockets, requests] = [[], []];
  await server.stop();
});

async function serve(settings: Record<string, string>): Promise<void> {
  server = await serveHttp(
    (_request, response) => {
      requests.push(response);
    },
    testSettings({ HTTP_PORT: '0', SHUTDOWN_DRAIN_MS: '0', SHUTDOWN_GRACE_MS: '1000', ...settings }),
    createLog({ level: 'silent', process: 'test' }),
  );
}

/** Opens a connection, and waits until the server has accepted or rejected it. */
async function open(localAddress = '127.0.0.1'): Promise<Socket & { received: string }> {
  const counted = () => {
    const { open: taken, refusedOfAddress, refusedOverAll, evicted } = server.connections();
    return taken + refusedOfAddress + refusedOverAll + evicted;
  };
  const before = counted();
  const { hostname, port } = new URL(server.url);
  const socket = Object.assign(connect({ host: hostname, port: Number(port), localAddress }), { received: '' });
  sockets.push(socket);
  socket.on('error', () => {});
  socket.on('data', (chunk) => {
    socket.received += chunk.toString();
  });
  await until(() => counted() > before);
  return socket;
}

const isClosed = (socket: Socket) => until(() => socket.destroyed);
/** Sends a request that is not answered yet. */
async function request(socket: Socket): Promise<ServerResponse> {
  const { length } = requests;
  socket.write(REQUEST);
  await until(() => requests.length > length);
  return requests.at(-1)!;
}
async function roundTrip(socket: Socket & { received: string }): Promise<void> {
  (await request(socket)).end('heard');
  await until(() => socket.received.endsWith('heard'));
  socket.received = '';
}

test('limits the connections of each address to a quarter of all, and frees closed ones', async () => {
  await serve({ HTTP_CONNECTIONS_MAX: '8' });
  const [first] = [await open(), await open()];
  const refused = await open();
  await isClosed(refused);
  expect(refused.received).toBe('');
  await roundTrip(await open('127.0.0.2'));
  expect(server.connections()).toMatchObject({ open: 3, refusedOfAddress: 1, refusedOverAll: 0, evicted: 0 });
  first.destroy();
  await until(() => server.connections().open === 2);
  await roundTrip(await open());
});

test('sets no limit per address behind proxies', async () => {
  await serve({ HTTP_PROXIES: '1', HTTP_CONNECTIONS_MAX: '8' });
  const all = await Promise.all(Array.from({ length: 8 }, () => open()));
  await until(() => server.connections().open === 8);
  for (const socket of all) await roundTrip(socket);
  await isClosed(await open());
  expect(server.connections()).toMatchObject({ open: 8, refusedOfAddress: 0, refusedOverAll: 1 });
});

test('closes the longest idle connection of the busiest address for a new one at the total limit', async () => {
  await serve({ HTTP_CONNECTIONS_MAX: '4', HTTP_PROXIES: '1' });
  const busy = await open('127.0.0.2');
  const inProgress = await request(busy);
  const keptAlive = await open('127.0.0.2');
  const silent = await open('127.0.0.2');
  // Idle for less long than the silent one, though it was opened before.
  await roundTrip(keptAlive);
  const ofOther = await open('127.0.0.3');
  const newcomer = await open();
  await isClosed(silent);
  await roundTrip(newcomer);
  await roundTrip(ofOther);
  await roundTrip(keptAlive);
  inProgress.end('heard');
  await until(() => busy.received.endsWith('heard'));
  expect(server.connections()).toMatchObject({ open: 4, evicted: 1, refusedOverAll: 0 });
});

test('keeps connections with requests in progress, and those of the same address, at the total limit', async () => {
  await serve({ HTTP_CONNECTIONS_MAX: '2', HTTP_PROXIES: '1' });
  const [one, other] = [await open('127.0.0.2'), await open('127.0.0.2')];
  const answers = [await request(one), await request(other)];
  await isClosed(await open());
  for (const answer of answers) answer.end('heard');
  await until(() => one.received.endsWith('heard') && other.received.endsWith('heard'));
  await isClosed(await open('127.0.0.2'));
  expect(server.connections()).toMatchObject({ open: 2, evicted: 0, refusedOverAll: 2 });
  await roundTrip(await open());
  expect(server.connections()).toMatchObject({ open: 2, evicted: 1 });
});

test.each([
  ['sends nothing', ''],
  ['sends half a head', 'GET / HTTP/1.1\r\nHo'],
])('closes a connection that %s after the deadline for a head', async (_what, sent) => {
  await serve({ HTTP_HEAD_DEADLINE_MS: '500' });
  const socket = await open();
  socket.write(sent);
  await isClosed(socket);
  await until(() => server.connections().open === 0);
  expect(requests).toEqual([]);
});
