import { execFile, spawnSync } from 'node:child_process';
import type { IncomingMessage } from 'node:http';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from '@jest/globals';
import { connect, dataOf, RefusedError } from '../../clients/typescript/src/index.ts';
import { childEnvironment } from '../support/child-environment.ts';
import { startAnswering, type Answer } from '../support/scripted-server.ts';

// What the client libraries do when the service is at its limit, rejects a token, or is not where the address leads.

const PYTHON = join(import.meta.dirname, '../../clients/python/src');
const hasPython = spawnSync('python3', ['-c', 'import sys; sys.exit(sys.version_info < (3, 9))']).status === 0;
const BATCH = '/v1/data-import/supply-point/populate/';
const json = (status: number, body: object, headers: Record<string, string> = {}): Answer => ({
  status,
  body: JSON.stringify(body),
  headers: { 'content-type': 'application/json', ...headers },
});

/** Issues a new token for each request, and gives the calls these answers in turn. */
async function against<T>(answers: Answer[], work: (url: string) => Promise<T>) {
  const calls: { token: string; key: string }[] = [];
  let tokens = 0;
  const server = await startAnswering(async ({ url, headers }: IncomingMessage) => {
    if (url === '/graphql/') {
      tokens += 1;
      return json(200, { data: { obtainToken: { token: `t${tokens}`, payload: { exp: 4_000_000_000 } } } });
    }
    calls.push({ token: headers.authorization ?? '', key: String(headers['idempotency-key']) });
    return answers[calls.length - 1];
  });
  try {
    return { result: await work(server.url), calls };
  } finally {
    server.stop();
  }
}

const BUSY = json(503, { detail: 'Retry.', code: 'service_unavailable' }, { 'retry-after': '1' });
const REJECTED = json(401, { detail: 'No.', code: 'authentication_failed' });
const DONE = json(201, { batch_id: 'b' });
const REFUSED = json(400, {
  detail: 'Bad.',
  code: 'validation_failed',
  errors: [{ attr: 'prm_ids', code: 'required', detail: 'Send it.' }],
});

const inTypescript = (url: string) =>
  dataOf(
    connect({ url, key: 'k' }).api.POST(BATCH, { body: { prm_ids: [], pce_ids: [], customer_category: 'Domestic' } }),
  ).then(
    (data): unknown => data,
    (error: unknown) => (error instanceof RefusedError ? error.errors[0]?.code : String(error)),
  );
const inPython = async (url: string): Promise<unknown> => {
  const program = `
import json, sys
from gangway import AddressError, Client, Refused
try:
    print(json.dumps(Client(sys.argv[1], "k").call("POST", "${BATCH}", {})))
except Refused as error:
    print(json.dumps(error.errors[0]["code"]))
except AddressError as error:
    print(json.dumps(str(error)))`;
  const env = { ...childEnvironment(), PYTHONPATH: PYTHON, PYTHONDONTWRITEBYTECODE: '1' };
  return JSON.parse((await promisify(execFile)('python3', ['-c', program, url], { env })).stdout);
};

test.each([
  ['TypeScript', inTypescript],
  ['Python', inPython],
])('retries with one Idempotency-Key and renews a rejected token: %s', async (language, work) => {
  if (language === 'Python' && !hasPython) return;
  const { result, calls } = await against([BUSY, REJECTED, DONE], work);
  expect(result).toEqual({ batch_id: 'b' });
  expect(calls.map(({ token }) => token)).toEqual(['Token t1', 'Token t1', 'Token t2']);
  expect(new Set(calls.map(({ key }) => key)).size).toBe(1);
  expect(calls[0]!.key).toMatch(/^[0-9a-f-]{36}$/);
});

test.each([
  ['TypeScript', inTypescript],
  ['Python', inPython],
])('reports a rejected request, and sends the token to no other address: %s', async (language, work) => {
  if (language === 'Python' && !hasPython) return;
  expect((await against([REFUSED], work)).result).toBe('required');
  const away: Answer = { status: 308, body: '', headers: { location: 'https://other.example/' } };
  const { result, calls } = await against([away], work);
  expect(result).toContain('redirects');
  expect(calls).toHaveLength(1);
});
