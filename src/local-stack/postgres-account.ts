import { execFile } from 'node:child_process';
import { stat } from 'node:fs/promises';
import { promisify } from 'node:util';
import type { Log } from '../platform/log.ts';

const run = promisify(execFile);
const accountName = 'postgres';

/** The user that the server runs as; undefined for the user of this process. */
export type PostgresAccount = { uid: number; gid: number } | undefined;

/**
 * Finds the user for Postgres. Only root needs another one, because Postgres refuses to run as root: the owner of the data if it exists,
 * otherwise the system user `postgres`, which is created if it is missing.
 * @param data folder of the cluster, which need not exist
 * @throws Error with a remedy if there is no such user and it cannot be created
 */
export async function findPostgresAccount(data: string, log: Log): Promise<PostgresAccount> {
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
export async function mayEnter(account: PostgresAccount, folder: string): Promise<boolean> {
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
