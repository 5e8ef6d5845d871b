import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeEach, expect, test } from '@jest/globals';
import {
  createVendorHttp,
  jsonOf,
  NotSent,
  type VendorHttp,
  type VendorLimits,
} from '../../../src/platform/vendor-http/vendor-http.ts';
import { VendorRejected } from '../../../src/vocabulary/vendor-errors.ts';

// Properties of all outside parties, on the wire: limits, classes of error, and messages that quote nothing of
// theirs.

const SECRET_TEXT = 'text of the party';
let calls = 0;
let inProgress = 0;
let inProgressMost = 0;
let answer: (response: ServerResponse, path: string) => void;
const server: Server = createServer((request, response) => {
  calls += 1;
  inProgress += 1;
  inProgressMost = Math.max(inProgressMost, inProgress);
  response.once('close', () => {
    inProgress -= 1;
  });
  answer(response, request.url ?? '');
});
await new Promise<void>((resolve) => {
  server.listen(0, '127.0.0.1', resolve);
});
const url: string = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
afterAll(async () => {
  server.closeAllConnections();
  await new Promise((resolve) => {
    server.close(resolve);
  });
});
beforeEach(() => {
  calls = 0;
  inProgressMost = 0;
});

const limits: VendorLimits = { timeoutMs: 300, callsMax: 4, waitingMax: 20, failuresInARow: 5, openMs: 200 };

async function withClient<T>(
  work: (client: VendorHttp, outcomes: string[]) => Promise<T>,
  changed: Partial<VendorLimits> = {},
  baseUrl = url,
): Promise<T> {
  const outcomes: string[] = [];
  const client = createVendorHttp({
    vendor: 'Party',
    baseUrl,
    limits: { ...limits, ...changed },
    onCall: (outcome) => {
      outcomes.push(outcome);
    },
  });
  try {
    return await work(client, outcomes);
  } finally {
    await client.close();
  }
}

const get = { method: 'GET', path: '/thing' } as const;
const errorOf = (client: VendorHttp) =>
  client.call(get, jsonOf).then(
    () => undefined,
    (error: Error) => error,
  );

test.each([
  [200, {}, 'VendorUnavailable', 'not understood'],
  [301, { location: 'http://127.0.0.1:9/' }, 'VendorMisconfigured', 'not followed'],
  [401, {}, 'VendorMisconfigured', '401'],
  [403, {}, 'VendorMisconfigured', '403'],
  [408, {}, 'VendorUnavailable', '408'],
  [425, {}, 'VendorUnavailable', '425'],
  [429, {}, 'VendorBusy', 'slow down'],
  [500, {}, 'VendorUnavailable', '500'],
  [503, {}, 'VendorUnavailable', '503'],
])('classifies status %i as %s', async (status, headers, name, words) => {
  answer = (response) => {
    response.writeHead(status, headers).end(SECRET_TEXT);
  };
  const error = await withClient(errorOf);
  expect([error?.name, error?.message]).toEqual([name, expect.stringContaining(words)]);
  expect(error?.message).not.toContain(SECRET_TEXT);
});

test.each([
  ['3', 3],
  ['0', 1],
  ['999999', 3_600],
  ['soon', 5],
  [new Date(Date.now() + 60_000).toUTCString(), 60],
])('waits after Retry-After %s for %i s', async (header, seconds) => {
  answer = (response) => {
    response.writeHead(429, { 'retry-after': header }).end();
  };
  const error = (await withClient(errorOf)) as Error & { retryAfterSeconds: number };
  expect(Math.abs(error.retryAfterSeconds - seconds)).toBeLessThanOrEqual(1);
});

test('reports a party as unavailable that does not answer, disconnects, or stops during its response', async () => {
  const results: string[] = [];
  const acts: ((response: ServerResponse) => void)[] = [
    () => {},
    (response) => {
      response.destroy();
    },
    (response) => {
      response.writeHead(200, { 'content-length': '100' }).write('{"half":');
      setTimeout(() => response.destroy(), 20);
    },
    (response) => {
      response.writeHead(200).end(Buffer.alloc(1_048_577, ' '));
    },
  ];
  for (const act of acts) {
    answer = act;
    const error = await withClient(errorOf);
    results.push(`${error?.name}: ${error?.message}`);
  }
  expect(results).toEqual([
    'VendorUnavailable: Party did not answer within 300 ms.',
    'VendorUnavailable: Party cannot be reached (UND_ERR_SOCKET).',
    expect.stringMatching(/^VendorUnavailable: Party cannot be reached \(\w+\)\.$/),
    'VendorUnavailable: Party sent an answer of more than 1048576 bytes.',
  ]);
  expect(await withClient(errorOf, {}, 'http://127.0.0.1:9')).toMatchObject({
    name: 'VendorUnavailable',
    message: 'Party cannot be reached (ECONNREFUSED).',
  });
});

