import { randomBytes } from 'node:crypto';
import { Agent, request } from 'node:http';
import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, expect, test } from '@jest/globals';
import { startApi } from '../support/api-process.ts';
import { startService } from '../support/harness.ts';

// Attackers send random tokens over many connections, several requests at a time on each, while a known client works.
// The process under attack is a real one.

const CONNECTIONS = 100;
/** Requests that are written to a connection together. */
const PIPELINED = 4;
/** Every connection sends its requests, and the known client calls while they are in progress. */
const ROUNDS = 4;
/** Older than the token cache, so that the attack reaches the database. */
const FORGOTTEN_MS = 1_100;
const ATTACK_TIME_LIMIT_MS = 180_000;

const service = await startService();
const api = await startApi(service, { HTTP_PROXIES: '1' });
afterAll(async () => {
  agent.destroy();
  await api.kill();
  await service.stop();
});

const agent = new Agent({ keepAlive: true, maxSockets: 10 });

function call(token: string, address: string): Promise<number> {
  return new Promise((resolve, reject) => {
    const sent = request(
      `${api.url}${PATH}`,
      { agent, headers: { authorization: `Token ${token}`, 'x-forwarded-for': address } },
      (answer) => {
        answer.resume();
        answer.once('end', () => resolve(answer.statusCode ?? 0));
        answer.once('error', reject);
      },
    );
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

interface Attacker {
  /** Sends a group of requests with random tokens; resolves to the statuses of the responses. */
  send(addressOf: () => string): Promise<number[]>;
  close(): void;
}

async function openAttacker(): Promise<Attacker> {
  const { hostname, port } = new URL(api.url);
  const socket = connect(Number(port), hostname);
  await new Promise((resolve, reject) => {
    socket.once('connect', resolve);
    socket.once('error', reject);
  });
  let received = '';
  let note: (status: number) => void = () => {};
  socket.on('data', (chunk) => {
    const lines = (received + chunk.toString('latin1')).split('\r\n');
    received = lines.pop()!;
    // A body ends without a line end, so that the next response begins right behind it.
    for (const line of lines) {
      const status = /(?:^|\})HTTP\/1\.1 (\d{3}) /.exec(line)?.[1];
      if (status !== undefined) note(Number(status));
    }
  });
  return {
    send: (addressOf) =>
      new Promise((resolve) => {
        const statuses: number[] = [];
        note = (status) => {
          statuses.push(status);
          if (statuses.length === PIPELINED) resolve(statuses);
        };
        socket.write(
          Array.from(
            { length: PIPELINED },
            () =>
              `GET ${PATH} HTTP/1.1\r\nhost: gangway\r\nauthorization: Token ${randomToken()}\r\nx-forwarded-for: ${addressOf()}\r\n\r\n`,
          ).join(''),
        );
      }),
    close: () => {
      socket.destroy();
    },
  };
}

/** Attacks over all connections concurrently, round after round, and makes a call in the middle of each. */
async function underAttack(
  addressOf: () => string,
  makeCall: () => Promise<number>,
): Promise<{ calls: Record<number, number>; attackers: Record<number, number> }> {
  const connections = await Promise.all(Array.from({ length: CONNECTIONS }, openAttacker));
  const [calls, attackers]: [number[], number[]] = [[], []];
  try {
    for (let round = 0; round < ROUNDS; round += 1) {
      const lots = Promise.all(connections.map((connection) => connection.send(addressOf)));
      calls.push(await makeCall());
      attackers.push(...(await lots).flat());
      await sleep(FORGOTTEN_MS);
    }
  } finally {
    for (const connection of connections) connection.close();
  }
  return { calls: countOf(calls), attackers: countOf(attackers) };
}

let addressCount = 0;
const unusedAddress = () => {
  addressCount += 1;
  return `10.${(addressCount >> 16) & 255}.${(addressCount >> 8) & 255}.${addressCount & 255}`;
};

test.each<[string, () => string]>([
  ['one address', () => '203.0.113.7'],
  ['as many addresses as requests', unusedAddress],
  [
    'one IPv6 network, another address each time',
    () => `2001:db8:0:7:${randomBytes(2).toString('hex')}::${randomBytes(2).toString('hex')}`,
  ],
])(
  'serves a known client fully while 100 connections send random tokens from %s',
  async (_what, addressOf) => {
    const token = await service.supplierToken(['SUPPLIER_FR']);
    expect(await call(token, '192.0.2.1')).toBe(200);
    await sleep(FORGOTTEN_MS);
    const { calls, attackers } = await underAttack(addressOf, () => call(token, '192.0.2.1'));
    expect(calls).toEqual({ 200: ROUNDS });
    expect(attackers[200]).toBeUndefined();
  },
  ATTACK_TIME_LIMIT_MS,
);

test(
  'accepts a token that is new to the process from another address during the attack',
  async () => {
    const tokens = await Promise.all(Array.from({ length: ROUNDS }, () => service.supplierToken(['SUPPLIER_FR'])));
    const { calls } = await underAttack(
      () => '203.0.113.8',
      () => call(tokens.pop()!, '192.0.2.1'),
    );
    expect(calls).toEqual({ 200: ROUNDS });
  },
  ATTACK_TIME_LIMIT_MS,
);

test(
  'rate limits an address after too many unknown tokens, with the time to wait, except tokens known there',
  async () => {
    const address = '2001:db8:1:2::1';
    const token = await service.supplierToken(['SUPPLIER_FR']);
    expect(await call(token, address)).toBe(200);
    const statuses: number[] = [];
    while (statuses.length < 301) {
      statuses.push(await call(randomToken(), `2001:db8:1:2::${(statuses.length + 2).toString(16)}`));
    }
    expect(countOf(statuses)).toEqual({ 401: 300, 429: 1 });
    expect(await call(randomToken(), '2001:db8:1:3::1')).toBe(401);
    await sleep(FORGOTTEN_MS);
    expect(await call(token, address)).toBe(200);
  },
  ATTACK_TIME_LIMIT_MS,
);
