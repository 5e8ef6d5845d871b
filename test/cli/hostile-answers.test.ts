import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import type { IncomingMessage } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { retryPauseMs } from '../../clients/typescript/src/exchange.ts';
import { startAnswering, type Answer } from '../support/scripted-server.ts';
import { runSupplierCommandHere } from '../support/command-here.ts';

/** What the command line does with a server that is not gangway, or is set up wrongly. */
const KEY = 'gwk_SECRETSECRET';
const TOKENS = {
  data: { obtainToken: { token: 't', refreshToken: 'r', payload: { exp: 4_000_000_000, role: 'supplier' } } },
};
const JOB = {
  job_id: '019ac3f2-7c51-7c6e-9d1f-3a5b7c9d1e2f',
  import_supplier: 'ACME',
  kind: 'notes',
  goal: 'IMPORT',
  status: 'COMPLETED',
  paused_because: null,
  counts: { accepted: 1, succeeded: 1, failed: 0, unprocessed: 0 },
  steps: { judged: 1, staged: 0, created: 0 },
  warnings: 0,
  lines_per_second: 0,
  estimated_end_at: null,
  causes: [],
  parts: [],
  created_at: '2026-11-25T00:00:00Z',
  ended_at: '2026-11-25T00:00:01Z',
};

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'gangway-hostile-'));
});
afterAll(() => {
  rmSync(folder, { recursive: true });
});

type Respond = (request: IncomingMessage) => Answer | undefined;

async function against(respond: Respond, args: string[], tls?: { key: string; cert: string }, path = '') {
  const server = await startAnswering(async (request) => respond(request), tls);
  try {
    return await runSupplierCommandHere(args, { GANGWAY_URL: `${server.url}${path}`, GANGWAY_API_KEY: KEY });
  } finally {
    server.stop();
  }
}

const json = (body: unknown): Answer => ({ status: 200, body: JSON.stringify(body) });
/** Answers the request for tokens as gangway does. */
const afterToken =
  (answer: Answer): Respond =>
  (request) =>
    request.url?.endsWith('/graphql/') ? json(TOKENS) : answer;
const SHOW = ['jobs', 'show', JOB.job_id];

test('keeps the path of the address in every request', async () => {
  const paths: string[] = [];
  const respond: Respond = (request) => {
    paths.push(request.url!);
    return request.url!.endsWith('/graphql/')
      ? json(TOKENS)
      : json(request.url!.includes('causes') ? { causes: [] } : JOB);
  };
  expect((await against(respond, SHOW, undefined, '/import/')).status).toBe(0);
  expect((await against(respond, ['jobs', 'causes', '--supplier', 'A/B'], undefined, '/import')).status).toBe(0);
  expect(paths).toEqual([
    '/import/graphql/',
    `/import/v1/data-import/import-jobs/${JOB.job_id}/`,
    '/import/graphql/',
    '/import/v1/data-import/causes/A%2FB/',
  ]);
});

test('names the cause when the service cannot be reached', async () => {
  const [keyFile, certFile] = [join(folder, 'key.pem'), join(folder, 'cert.pem')];
  const request = ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-days', '2', '-subj', '/CN=localhost'];
  execFileSync('openssl', [...request, '-keyout', keyFile, '-out', certFile], { stdio: 'ignore' });
  const tls = { key: readFileSync(keyFile, 'utf8'), cert: readFileSync(certFile, 'utf8') };
  const untrusted = await against(() => json(TOKENS), SHOW, tls);
  expect(untrusted).toMatchObject({
    status: 3,
    stderr: expect.stringMatching(/certificate .* is not trusted .*NODE_EXTRA_CA_CERTS/),
  });
  const redirected = await against(
    () => ({ status: 308, body: '', headers: { location: 'https://other.example/x' } }),
    SHOW,
  );
  expect(redirected).toMatchObject({
    status: 3,
    stderr: expect.stringContaining('redirects to https://other.example'),
  });
  const plain = await startAnswering(async () => json(TOKENS));
  const environment = { GANGWAY_URL: plain.url.replace('http:', 'https:'), GANGWAY_API_KEY: KEY };
  expect(await runSupplierCommandHere(SHOW, environment)).toMatchObject({
    status: 3,
    stderr: expect.stringContaining('does not use TLS'),
  });
  plain.stop();
  const closed = await runSupplierCommandHere(SHOW, { ...environment, GANGWAY_URL: plain.url });
  expect(closed).toMatchObject({ status: 3, stderr: expect.stringContaining('no server listens on that port') });
});

