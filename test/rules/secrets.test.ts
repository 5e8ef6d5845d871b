import { generateKeyPairSync } from 'node:crypto';
import { mkdirSync, mkdtempSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from '@jest/globals';
import { pino } from 'pino';
import { followSecrets } from '../../src/platform/follow-secrets.ts';
import type { Secrets } from '../../src/platform/secrets/secrets.ts';
import { readSettings, secretFiles, type SecretName } from '../../src/platform/settings.ts';

const root = mkdtempSync(join(tmpdir(), 'gangway-secrets-'));
afterAll(() => {
  rmSync(root, { recursive: true });
});

const FOR_EVER_MS = 3_600_000;
let folders = 0;

/** Secrets in files, and the log entries about them. */
function follow(first: Partial<Record<SecretName, string>>) {
  folders += 1;
  const folder = join(root, String(folders));
  mkdirSync(folder);
  const write = (name: string, text: string) => writeFileSync(join(folder, name), text);
  for (const [name, text] of Object.entries(first)) write(name, text);
  const source = Object.fromEntries(Object.keys(first).map((name) => [`${name}_FILE`, join(folder, name)]));
  const faults: string[] = [];
  const log = pino({ level: 'error' }, { write: (line: string) => faults.push(JSON.parse(line).fault as string) });
  const files = secretFiles(source);
  const secrets = followSecrets({ settings: readSettings(source), files, log, everyMs: FOR_EVER_MS });
  return { secrets, write, faults, folder };
}
const readAgain = async (secrets: Secrets, name: SecretName) => {
  await secrets.of(name).readAgain();
  return secrets.of(name).value();
};
const pem = (type: 'ed25519' | 'x25519') =>
  (type === 'ed25519' ? generateKeyPairSync('ed25519') : generateKeyPairSync('x25519')).privateKey
    .export({ type: 'pkcs8', format: 'pem' })
    .toString();

test('reads a changed file, and notifies subscribers', async () => {
  const { secrets, write } = follow({ STRIPE_SECRET_KEY: 'one\n' });
  let changes = 0;
  secrets.onChange(() => (changes += 1));
  expect(await readAgain(secrets, 'STRIPE_SECRET_KEY')).toBe('one');
  write('STRIPE_SECRET_KEY', 'two\n');
  expect(secrets.of('STRIPE_SECRET_KEY').value()).toBe('one');
  expect(await readAgain(secrets, 'STRIPE_SECRET_KEY')).toBe('two');
  expect(changes).toBe(1);
  expect(secrets.of('ADYEN_API_KEY').value()).toBeUndefined();
});

test('follows a folder behind a link that is swapped, as in Kubernetes', async () => {
  const { secrets, folder } = follow({ STRIPE_SECRET_KEY: 'unused' });
  secrets.close();
  for (const version of ['one', 'two']) {
    mkdirSync(join(folder, version));
    writeFileSync(join(folder, version, 'key'), version);
  }
  symlinkSync('one', join(folder, '..data'));
  symlinkSync(join('..data', 'key'), join(folder, 'key'));
  const source = { STRIPE_SECRET_KEY_FILE: join(folder, 'key') };
  const log = pino({ level: 'silent' });
  const linked = followSecrets({ settings: readSettings(source), files: secretFiles(source), log });
  symlinkSync('two', join(folder, '..new'));
  renameSync(join(folder, '..new'), join(folder, '..data'));
  expect(await readAgain(linked, 'STRIPE_SECRET_KEY')).toBe('two');
  linked.close();
});

test.each<[string, SecretName, string, string, RegExp]>([
  ['an empty file', 'STRIPE_SECRET_KEY', 'one', ' \n', /is empty/],
  ['a file without end', 'STRIPE_SECRET_KEY', 'one', 'x'.repeat(70_000), /larger than any secret/],
  ['no address', 'DATABASE_URL', 'postgresql://a:b@h/d', 'postgresql://a:hidden@h', /not a URL with the name/],
  ['an option that is not known', 'DATABASE_URL', 'postgresql://a:b@h/d', 'postgresql://a:hidden@h/d?x=1', /option x/],
  ['no key', 'RECONCILIATION_KEY', pem('ed25519'), 'hidden', /must be a private Ed25519 key/],
  ['a key of another kind', 'RECONCILIATION_KEY', pem('ed25519'), pem('x25519'), /must be a private Ed25519 key/],
])('keeps the secret and logs the reason once when %s', async (_name, name, first, next, why) => {
  const { secrets, write, faults } = follow({ [name]: first });
  write(name, next);
  expect(await readAgain(secrets, name)).toBe(first.trim());
  await readAgain(secrets, name);
  expect(faults).toEqual([expect.stringMatching(why)]);
  expect(faults.join()).not.toContain('hidden');
  write(name, first);
  await readAgain(secrets, name);
  write(name, next);
  await readAgain(secrets, name);
  expect(faults).toHaveLength(2);
});

test('keeps the secret when its file is gone, and still updates the others', async () => {
  const { secrets, write, faults, folder } = follow({ STRIPE_SECRET_KEY: 'one', ADYEN_API_KEY: 'one' });
  rmSync(join(folder, 'STRIPE_SECRET_KEY'));
  write('ADYEN_API_KEY', 'two');
  expect(await readAgain(secrets, 'STRIPE_SECRET_KEY')).toBe('one');
  expect(secrets.of('ADYEN_API_KEY').value()).toBe('two');
  expect(faults).toEqual([expect.stringMatching(/STRIPE_SECRET_KEY cannot be read \(ENOENT\)/)]);
});

test('reads two secrets that belong together at once', async () => {
  const { secrets, write } = follow({ DOCUMENT_STORE_ACCESS_KEY_ID: 'a', DOCUMENT_STORE_SECRET_ACCESS_KEY: 'a' });
  write('DOCUMENT_STORE_ACCESS_KEY_ID', 'b');
  write('DOCUMENT_STORE_SECRET_ACCESS_KEY', '');
  expect(await readAgain(secrets, 'DOCUMENT_STORE_ACCESS_KEY_ID')).toBe('a');
  write('DOCUMENT_STORE_SECRET_ACCESS_KEY', 'b');
  expect(await readAgain(secrets, 'DOCUMENT_STORE_ACCESS_KEY_ID')).toBe('b');
  expect(secrets.of('DOCUMENT_STORE_SECRET_ACCESS_KEY').value()).toBe('b');
});

test('keeps secrets that are read at start, and reads no file for values that are given directly', async () => {
  const { secrets, write } = follow({ TEMPORAL_PAYLOAD_KEY: Buffer.alloc(32).toString('base64') });
  write('TEMPORAL_PAYLOAD_KEY', Buffer.alloc(32, 1).toString('base64'));
  expect(await readAgain(secrets, 'TEMPORAL_PAYLOAD_KEY')).toBe(Buffer.alloc(32).toString('base64'));
  expect(secretFiles({ ADYEN_API_KEY: 'x', ADYEN_API_KEY_FILE: '/y', STRIPE_SECRET_KEY_FILE: '' })).toEqual(new Map());
});
