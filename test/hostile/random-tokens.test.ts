import { randomBytes } from 'node:crypto';
import { Agent, request } from 'node:http';
import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { startApi } from '../support/api-process.ts';
import { startService, type Service } from '../support/harness.ts';

// Strangers send random tokens over many connections, several requests at a time on each, while a known client works. The
// process under attack is a real one.

const CONNECTIONS = 100;
/** Requests that are written to a connection before the first answer is read. */
const PIPELINED = 16;
const CALLS = 116;
const PAUSE_MS = 25;
/** Older than what is remembered of a token, so that the database is asked about it during the attack. */
const FORGOTTEN_MS = 1_100;

let service: Service;
let api: Awaited<ReturnType<typeof startApi>>;
beforeAll(async () => {
  service = await startService();
  api = await startApi(service, { HTTP_PROXIES: '1' });
});
afterAll(async () => {
  agent.destroy();
  await api.kill();
  await service.stop();
});

const agent = new Agent({ keepAlive: true, maxSockets: 10 });

function call(token: string, address: string): Promise<number> {
  return new Promise((resolve, reject) => {
    const sent = request(`${api.url}${PATH}`, { agent, headers: { authorization: `Token ${token}`, 'x-forwarded-for': address } }, (answer) => {
      answer.resume();
      answer.once('end', () => resolve(answer.statusCode ?? 0));
      answer.once('error', reject);
    });
    sent.once('error', reject);
    sent.end();
  });
}

const randomToken = () => `gwa_${randomBytes(32).toString('base64url')}`;

function countOf(statuses: readonly number[]): Record<number, number> {
  const counts: Record<number, number> = {};
  for (const status of statuses) counts[status] = (counts[status] ?? 0) + 1;
  return counts;
}

const PATH = '/v1/data-import/all-account-import-processes/SUPPLIER_FR/';

/** Keeps one connection full of requests with random tokens. */
function attackOn(attack: { isOver: boolean }, statuses: number[], addressOf: (round: number) => string): Promise<void> {
  return new Promise((resolve, reject) => {
    const { hostname, port } = new URL(api.url);
    const socket = connect(Number(port), hostname);
    let round = 0;
    let unanswered = 0;
    let received = '';
    const write = () => {
      if (attack.isOver) return socket.end();
      unanswered = PIPELINED;
      socket.write(Array.from({ length: PIPELINED }, () => {
        round += 1;
        return `GET ${PATH} HTTP/1.1\r\nhost: gangway\r\nauthorization: Token ${randomToken()}\r\nx-forwarded-for: ${addressOf(round)}\r\n\r\n`;
      }).join(''));
    };
    socket.once('connect', write);
    socket.on('data', (chunk) => {
      const lines = (received + chunk.toString('latin1')).split('\r\n');
      received = lines.pop()!;
      const answered = lines.flatMap((line) => /(?:^|\})HTTP\/1\.1 (\d{3}) /.exec(line)?.[1] ?? []);
      statuses.push(...answered.map(Number));
      unanswered -= answered.length;
      if (unanswered === 0) write();
    });
    socket.once('error', reject);
    socket.once('close', () => resolve());
  });
}

/** Keeps every connection busy with random tokens while `work` goes on. */
async function underAttack<T>(addressOf: (connection: number, round: number) => string, work: () => Promise<T>): Promise<{ result: T; attackers: Record<number, number> }> {
  const attack = { isOver: false };
  const statuses: number[] = [];
  const connections = Array.from({ length: CONNECTIONS }, (_, connection) => attackOn(attack, statuses, (round) => addressOf(connection, round)));
  try {
    return { result: await work(), attackers: countOf(statuses) };
  } finally {
    attack.isOver = true;
    await Promise.all(connections);
  }
}

async function callOften(token: string, address: string): Promise<Record<number, number>> {
  const statuses: number[] = [];
  for (let count = 0; count < CALLS; count += 1) {
    statuses.push(await call(token, address));
    await sleep(PAUSE_MS);
  }
  return countOf(statuses);
}

test.each<[string, (connection: number, round: number) => string]>([
  ['one address', () => '203.0.113.7'],
  ['as many addresses as requests', (connection, round) => `10.${connection}.${round >> 8 & 255}.${round & 255}`],
  ['one IPv6 network, another address each time', () => `2001:db8:0:7:${randomBytes(2).toString('hex')}::${randomBytes(2).toString('hex')}`],
])('a known client is served in full while 100 connections send random tokens from %s', async (_what, addressOf) => {
  const token = await service.supplierToken(['SUPPLIER_FR']);
  expect(await call(token, '192.0.2.1')).toBe(200);
  await sleep(FORGOTTEN_MS);
  const { result, attackers } = await underAttack(addressOf, () => callOften(token, '192.0.2.1'));
  expect(result).toEqual({ 200: CALLS });
  expect(attackers[200]).toBeUndefined();
});

test('a token that is new to the process is heard during the attack, when it comes from another address', async () => {
  const { result } = await underAttack(() => '203.0.113.8', async () => {
    const statuses: number[] = [];
    for (let count = 0; count < 20; count += 1) statuses.push(await call(await service.supplierToken(['SUPPLIER_FR']), '192.0.2.1'));
    return countOf(statuses);
  });
  expect(result).toEqual({ 200: 20 });
});

test('an address that used up its unknown tokens is told so and when to come again; a token known there goes on', async () => {
  const address = '2001:db8:1:2::1';
  const token = await service.supplierToken(['SUPPLIER_FR']);
  expect(await call(token, address)).toBe(200);
  const statuses: number[] = [];
  while (statuses.length < 301) statuses.push(await call(randomToken(), `2001:db8:1:2::${(statuses.length + 2).toString(16)}`));
  expect(countOf(statuses)).toEqual({ 401: 300, 429: 1 });
  expect(await call(randomToken(), '2001:db8:1:3::1')).toBe(401);
  await sleep(FORGOTTEN_MS);
  expect(await call(token, address)).toBe(200);
});
