import { readFile, stat } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { createSecureContext } from 'node:tls';
import type { Log } from './log.ts';
import type { Secrets } from './secrets/secrets.ts';
import { readSigningKeys } from './signing-keys.ts';
import { faultsOfSettings, type SecretName, type Settings } from './settings.ts';

/** Secrets that are read only at startup (docs/running/secrets.md describes how to change them). */
const READ_AT_START: ReadonlySet<SecretName> = new Set<SecretName>([
  'MIGRATE_DATABASE_URL',
  'GANGWAY_API_KEY',
  'TEMPORAL_TLS_CA',
  'TEMPORAL_TLS_CERTIFICATE',
  'TEMPORAL_TLS_KEY',
  'TEMPORAL_PAYLOAD_KEY',
]);

/** Secrets that belong together and change together. */
const GROUPS: readonly (readonly SecretName[])[] = [
  ['ENEDIS_SGE_CERTIFICATE', 'ENEDIS_SGE_KEY'],
  ['DOCUMENT_STORE_ACCESS_KEY_ID', 'DOCUMENT_STORE_SECRET_ACCESS_KEY'],
];

const READ_EVERY_MS = 2_000;
/** After this time without a result from the file system, the last value stays in use. */
const READ_DEADLINE_MS = 1_000;
/** Larger than any secret, but a wrong file may be mounted. */
const FILE_BYTES_MAX = 65_536;

export interface FollowOptions {
  settings: Settings;
  /** Path of each secret that was given as a file. */
  files: ReadonlyMap<SecretName, string>;
  log: Log;
  everyMs?: number;
}

/**
 * Follows the files of secrets. They are read every two seconds, and when a party rejects a secret. If a file cannot be read or does not
 * contain a valid secret, the current secret stays in use and the failure is logged.
 */
export function followSecrets({ settings, files, log, everyMs = READ_EVERY_MS }: FollowOptions): Secrets {
  const followed = [...files].filter(([name]) => !READ_AT_START.has(name));
  const listeners: (() => void)[] = [];
  let current = settings;
  let reported: string[] = [];
  let reading: Promise<void> | undefined;

  const readFiles = async (): Promise<void> => {
    const read = new Map(
      await Promise.all(followed.map(async ([name, path]) => [name, await secretIn(path)] as const)),
    );
    const faults: string[] = [];
    const accepted: SecretName[] = [];
    for (const group of groupsOf(followed.map(([name]) => name))) {
      const changed = group.filter((name) => read.get(name)?.secret !== current[name]);
      if (changed.length === 0) continue;
      const next = { ...current, ...Object.fromEntries(group.map((name) => [name, read.get(name)?.secret])) };
      const unfit = group.flatMap((name) => read.get(name)?.fault ?? []);
      const found = unfit.length > 0 ? unfit : faultsOf(next, changed);
      faults.push(...found);
      if (found.length > 0) continue;
      current = next;
      accepted.push(...changed);
    }
    for (const fault of faults.filter((one) => !reported.includes(one))) {
      log.error({ fault }, 'a new secret cannot be used; the one before stays in use');
    }
    reported = faults;
    if (accepted.length === 0) return;
    log.info({ settings: accepted }, 'secrets were read anew');
    for (const listener of listeners) listener();
  };
  const readOnce = (): Promise<void> =>
    (reading ??= readFiles().finally(() => {
      reading = undefined;
    }));
  const timer = followed.length === 0 ? undefined : setInterval(() => void readOnce(), everyMs).unref();
  const names = new Set(followed.map(([name]) => name));
  return {
    of: (name) => ({
      value: () => current[name],
      readAgain: async () => {
        if (names.has(name)) await Promise.race([readOnce(), sleep(READ_DEADLINE_MS, undefined, { ref: false })]);
      },
    }),
    onChange: (listener) => {
      listeners.push(listener);
    },
    close: () => clearInterval(timer),
  };
}

function groupsOf(names: readonly SecretName[]): SecretName[][] {
  const grouped = new Set(GROUPS.flat());
  return [
    ...GROUPS.map((group) => group.filter((name) => names.includes(name))),
    ...names.filter((name) => !grouped.has(name)).map((name) => [name]),
  ];
}

/** Returns the secret in a file, or why it cannot be used. The messages never contain file content. */
async function secretIn(path: string): Promise<{ secret: string | undefined; fault?: string }> {
  try {
    const { size } = await stat(path);
    if (size > FILE_BYTES_MAX) return { secret: undefined, fault: `${path} is larger than any secret.` };
    const secret = (await readFile(path, 'utf8')).trim();
    return secret === '' ? { secret: undefined, fault: `${path} is empty.` } : { secret };
  } catch (error) {
    return { secret: undefined, fault: `${path} cannot be read (${(error as NodeJS.ErrnoException).code}).` };
  }
}

/** Stricter than at startup, because a working secret is in use and can be kept. */
function faultsOf(settings: Settings, changed: readonly SecretName[]): string[] {
  const faults = faultsOfSettings(settings);
  if (changed.some((name) => name.startsWith('ENEDIS_SGE_')) && !isPair(settings)) {
    faults.push('Settings ENEDIS_SGE_CERTIFICATE, ENEDIS_SGE_KEY and ENEDIS_SGE_CA are no PEM that fits together.');
  }
  if (changed.includes('RECONCILIATION_KEY') && readSigningKeys(settings.RECONCILIATION_KEY ?? '') === undefined) {
    faults.push(
      'Setting RECONCILIATION_KEY must be a private Ed25519 key in PEM format, optionally followed by further Ed25519 keys.',
    );
  }
  return faults;
}

function isPair({ ENEDIS_SGE_CERTIFICATE: cert, ENEDIS_SGE_KEY: key, ENEDIS_SGE_CA: ca }: Settings): boolean {
  try {
    createSecureContext({ cert, key, ca });
    return true;
  } catch {
    return false;
  }
}
