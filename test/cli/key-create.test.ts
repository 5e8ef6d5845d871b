import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { startService, type Service } from '../support/harness.ts';
import { runCommandHere } from '../support/command-here.ts';
import { runCommand } from '../support/command-line.ts';

let service: Service;
let url: string;
let folder: string;
beforeAll(async () => {
  service = await startService();
  url = String(service.database.orm.config.get('clientUrl'));
  folder = mkdtempSync(join(tmpdir(), 'gangway-cli-'));
});
afterAll(async () => {
  rmSync(folder, { recursive: true });
  await service.stop();
});

const run = (args: string[], settings: Record<string, string>) =>
  runCommandHere(['key', 'create', ...args], { DATA_DIR: folder, XDG_CONFIG_HOME: folder, ...settings });
const OPERATOR = ['--role', 'operator', '--organisation', 'Ops', '--name', 'first'];

test('--json prints one line with a key that works', async () => {
  const { status, stdout } = await runCommand(['key', 'create', ...OPERATOR, '--json'], {
    DATA_DIR: folder,
    XDG_CONFIG_HOME: folder,
    DATABASE_URL: url,
  });
  expect(status).toBe(0);
  expect(stdout).toMatch(/^\{.*\}\n$/);
  const { id, api_key: secret } = JSON.parse(stdout);
  const answer = await service.call('POST', '/graphql/', {
    body: { query: `mutation { obtainToken(input: {APIKey: "${secret}"}) { payload } }` },
  });
  expect(answer.body.data.obtainToken.payload).toMatchObject({ sub: id, role: 'operator' });
  const audit = await service.call('GET', `/v1/operations/audit/?subject=api-keys/${id}`, {
    token: service.operatorToken,
  });
  expect(audit.body).toMatchObject([
    { action: 'token.issued', actor: { key_id: id } },
    { action: 'api_key.created', actor: { key_id: null, name: 'command line' } },
  ]);
});

test('without DATABASE_URL the database of the running service is used; the key alone is on standard output', async () => {
  writeFileSync(join(folder, 'up.json'), JSON.stringify({ database: url }));
  const { status, stdout, stderr } = await run(OPERATOR, {});
  rmSync(join(folder, 'up.json'));
  expect(status).toBe(0);
  expect(stdout).toMatch(/^gwk_[A-Za-z0-9_-]{43}\n$/);
  expect(stderr).toContain('shown only once');
});

test.each<[string, string[], Record<string, string>, number, string]>([
  ['no running service', OPERATOR, {}, 1, 'npm start'],
  ['no server', OPERATOR, { DATABASE_URL: 'postgresql://nobody@127.0.0.1:1/none' }, 1, 'cannot be reached'],
  ['an address that names no database', OPERATOR, { DATABASE_URL: 'notaurl' }, 1, 'Setting DATABASE_URL is not a URL'],
  [
    'an unknown supplier',
    ['--role', 'supplier', '--organisation', 'A', '--name', 'a', '--supplier', 'NOBODY'],
    { DATABASE_URL: '' },
    1,
    '--supplier NOBODY',
  ],
  ['an unknown role', ['--role', 'admin', '--organisation', 'A', '--name', 'a'], {}, 2, 'operator, supplier'],
  ['no name', ['--role', 'operator', '--organisation', 'A'], {}, 2, '--name'],
])('%s: says what to do and prints no key', async (_what, args, settings, exitCode, sentence) => {
  const { status, stdout, stderr } = await run(
    args,
    'DATABASE_URL' in settings && settings['DATABASE_URL'] === '' ? { DATABASE_URL: url } : settings,
  );
  expect(status).toBe(exitCode);
  expect(stdout).toBe('');
  expect(stderr).toContain(sentence);
});