test('rejects malformed answers in a sentence, without a stack', async () => {
  const { counts } = JOB;
  const bodies = [null, 1, 'x', [], [null], {}, { ...JOB, counts: null }, { ...JOB, causes: [null] }];
  const malformed = [
    ...bodies,
    { ...JOB, counts: { ...counts, accepted: 1e-9 } },
    { ...JOB, counts: { ...counts, failed: -1 } },
  ];
  for (const body of malformed) {
    for (const args of [SHOW, ['jobs', 'cancel', JOB.job_id]]) {
      const ran = await against(afterToken(json(body)), args);
      expect({ body, ...ran }).toMatchObject({ stderr: expect.stringMatching(/^The response of [^\n]+\n$/) });
      expect([1, 3]).toContain(ran.status);
    }
  }
  expect(await against(afterToken(json([null])), ['jobs', 'list'])).toMatchObject({ status: 3 });
  expect(await against(afterToken(json([{}])), ['jobs', 'list'])).toMatchObject({ status: 1 });
  expect(await against(() => json({ data: { obtainToken: { token: 1 } }, errors: {} }), SHOW)).toMatchObject({
    status: 1,
  });
});

test('stops reading an answer that is too large', async () => {
  const ran = await against(afterToken({ status: 200, body: ' '.repeat(70 * 1_048_576) }), SHOW);
  expect(ran).toMatchObject({ status: 3, stderr: expect.stringContaining('answers with more than 67108864 bytes') });
});

test('retries after a malformed Retry-After', async () => {
  let calls = 0;
  const ran = await against((request) => {
    if (request.url === '/graphql/') return json(TOKENS);
    calls += 1;
    return calls < 3 ? { status: 503, body: '{}', headers: { 'retry-after': '-1' } } : json(JOB);
  }, SHOW);
  expect([ran.status, calls]).toEqual([0, 3]);
});

test.each([
  [500, undefined, 500],
  [4_000, 1, 4_000],
  [500, 7, 7_000],
  [500, 999_999, 120_000],
])('waits for the longer of backoff (%s ms) and Retry-After (%s s)', (backoffMs, retryAfter, expected) => {
  expect(retryPauseMs(backoffMs, retryAfter)).toBe(expected);
});

test('prints no control or bidirectional characters of an answer', async () => {
  const name = 'a\u001B]0;x\u0007\u009B31m\u202Eb';
  const shown = await against(afterToken(json({ ...JOB, name })), [...SHOW, '--json']);
  expect(JSON.parse(shown.stdout)).toMatchObject({ name });
  const results = await against(afterToken({ status: 200, body: `{"name":"\u009B31m\u202E"}\n\u001B[2J\n` }), [
    'jobs',
    'results',
    JOB.job_id,
  ]);
  expect(results.stdout).toBe('{"name":"\\u009b31m\\u202e"}\n\\u001b[2J\n');
  for (const { stdout } of [shown, results]) expect(stdout).not.toMatch(/(?!\n)[\p{Cc}\p{Bidi_Control}]/u);
});

test('prints no key that was given by mistake', async () => {
  writeFileSync(join(folder, 'file'), '{}\n');
  for (const args of [
    ['jobs', 'list', '--key', KEY],
    ['jobs', 'list', `--key=${KEY}`],
    ['jobs', 'list', '--key-file', KEY],
    ['jobs', 'list', KEY],
    ['jobs', 'list', `--${KEY}`],
    ['jobs', KEY],
    ['import', join(folder, 'file'), '--supplier', 'A', '--goal', KEY],
    ['verify-certificate', join(folder, 'file'), '--key', KEY],
  ]) {
    const ran = await runSupplierCommandHere(args, { GANGWAY_URL: 'http://127.0.0.1:9' });
    expect(ran.status).toBe(2);
    expect(ran.stdout + ran.stderr).not.toContain('SECRET');
  }
});
