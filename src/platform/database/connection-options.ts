import { readFileSync } from 'node:fs';
import { checkServerIdentity, type ConnectionOptions as TlsOptions } from 'node:tls';

/** How to connect to Postgres: the address without its options, and the TLS settings from the options. */
export interface DatabaseConnection {
  /** Address without options, for the ORM. */
  url: string;
  /** Undefined for a connection without TLS. */
  ssl: TlsOptions | undefined;
}

/** The database address cannot be used. The message never contains the password. */
export class DatabaseUrlError extends Error {
  override name = 'DatabaseUrlError';
}

const MODES = ['disable', 'require', 'verify-ca', 'verify-full'] as const;
type Mode = (typeof MODES)[number];

/** Options that refer to TLS files. */
const FILES = ['sslrootcert', 'sslcert', 'sslkey'] as const;
/** As in libpq, `host` is a server or the folder of a socket. */
const KNOWN: ReadonlySet<string> = new Set(['host', 'sslmode', ...FILES]);
/** Value of `sslrootcert` for the certificates that Node trusts. */
const SYSTEM = 'system';

/**
 * Reads the options of a Postgres address as libpq does (docs/running/security.md): `sslmode` disable, require, verify-ca or verify-full,
 * `sslrootcert` (a PEM file, or `system`), `sslcert` and `sslkey`. Without `sslmode` there is no TLS. `allow` and `prefer` are rejected,
 * because they silently fall back to a connection without TLS. Unknown options are rejected too: ignoring them would give a connection
 * other than the requested one.
 * @throws DatabaseUrlError with the name of the option
 */
export function readDatabaseUrl(given: string): DatabaseConnection {
  const url = URL.parse(given);
  if (url === null) throw new DatabaseUrlError('it is no address');
  const options = new Map(url.searchParams);
  const mode = modeIn(options);
  const unknown = [...options.keys()].find((name) => !KNOWN.has(name));
  if (unknown !== undefined) {
    throw new DatabaseUrlError(
      `its option ${unknown} is not supported; leave it out (supported: ${[...KNOWN].join(', ')})`,
    );
  }
  if (mode === 'disable' && FILES.some((name) => options.has(name))) {
    throw new DatabaseUrlError('it names files of TLS, but no sslmode that uses them; add sslmode=verify-full');
  }
  const socketFolder = options.get('host');
  if (socketFolder !== undefined) url.hostname = encodeURIComponent(socketFolder);
  url.search = '';
  return {
    url: url.href,
    ssl: mode === 'disable' ? undefined : tlsOptions(mode, options, url.hostname.replace(/^\[|\]$/g, '')),
  };
}

/** Returns host and port of an address, for logs. */
export function hostIn(url: string): string {
  return decodeURIComponent(URL.parse(readDatabaseUrl(url).url)?.host ?? '');
}

function modeIn(options: ReadonlyMap<string, string>): Mode {
  const mode = options.get('sslmode') ?? 'disable';
  if (!MODES.includes(mode as never)) {
    const reason =
      mode === 'allow' || mode === 'prefer' ? ', because it continues without TLS where the server offers none' : '';
    throw new DatabaseUrlError(`its sslmode=${mode} is not supported${reason}; use ${MODES.join(', ')}`);
  }
  return mode as Mode;
}

function tlsOptions(mode: Exclude<Mode, 'disable'>, options: ReadonlyMap<string, string>, host: string): TlsOptions {
  const root = options.get('sslrootcert');
  if (mode === 'verify-ca' && root === undefined) {
    throw new DatabaseUrlError('its sslmode=verify-ca needs sslrootcert: the PEM file of the authority, or `system`');
  }
  if (options.has('sslcert') !== options.has('sslkey')) throw new DatabaseUrlError('sslcert and sslkey go together');
  const files: TlsOptions = {
    ...(root === undefined || root === SYSTEM ? {} : { ca: contentOf('sslrootcert', root) }),
    ...(options.has('sslcert')
      ? {
          cert: contentOf('sslcert', options.get('sslcert') as string),
          key: contentOf('sslkey', options.get('sslkey') as string),
        }
      : {}),
  };
  // As in libpq: `require` alone only encrypts, and verifies the certificate chain if an authority is given.
  if (mode === 'require' && root === undefined) return { ...files, rejectUnauthorized: false };
  // For an IP address the driver passes no server name to TLS, and Node would check the certificate for `localhost`.
  if (mode === 'verify-full') {
    return {
      ...files,
      rejectUnauthorized: true,
      checkServerIdentity: (_name, certificate) => checkServerIdentity(host, certificate),
    };
  }
  return { ...files, rejectUnauthorized: true, checkServerIdentity: () => undefined };
}

function contentOf(option: string, path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    throw new DatabaseUrlError(`its ${option}=${path} cannot be read (${(error as NodeJS.ErrnoException).code})`);
  }
}
