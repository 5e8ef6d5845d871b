import { chmodSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { runCommandHere, runSupplierCommandHere } from '../support/command-here.ts';
import { startService, type Service } from '../support/harness.ts';
import { openOperatorShell, type OperatorShell } from '../support/operator-shell.ts';

let service: Service;
let shell: OperatorShell;
let folder: string;
let home: Record<string, string>;
let keyFile: string;
beforeAll(async () => {
  service = await startService();
  shell = await openOperatorShell(service);
  folder = mkdtempSync(join(tmpdir(), 'gangway-profiles-'));
  home = { XDG_CONFIG_HOME: folder, DATA_DIR: join(folder, 'none') };
  keyFile = join(folder, 'key');
  writeFileSync(keyFile, `${shell.operatorKey}\n`, { mode: 0o600 });
});
afterAll(async () => {
  rmSync(folder, { recursive: true });
  shell.remove();
  await service.stop();
});

const run = (args: string[], settings: Record<string, string> = {}) => runCommandHere(args, { ...home, ...settings });
const set = (name: string, url: string, file: string) =>
  run(['profile', 'set', name, '--url', url, '--key-file', file]);

test('a profile names address and key file, without the key, for commands of operators', async () => {
  expect(await set('here', service.url, keyFile)).toMatchObject({ status: 0, stderr: '' });
  const stored = join(folder, 'gangway/profiles.json');
  expect(statSync(stored).mode & 0o777).toBe(0o600);
  expect(readFileSync(stored, 'utf8')).not.toContain(shell.operatorKey);
  expect(await run(['profile', 'list', '--json'])).toMatchObject({
    status: 0,
    stdout: `${JSON.stringify([{ name: 'here', url: service.url, key_file: keyFile }])}\n`,
  });
  expect(await run(['limit', 'show', '--profile', 'here'])).toMatchObject({ status: 0, stdout: expect.any(String) });
  expect(await run(['limit', 'show'], { GANGWAY_PROFILE: 'here' })).toMatchObject({ status: 0 });
  expect(await run(['limit', 'show'])).toMatchObject({ status: 1, stderr: expect.stringContaining('not logged in') });
  const create = ['key', 'create', '--role', 'operator', '--organisation', 'Ops', '--name', 'by profile', '--json'];
  expect(await run([...create, '--profile', 'here'])).toMatchObject({ status: 0, stderr: '' });
});

test('suppliers use the same profiles; options are used instead of GANGWAY_PROFILE', async () => {
  const made = await shell.json(
    ...['key', 'create', '--role', 'supplier', '--organisation', 'Acme', '--name', 'x', '--supplier', 'SUPPLIER_FR'],
  );
  const supplierKey = join(folder, 'supplier-key');
  writeFileSync(supplierKey, made.api_key, { mode: 0o600 });
  const list = (args: string[], environment: Record<string, string>) =>
    runSupplierCommandHere(['jobs', 'list', '--json', ...args], { ...home, ...environment });
  await set('acme', service.url, supplierKey);
  expect(await list(['--profile', 'acme'], {})).toMatchObject({ status: 0, stdout: '[]\n' });
  const wrong = { GANGWAY_URL: 'http://127.0.0.1:9', GANGWAY_API_KEY: 'gwk_wrong' };
  expect(await list([], { ...wrong, GANGWAY_PROFILE: 'acme' })).toMatchObject({ status: 0 });
  const options = ['--url', service.url, '--key-file', supplierKey];
  expect(await list(options, { GANGWAY_PROFILE: 'none' })).toMatchObject({ status: 0 });
  expect(await list([...options, '--profile', 'acme'], {})).toMatchObject({
    status: 2,
    stderr: expect.stringContaining('Use --profile, or'),
  });
});

test('a key file that others can read is rejected, when it is named and when it is used', async () => {
  const open = join(folder, 'open-key');
  writeFileSync(open, shell.operatorKey);
  chmodSync(open, 0o644);
  expect(await set('open', service.url, open)).toMatchObject({
    status: 2,
    stderr: expect.stringContaining(`Run: chmod 600 ${open}`),
  });
  chmodSync(open, 0o600);
  await set('open', service.url, open);
  chmodSync(open, 0o640);
  expect(await run(['limit', 'show', '--profile', 'open'])).toMatchObject({
    status: 2,
    stdout: '',
    stderr: expect.stringContaining(`Run: chmod 600 ${open}`),
  });
});

test.each<[string, string[], string]>([
  ['an unknown profile', ['limit', 'show', '--profile', 'nowhere'], 'There is no profile "nowhere". Profiles: here'],
  ['removing an unknown profile', ['profile', 'remove', 'nowhere'], 'There is no profile "nowhere".'],
  [
    'an address that would show the key',
    ['profile', 'set', 'x', '--url', 'http://gangway.example', '--key-file', 'k'],
    'unencrypted',
  ],
  ['a name with a slash', ['profile', 'set', 'a/b', '--url', 'https://gangway.example', '--key-file', 'k'], 'letters'],
  [
    'a missing key file',
    ['profile', 'set', 'x', '--url', 'https://gangway.example', '--key-file', '/none'],
    '/none cannot be read (ENOENT)',
  ],
])('%s: exit status 2, and the message names the fault', async (_what, args, sentence) => {
  expect(await run(args)).toMatchObject({ status: 2, stdout: '', stderr: expect.stringContaining(sentence) });
});

test('a damaged file of profiles is named, and not replaced', async () => {
  const other = mkdtempSync(join(tmpdir(), 'gangway-profiles-'));
  await run(['profile', 'list'], { XDG_CONFIG_HOME: other });
  const file = join(other, 'gangway/profiles.json');
  await runCommandHere(['profile', 'set', 'here', '--url', service.url, '--key-file', keyFile], {
    ...home,
    XDG_CONFIG_HOME: other,
  });
  writeFileSync(file, '{"here": 1}');
  expect(await run(['profile', 'remove', 'here'], { XDG_CONFIG_HOME: other })).toMatchObject({
    status: 2,
    stderr: expect.stringContaining(`${file} is not valid`),
  });
  expect(readFileSync(file, 'utf8')).toBe('{"here": 1}');
  rmSync(other, { recursive: true });
});

test('a removed profile is gone; its key file stays', async () => {
  expect(await run(['profile', 'remove', 'here'])).toMatchObject({ status: 0, stdout: 'Removed here.\n' });
  expect(await run(['profile', 'list'])).toMatchObject({ stdout: expect.not.stringContaining('here ') });
  expect(readFileSync(keyFile, 'utf8')).toContain(shell.operatorKey);
});
