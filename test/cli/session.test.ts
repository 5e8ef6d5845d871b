import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { runCommandHere } from '../support/command-here.ts';
import { runCommand } from '../support/command-line.ts';
import { startService, type Service } from '../support/harness.ts';
import { openOperatorShell, type OperatorShell } from '../support/operator-shell.ts';

let service: Service;
let shell: OperatorShell;
beforeAll(async () => {
  service = await startService();
  shell = await openOperatorShell(service);
});
afterAll(async () => {
  shell.remove();
  await service.stop();
});

test('the session holds no key and only its owner may read it', () => {
  expect(shell.login).toMatchObject({
    status: 0,
    stdout: expect.stringContaining(`Logged in to ${service.url} with the role operator`),
  });
  const file = join(shell.folder, 'gangway/session.json');
  expect(statSync(file).mode & 0o777).toBe(0o600);
  expect(readFileSync(file, 'utf8')).not.toContain(shell.operatorKey);
});

test('without a session, the running service of the data folder is used with its operator key; with none, the message says what to do', async () => {
  const local = mkdtempSync(join(tmpdir(), 'gangway-cli-'));
  const here = { XDG_CONFIG_HOME: join(local, 'config'), DATA_DIR: local };
  expect(await runCommandHere(['limit', 'show'], here)).toMatchObject({
    status: 1,
    stderr: expect.stringContaining('npm start'),
  });
  writeFileSync(join(local, 'key'), `${shell.operatorKey}\n`);
  writeFileSync(join(local, 'up.json'), JSON.stringify({ http: service.url, operator_key_file: join(local, 'key') }));
  expect(await runCommandHere(['limit', 'show'], here)).toMatchObject({ status: 0 });
  expect(await runCommandHere(['login', '--json'], here)).toMatchObject({
    status: 0,
    stdout: expect.stringContaining(`"url":"${service.url}","role":"operator"`),
  });
  rmSync(join(local, 'up.json'));
  expect(await runCommandHere(['limit', 'show'], here)).toMatchObject({ status: 0 });
  rmSync(local, { recursive: true });
});

test('a key comes by environment or standard input; a session that ends is renewed, one that was revoked says so; a supplier may not operate', async () => {
  const home = mkdtempSync(join(tmpdir(), 'gangway-cli-'));
  const here = { XDG_CONFIG_HOME: home, DATA_DIR: home };
  expect(await runCommand(['login', '--url', service.url], here)).toMatchObject({
    status: 2,
    stderr: expect.stringContaining('GANGWAY_API_KEY'),
  });
  expect(
    await runCommandHere(['login', '--url', service.url], { ...here, GANGWAY_API_KEY: shell.operatorKey }),
  ).toMatchObject({ status: 0 });
  expect(
    await runCommand(['login', '--url', service.url, '--key-file', '-'], here, `${shell.operatorKey}\n`),
  ).toMatchObject({ status: 0 });
  const file = join(home, 'gangway/session.json');
  const first = JSON.parse(readFileSync(file, 'utf8'));
  writeFileSync(file, JSON.stringify({ ...first, expires_at: 0 }));
  expect(await runCommandHere(['limit', 'show'], here)).toMatchObject({ status: 0 });
  expect(JSON.parse(readFileSync(file, 'utf8')).token).not.toBe(first.token);
  writeFileSync(file, JSON.stringify({ ...first, expires_at: 0 }));
  expect(await runCommandHere(['limit', 'show'], here)).toMatchObject({
    status: 1,
    stderr: expect.stringContaining('npm run cli -- login'),
  });
  const made = await shell.json(
    'key',
    'create',
    '--role',
    'supplier',
    '--organisation',
    'Acme',
    '--name',
    'x',
    '--supplier',
    'SUPPLIER_FR',
  );
  await runCommand(['login', '--url', service.url], here, made.api_key);
  expect(await runCommandHere(['limit', 'show'], here)).toMatchObject({
    status: 1,
    stderr: expect.stringContaining('operator key'),
  });
  await shell.json('key', 'revoke', made.id);
  await new Promise((resolve) => {
    setTimeout(resolve, 1_100);
  });
  expect(await runCommandHere(['limit', 'show'], here)).toMatchObject({
    status: 1,
    stderr: expect.stringContaining('Log in again'),
  });
  rmSync(home, { recursive: true });
});

test('two commands that renew one session at once both go on; after a logout its tokens are worth nothing', async () => {
  const home = mkdtempSync(join(tmpdir(), 'gangway-cli-'));
  const here = { XDG_CONFIG_HOME: home, DATA_DIR: home };
  expect(
    await runCommandHere(['login', '--url', service.url], { ...here, GANGWAY_API_KEY: shell.operatorKey }),
  ).toMatchObject({ status: 0 });
  const file = join(home, 'gangway/session.json');
  writeFileSync(file, JSON.stringify({ ...JSON.parse(readFileSync(file, 'utf8')), expires_at: 0 }));
  const ran = await Promise.all(
    [
      ['limit', 'show'],
      ['supplier', 'list'],
      ['team', 'list'],
    ].map((args) => runCommand(args, here)),
  );
  expect(ran.map(({ status }) => status)).toEqual([0, 0, 0]);
  const { token } = JSON.parse(readFileSync(file, 'utf8'));
  expect((await service.call('GET', '/v1/operations/import-suppliers/', { token })).status).toBe(200);
  expect(await runCommandHere(['logout', '--json'], here)).toMatchObject({
    status: 0,
    stdout: `${JSON.stringify({ url: service.url })}\n`,
  });
  await new Promise((resolve) => {
    setTimeout(resolve, 1_100);
  });
  expect((await service.call('GET', '/v1/operations/import-suppliers/', { token })).status).toBe(401);
  expect(await runCommandHere(['logout'], here)).toMatchObject({ status: 0, stdout: 'You are not logged in.\n' });
  rmSync(home, { recursive: true });
});

test('a setting that cannot be used is named where the command reads settings', async () => {
  const nobody = { XDG_CONFIG_HOME: join(shell.folder, 'nobody'), DATA_DIR: join(shell.folder, 'none') };
  expect(await runCommandHere(['supplier', 'list'], { ...nobody, HTTP_PORT: 'abc' })).toMatchObject({
    status: 1,
    stdout: '',
    stderr: expect.stringMatching(/^Setting HTTP_PORT=abc /),
  });
  const session = { ...shell.settings(), HTTP_PORT: 'abc' };
  expect(await runCommandHere(['supplier', 'list'], session)).toMatchObject({ status: 0, stderr: '' });
});
