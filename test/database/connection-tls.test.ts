import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from '@jest/globals';
import pg from 'pg';
import { readDatabaseUrl } from '../../src/platform/database/connection-options.ts';
import { openDatabase } from '../../src/platform/database/database.ts';
import { entities } from '../../src/processes/entities.ts';
import { migrate } from '../../src/platform/database/migrate.ts';
import { sqlFiles } from '../../src/processes/sql-files.ts';
import { startEmbeddedPostgres } from '../../src/local-stack/embedded-postgres.ts';
import { createLog } from '../../src/platform/log.ts';
import { removeDataFolder } from '../support/remove-data-folder.ts';
import { makeAuthority, makeCertificate } from '../support/certificates.ts';
import { reservePort } from '../support/test-port.ts';

// Two real servers: one without TLS, and the same one with a certificate for `localhost`.
const log = createLog({ level: 'silent', process: 'tests' });
const folder: string = mkdtempSync(join(tmpdir(), 'gangway-tls-'));
const server = await startEmbeddedPostgres({
  dataDir: join(folder, 'data'),
  port: await reservePort(),
  log,
  fsync: false,
  databases: ['tls'],
});
afterAll(async () => {
  await server.stop();
  await removeDataFolder(join(folder, 'data'));
  rmSync(folder, { recursive: true });
});

const address = (options: string, host = 'localhost') => `${server.urlOf('tls').replace('127.0.0.1', host)}${options}`;

/** Whether the session is encrypted, as the server reports it; or why the connection failed. */
async function connected(url: string): Promise<string> {
  const database = await openDatabase({ url, entities, poolSize: 1, log, applicationName: 'tls' });
  try {
    const { rows } = await database.pool.query<{ ssl: boolean; client_dn: string | null }>(
      'select ssl, client_dn from pg_stat_ssl where pid = pg_backend_pid()',
    );
    return `${rows[0]?.ssl ? 'tls' : 'plain'}${rows[0]?.client_dn ?? ''}`;
  } catch (error) {
    return `refused: ${(error as Error).message}`;
  } finally {
    await database.close();
  }
}

test('rejects a server without TLS in every mode that requires TLS', async () => {
  expect(await connected(address(''))).toBe('plain');
  expect(await connected(address('?sslmode=disable'))).toBe('plain');
  for (const options of ['?sslmode=require', '?sslmode=verify-full', '?sslmode=verify-full&sslrootcert=system']) {
    expect(await connected(address(options))).toBe('refused: The server does not support SSL connections');
  }
});

test('checks a server with TLS in each mode as libpq does', async () => {
  const certificate = makeCertificates();
  await turnTlsOn();
  const [ours, other] = [join(folder, 'ca.pem'), join(folder, 'other.pem')];
  expect(await connected(address(''))).toBe('plain');
  expect(await connected(address('?sslmode=require'))).toBe('tls');
  // Only verify-full checks the name; verify-ca also checks the chain, and so does require if an authority is given.
  expect(await connected(address(`?sslmode=verify-full&sslrootcert=${ours}`))).toBe('tls');
  expect(await connected(address(`?sslmode=verify-ca&sslrootcert=${ours}`, '127.0.0.1'))).toBe('tls');
  expect(await connected(address(`?sslmode=require&sslrootcert=${ours}`, '127.0.0.1'))).toBe('tls');
  expect(await connected(address(`?sslmode=verify-full&sslrootcert=${ours}`, '127.0.0.1'))).toContain(
    "IP: 127.0.0.1 is not in the cert's list",
  );
  for (const mode of ['require', 'verify-ca', 'verify-full']) {
    expect(await connected(address(`?sslmode=${mode}&sslrootcert=${other}`))).toMatch(
      /^refused: .*(?:self-signed|unable to)/,
    );
  }
  expect(await connected(address('?sslmode=verify-full'))).toMatch(/^refused: .*(?:self-signed|unable to)/);
  expect(
    await connected(
      address(`?sslmode=verify-full&sslrootcert=${ours}&sslcert=${certificate.cert}&sslkey=${certificate.key}`),
    ),
  ).toBe('tls/CN=gangway');
  // Migrations connect in the same way.
  expect((await migrate(address(`?sslmode=verify-full&sslrootcert=${ours}`), sqlFiles)).length).toBeGreaterThan(0);
  await expect(migrate(address(`?sslmode=verify-full&sslrootcert=${other}`), [])).rejects.toThrow(
    /self-signed|unable to/,
  );
});

test('accepts the folder of a socket as host, in both spellings of libpq', () => {
  for (const url of ['postgresql:///x?host=/run/postgresql', 'postgresql://%2Frun%2Fpostgresql/x']) {
    expect(readDatabaseUrl(url)).toEqual({ url: 'postgresql://%2Frun%2Fpostgresql/x', ssl: undefined });
  }
});

test.each([
  [
    '?sslmode=prefer',
    'its sslmode=prefer is not supported, because it continues without TLS where the server offers none; use disable, require, verify-ca, verify-full',
  ],
  ['?sslmode=allow', 'its sslmode=allow is not supported, because'],
  ['?sslmode=verify_full', 'its sslmode=verify_full is not supported; use'],
  ['?sslmode=verify-ca', 'its sslmode=verify-ca needs sslrootcert'],
  ['?ssl=true', 'its option ssl is not supported; leave it out'],
  ['?sslrootcert=/ca.pem', 'it names files of TLS, but no sslmode that uses them'],
  ['?sslmode=require&sslcert=/a.pem', 'sslcert and sslkey go together'],
  ['?sslmode=verify-full&sslrootcert=/nowhere.pem', 'its sslrootcert=/nowhere.pem cannot be read (ENOENT)'],
])('rejects %s', (options, message) => {
  expect(() => readDatabaseUrl(`postgresql://a:hidden@db.example/x${options}`)).toThrow(message);
  expect(() => readDatabaseUrl(`postgresql://a:hidden@db.example/x${options}`)).not.toThrow(/hidden/);
});

function makeCertificates(): { cert: string; key: string } {
  for (const name of ['ca', 'other']) makeAuthority(folder, name);
  makeCertificate(folder, 'server', { extension: 'subjectAltName=DNS:localhost', commonName: 'localhost' });
  makeCertificate(folder, 'client', { extension: 'basicConstraints=CA:FALSE', commonName: 'gangway' });
  return { cert: join(folder, 'client.pem'), key: join(folder, 'client.key') };
}

/** The server writes its files itself: it runs as another user, and requires a key that only that user can read. */
async function turnTlsOn(): Promise<void> {
  const admin = new pg.Client(server.urlOf('postgres'));
  await admin.connect();
  for (const [file, name] of [
    ['server.pem', 'server.crt'],
    ['server.key', 'server.key'],
    ['ca.pem', 'root.crt'],
  ] as const) {
    const lines = readFileSync(join(folder, file), 'utf8')
      .trim()
      .split('\n')
      .map((line) => `('${line}')`)
      .join(', ');
    await admin.query(`copy (select * from (values ${lines}) line) to program 'umask 077; cat > ${name}'`);
  }
  for (const setting of ["ssl_ca_file = 'root.crt'", 'ssl = on']) await admin.query(`alter system set ${setting}`);
  await admin.query('select pg_reload_conf()');
  await admin.end();
}
