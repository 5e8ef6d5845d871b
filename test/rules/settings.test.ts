import { afterAll, expect, test } from '@jest/globals';
import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { simulatedParties } from '../../src/vendors/simulators.ts';
import { readSettings, SettingsError, settingsSchema } from '../../src/platform/settings.ts';

const URL_IN_FILE = 'postgresql://gangway:p%40ss@db:5432/gangway';
const SECRETS = [
  'DATABASE_URL',
  'DATABASE_LISTEN_URL',
  'MIGRATE_DATABASE_URL',
  'TEMPORAL_TLS_CA',
  'TEMPORAL_TLS_CERTIFICATE',
  'TEMPORAL_TLS_KEY',
  'TEMPORAL_API_KEY',
  'TEMPORAL_PAYLOAD_KEY',
  'DOCUMENT_STORE_ACCESS_KEY_ID',
  'DOCUMENT_STORE_SECRET_ACCESS_KEY',
  'GANGWAY_API_KEY',
  'GOCARDLESS_ACCESS_TOKEN',
  'STRIPE_SECRET_KEY',
  'SLIMPAY_CLIENT_SECRET',
  'ADYEN_API_KEY',
  'INDUSTRY_SWITCH_CREDENTIAL',
  'ENEDIS_SGE_CERTIFICATE',
  'ENEDIS_SGE_KEY',
  'ENEDIS_SGE_CA',
  'ENEDIS_DATA_CONNECT_CLIENT_SECRET',
  'GRDF_CLIENT_SECRET',
  'OIDC_CLIENT_SECRET',
  'OTEL_EXPORTER_OTLP_HEADERS',
  'RECONCILIATION_KEY',
  'FIELD_HASH_KEY',
] as const;

const folder: string = mkdtempSync(join(tmpdir(), 'gangway-secrets-'));
afterAll(() => rmSync(folder, { recursive: true }));

function fileHolding(text: string): string {
  const path = join(folder, `secret-${Math.random().toString(36).slice(2)}`);
  writeFileSync(path, text);
  return path;
}

/** The complaint of a reading; undefined if valid. */
function complaint(source: Record<string, string>): string | undefined {
  try {
    readSettings(source);
    return undefined;
  } catch (error) {
    expect(error).toBeInstanceOf(SettingsError);
    return (error as Error).message;
  }
}

/** A valid value of the secret, and the settings that it requires. */
function usable(name: string): { value: string; beside: Record<string, string> } {
  const key = randomBytes(32).toString('base64');
  if (name === 'TEMPORAL_PAYLOAD_KEY' || name === 'FIELD_HASH_KEY') return { value: key, beside: {} };
  const others = { TEMPORAL_TLS: 'true', TEMPORAL_TLS_CERTIFICATE: 'x', TEMPORAL_TLS_KEY: 'x' };
  if (name === 'MIGRATE_DATABASE_URL') return { value: URL_IN_FILE, beside: { DATABASE_URL: URL_IN_FILE } };
  return {
    value: URL_IN_FILE,
    beside: name.startsWith('TEMPORAL_TLS')
      ? Object.fromEntries(Object.entries(others).filter(([other]) => other !== name))
      : {},
  };
}

test.each(SECRETS)('accepts %s from a file, and says so in its description', (name) => {
  const { value, beside: others } = usable(name);
  expect(readSettings({ ...others, [`${name}_FILE`]: fileHolding(value) })[name]).toBe(value);
  expect(settingsSchema.properties[name]).toMatchObject({ description: expect.stringContaining(`${name}_FILE`) });
});

test('reads each setting whose description names a file from one', () => {
  const documented = Object.entries(settingsSchema.properties).filter(([name, about]) =>
    (about as unknown as { description: string }).description.includes(`${name}_FILE`),
  );
  expect(documented.map(([name]) => name).toSorted()).toEqual([...SECRETS].toSorted());
});

test('strips the line end of a file from the secret', () => {
  expect(readSettings({ DATABASE_URL_FILE: fileHolding(`${URL_IN_FILE}\r\n`) }).DATABASE_URL).toBe(URL_IN_FILE);
});

test('prefers a secret that is given directly to its file, which is not opened', () => {
  expect(readSettings({ DATABASE_URL: URL_IN_FILE, DATABASE_URL_FILE: join(folder, 'missing') }).DATABASE_URL).toBe(
    URL_IN_FILE,
  );
});

test('treats an empty value as absent, and reads the file', () => {
  expect(readSettings({ DATABASE_URL: '', DATABASE_URL_FILE: fileHolding(URL_IN_FILE) }).DATABASE_URL).toBe(
    URL_IN_FILE,
  );
  expect(readSettings({ DATABASE_URL_FILE: '' }).DATABASE_URL).toBeUndefined();
});

test('names a file that is missing, or a folder, with the reason', () => {
  expect(complaint({ DATABASE_URL_FILE: join(folder, 'missing') })).toBe(
    `Setting DATABASE_URL_FILE=${join(folder, 'missing')}: the file cannot be read (ENOENT).`,
  );
  expect(complaint({ DATABASE_URL_FILE: folder })).toContain('(EISDIR)');
});