test('reports an unsuitable client certificate as a misconfiguration', async () => {
  answer = (response) => {
    response.end('{}');
  };
  expect(await withClient(errorOf, {}, url.replace('http:', 'https:'))).toMatchObject({
    name: 'VendorMisconfigured',
    message: expect.stringMatching(/ERR_SSL/),
  });
});

test('reports three malformed responses in a row as our fault, and restarts the count after a valid one', async () => {
  const broken = (response: ServerResponse) => {
    response.end('<html>');
  };
  await withClient(
    async (client) => {
      answer = broken;
      const names = [await errorOf(client), await errorOf(client)];
      answer = (response) => {
        response.end('{"fine":true}');
      };
      expect(await client.call(get, jsonOf)).toEqual({ fine: true });
      answer = broken;
      names.push(await errorOf(client), await errorOf(client), await errorOf(client));
      expect(names.map((error) => error?.name)).toEqual([
        ...Array.from({ length: 4 }, () => 'VendorUnavailable'),
        'VendorMisconfigured',
      ]);
    },
    { failuresInARow: 10 },
  );
});

test('opens the circuit breaker after failures in a row, and probes with one call afterwards', async () => {
  answer = (response) => {
    response.writeHead(500).end();
  };
  await withClient(async (client, outcomes) => {
    for (let call = 0; call < 8; call += 1) await errorOf(client);
    expect(calls).toBe(5);
    expect(await errorOf(client)).toMatchObject({ name: 'VendorUnavailable', wasCalled: false });
    answer = (response) => {
      response.end('{}');
    };
    await new Promise((resolve) => {
      setTimeout(resolve, 250);
    });
    expect(await client.call(get, jsonOf)).toEqual({});
    expect(outcomes).toEqual([...Array.from({ length: 9 }, () => 'unavailable'), 'ok']);
  });
});

test('does not count a rejection by the party as its failure', async () => {
  answer = (response) => {
    response.writeHead(404).end('{}');
  };
  const refused = () => {
    throw new VendorRejected('Party knows no such thing.', 'unknown');
  };
  await withClient(async (client, outcomes) => {
    for (let call = 0; call < 8; call += 1) await expect(client.call(get, refused)).rejects.toThrow(VendorRejected);
    expect([calls, new Set(outcomes)]).toEqual([8, new Set(['rejected'])]);
  });
});

test('limits concurrent calls, and waiting calls', async () => {
  answer = (response) => {
    setTimeout(() => {
      response.end('{}');
    }, 30);
  };
  await withClient(async (client) => {
    const outcomes = await Promise.all(
      Array.from({ length: 30 }, () =>
        client.call(get, jsonOf).then(
          () => 'ok',
          (error: { wasCalled?: boolean }) => error.wasCalled,
        ),
      ),
    );
    expect([
      inProgressMost,
      outcomes.filter((outcome) => outcome === 'ok').length,
      outcomes.filter((outcome) => outcome === false).length,
    ]).toEqual([4, 24, 6]);
  });
});

test('aborts a call that its caller ends, and does not count it as a failure', async () => {
  answer = () => {};
  await withClient(async (client) => {
    const ending = new AbortController();
    const call = client.call({ ...get, signal: ending.signal }, jsonOf);
    setTimeout(() => ending.abort(new Error('ended by the test')), 50);
    await expect(call).rejects.toThrow('ended by the test');
  });
});

/** A slot that each call uses up, and that counts its renewals; the first slots are missed. */
function missedSlot(times: number) {
  let missed = 0;
  let isUsed = false;
  const slot = {
    renewed: 0,
    use: () => {
      if (isUsed || missed < times) {
        missed += 1;
        return false;
      }
      return (isUsed = true);
    },
    renew: async () => {
      slot.renewed += 1;
      isUsed = false;
    },
  };
  return slot;
}

test("sends nothing when a call's slot passes before its connection is open, and uses the next slot", async () => {
  answer = (response) => {
    response.writeHead(200).end('{}');
  };
  const slot = missedSlot(3);
  expect(await withClient((client) => client.call({ ...get, slot }, jsonOf))).toEqual({});
  expect([calls, slot.renewed]).toEqual([1, 3]);
});

test('uses a slot for one call, and waits for another one to repeat it', async () => {
  answer = (response) => {
    response.writeHead(200).end('{}');
  };
  const slot = missedSlot(0);
  await withClient(async (client) => {
    await client.call({ ...get, slot }, jsonOf);
    await client.call({ ...get, slot }, jsonOf);
  });
  expect([calls, slot.renewed]).toEqual([2, 1]);
});

test('ends a call unsent without another slot, and counts neither a call nor a failure', async () => {
  const slot = { use: () => false, renew: () => Promise.reject(new NotSent()) };
  await withClient(async (client, outcomes) => {
    for (let call = 0; call < limits.failuresInARow + 1; call += 1) {
      await expect(client.call({ ...get, slot }, jsonOf)).rejects.toBeInstanceOf(NotSent);
    }
    expect(outcomes).toEqual([]);
  });
  expect(calls).toBe(0);
});
