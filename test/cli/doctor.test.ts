import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { makeAuthority, makeCertificate } from '../support/certificates.ts';
import { runSupplierCommandHere } from '../support/command-here.ts';
import { startService, type Service } from '../support/harness.ts';
import { openOperatorShell, type OperatorShell } from '../support/operator-shell.ts';
import { reservePort } from '../support/test-port.ts';
import { startAnswering, type Answer } from '../support/scripted-server.ts';

let service: Service;
let shell: OperatorShell;
let supplierKey: string;
let folder: string;
let document: { info: object; paths: Record<string, object> };
beforeAll(async () => {
  service = await startService();
  shell = await openOperatorShell(service);
  const create = ['key', 'create', '--role', 'supplier', '--organisation', 'Acme', '--name', 'x'];
  supplierKey = (await shell.json(...create, '--supplier', 'SUPPLIER_FR')).api_key;
  folder = mkdtempSync(join(tmpdir(), 'gangway-doctor-'));
  document = (await service.call('GET', '/openapi.json')).body;
});
afterAll(async () => {
  rmSync(folder, { recursive: true });
  shell.remove();
  await service.stop();
});

/** The command of suppliers, with its findings by check. */
async function examine(url: string, ...args: string[]) {
  const environment = { GANGWAY_URL: url, GANGWAY_API_KEY: supplierKey, XDG_CONFIG_HOME: folder };
  const { status, stdout, stderr } = await runSupplierCommandHere(['doctor', '--json', ...args], environment);
  const { findings } = JSON.parse(stdout) as {
    findings: { check: string; state: string; detail: string; remedy: string | null }[];
  };
  return { status, stderr, findings, of: Object.fromEntries(findings.map((one) => [one.check, one])) };
}

/** A server that responds like gangway up to the key, with changes. */
async function withServer<T>(
  answer: (body: string) => Partial<Answer>,
  work: (url: string) => Promise<T>,
  tls?: { key: string; cert: string },
): Promise<T> {
  const body = JSON.stringify(document);
  const server = await startAnswering(async () => ({ status: 200, body, ...answer(body) }), tls);
  try {
    return await work(server.url);
  } finally {
    server.stop();
  }
}

test('all is well: every check says what it found', async () => {
  const { status, stderr, findings } = await examine(service.url, '--supplier', 'SUPPLIER_FR');
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
  expect(findings.map(({ check, state }) => `${check} ${state}`)).toEqual(
    ['address', 'dns', 'tls', 'service', 'clock', 'version', 'key'].map((check) => `${check} ok`),
  );
  expect(findings.at(-1)!.detail).toBe('role supplier, organization Acme, import supplier SUPPLIER_FR');
});

test('for operators, the key with scope and expiry; a key that expires soon is a warning', async () => {
  const { stdout } = await shell.run('doctor');
  expect(stdout).toMatch(/^ok +key +role operator, organization Ops, scope all$/m);
  const soon = new Date(Date.now() + 86_400_000).toISOString().slice(0, 10);
  const create = ['key', 'create', '--role', 'operator', '--organisation', 'Ops', '--name', 'short'];
  const { api_key: key } = await shell.json(...create, '--expires', soon);
  const other = await openOperatorShell({ ...service, call: async () => ({ body: { api_key: key } }) as never });
  expect(await other.run('doctor')).toMatchObject({
    status: 0,
    stdout: expect.stringMatching(/^warning +key .*scope all, expires .*\n +Create another key/m),
  });
  other.remove();
});

test.each<[string, (body: string) => Partial<Answer>, string, string, string]>([
  [
    'a clock that is wrong',
    () => ({ headers: { date: new Date(Date.now() - 600_000).toUTCString() } }),
    'clock',
    'failed',
    'This clock differs by ',
  ],
  [
    'another version of the API',
    (body) => ({ body: body.replace('"version":"1"', '"version":"2"') }),
    'version',
    'failed',
    'The service has version 2 of the API',
  ],
  [
    'an older service',
    () => {
      const { '/v1/data-import/waves/{wave}/': _newer, ...paths } = document.paths;
      return { body: JSON.stringify({ ...document, paths }) };
    },
    'version',
    'warning',
    'GET /v1/data-import/waves/<wave>/',
  ],
  ['another server', () => ({ body: '{"hello": "world"}' }), 'service', 'failed', 'does not respond like gangway'],
])('%s is found, with its remedy', async (_what, answer, check, state, sentence) => {
  const { of: found } = await withServer(answer, (url) => examine(url));
  expect(found[check]).toMatchObject({ state, detail: expect.stringContaining(sentence), remedy: expect.any(String) });
});

test('a key that is not accepted fails its check, with exit status 1', async () => {
  const environment = { GANGWAY_URL: service.url, GANGWAY_API_KEY: 'gwk_wrong' };
  expect(await runSupplierCommandHere(['doctor'], environment)).toMatchObject({
    status: 1,
    stdout: expect.stringMatching(/^failed +key +The service did not issue a token/m),
  });
  const { status, of: found } = await examine(service.url, '--supplier', 'OTHER');
  expect({ status, state: found['key']!.state }).toEqual({ status: 1, state: 'failed' });
});

test('an unreachable service: exit status 3, without a check of the key', async () => {
  const { status, of: found } = await examine(`http://127.0.0.1:${await reservePort()}`);
  expect(status).toBe(3);
  expect(found['service']).toMatchObject({ state: 'failed', detail: expect.stringContaining('ECONNREFUSED') });
  expect(found['key']).toBeUndefined();
  const { of: unknown } = await examine('https://gangway.invalid');
  expect(unknown['dns']).toMatchObject({ state: 'failed', remedy: expect.stringContaining('spelling') });
  expect(unknown['tls']).toMatchObject({ state: 'failed' });
});

test('a certificate that is not trusted is named, with its end; an address without TLS is a warning', async () => {
  makeAuthority(folder, 'ca');
  makeCertificate(folder, 'gangway', { extension: 'subjectAltName=IP:127.0.0.1' });
  const read = (name: string) => readFileSync(join(folder, name), 'utf8');
  const tls = { key: read('gangway.key'), cert: read('gangway.pem') };
  const { status, of: found } = await withServer(
    () => ({}),
    (url) => examine(url),
    tls,
  );
  expect(status).toBe(3);
  expect(found['tls']).toMatchObject({
    state: 'failed',
    detail: expect.stringMatching(/not trusted \(UNABLE_TO_VERIFY_LEAF_SIGNATURE\); it is valid until \d{4}-\d\d-\d\d/),
    remedy: expect.stringContaining('NODE_EXTRA_CA_CERTS'),
  });
  const { of: plain } = await withServer(
    () => ({}),
    (url) => examine(url.replace('http:', 'https:')),
  );
  expect(plain['tls']).toMatchObject({ state: 'failed', remedy: expect.stringContaining('does not use TLS') });
});

test('without an address, the check says how to set it', async () => {
  expect(await runSupplierCommandHere(['doctor'], { XDG_CONFIG_HOME: folder })).toMatchObject({
    status: 1,
    stdout: expect.stringMatching(/^failed +address +Which service\? Set GANGWAY_URL/),
  });
});