test('rejects an empty file, instead of treating the setting as absent', () => {
  expect(complaint({ GANGWAY_API_KEY_FILE: fileHolding(' \n') })).toMatch(
    /^Setting GANGWAY_API_KEY_FILE=.*the file is empty\. It must contain the value of GANGWAY_API_KEY\.$/,
  );
});

test('offers no file for settings that are not secret', () => {
  expect(readSettings({ TEMPORAL_NAMESPACE_FILE: fileHolding('elsewhere') }).TEMPORAL_NAMESPACE).toBe('default');
});

test.each([
  'notaurl',
  'postgresql://gangway:s3cret@db:5432',
  'postgresql://gangway:s3cret@db:5432/',
  'host=db password=s3cret',
])('rejects the database address %p without repeating it', (url) => {
  const complaintText = complaint({ DATABASE_URL: url });
  expect(complaintText).toMatch(
    /^Setting DATABASE_URL is not a URL with the name of a database\. Postgres to use .* Example: DATABASE_URL=postgresql:/,
  );
  expect(complaintText).not.toMatch(/s3cret|notaurl/);
  expect(complaint({ DATABASE_URL_FILE: fileHolding(url) })).toBe(complaintText);
});

test('accepts a database behind a socket', () => {
  for (const url of ['postgresql:///gangway?host=/run/postgresql', 'postgres://gangway@%2Frun%2Fpostgresql/gangway']) {
    expect(complaint({ DATABASE_URL: url })).toBeUndefined();
  }
});

test('rejects an invalid setting with its name, its meaning and an example', () => {
  expect(complaint({ HTTP_PORT: '70000' })).toMatch(
    /^Setting HTTP_PORT=70000 .*Port of the API.*Example: HTTP_PORT=8080$/,
  );
});

test.each([
  [
    { WORKFLOW_BUNDLE: '/nowhere/b.js' },
    'Setting WORKFLOW_BUNDLE=/nowhere/b.js: the file does not exist. Create it with: node',
  ],
  [{ TEMPORAL_TLS_CA: 'x' }, 'Setting TEMPORAL_TLS_CA is for TLS, which is off. Set TEMPORAL_TLS=true'],
  [{ TEMPORAL_TLS: 'true', TEMPORAL_TLS_KEY: 'x' }, 'TEMPORAL_TLS_CERTIFICATE and TEMPORAL_TLS_KEY belong together'],
  [
    { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://collector.example:4318', OTEL_EXPORTER_OTLP_HEADERS: 'a=b' },
    'Setting OTEL_EXPORTER_OTLP_HEADERS would be sent unencrypted',
  ],
  [
    { TEMPORAL_ADDRESS: 'temporal.example:7233', TEMPORAL_API_KEY: 'x' },
    'Setting TEMPORAL_API_KEY would be sent unencrypted',
  ],
  [{ TEMPORAL_PAYLOAD_KEY: 'tooshort' }, 'Setting TEMPORAL_PAYLOAD_KEY must be 32 random bytes in base64'],
  [
    { TEMPORAL_PAYLOAD_KEY: `${randomBytes(32).toString('base64')} tooshort` },
    'Setting TEMPORAL_PAYLOAD_KEY must be 32 random bytes in base64',
  ],
  [
    { DATABASE_URL: 'postgresql://a:hidden@db.example/x?sslmode=prefer' },
    'Setting DATABASE_URL cannot be used: its sslmode=prefer is not supported',
  ],
  [{ STRIPE_URL: 'http://api.stripe.example' }, 'Setting STRIPE_URL=http://api.stripe.example would send credentials'],
  [
    { DOCUMENT_STORE_ENDPOINT: 'HTTP://store.example' },
    'Setting DOCUMENT_STORE_ENDPOINT=HTTP://store.example would send',
  ],
  [{ GRDF_URL: 'http://127.0.0.1.evil.example' }, 'Setting GRDF_URL=http://127.0.0.1.evil.example would send'],
] as const)('rejects the combination %j', (source, sentence) => {
  const complaintText = complaint(source);
  expect(complaintText).toContain(sentence);
  expect(complaintText).not.toContain('hidden');
});

test.each(simulatedParties.map(({ address }) => address))('%s requires TLS, or this machine', (address) => {
  expect(complaint({ [address]: 'http://party.example' })).toContain(
    `Setting ${address}=http://party.example would send credentials`,
  );
});

test.each(['http://localhost:9', 'http://127.9.9.9:9', 'http://[::1]:9', 'https://api.stripe.example'])(
  'accepts a vendor at %s',
  (STRIPE_URL) => {
    expect(complaint({ STRIPE_URL })).toBeUndefined();
  },
);

test.each([[{ JOB_PARTS_KEPT_DAYS: '0' }, 'Setting JOB_PARTS_KEPT_DAYS=0 must be >= 1']])(
  'limits the days of paused jobs: %j',
  (source, complaintText) => {
    expect(complaint(source)).toContain(complaintText);
  },
);

test('rejects two services of Enedis', () => {
  const [ENEDIS_SGE_URL, ENEDIS_DATA_CONNECT_URL] = ['https://sge.example', 'https://data-connect.example'];
  expect(complaint({ ENEDIS_SGE_URL, ENEDIS_DATA_CONNECT_URL })).toContain('exclude each other');
  expect(complaint({ ENEDIS_DATA_CONNECT_URL })).toBeUndefined();
});
