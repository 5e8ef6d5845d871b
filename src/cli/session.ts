import { closeSync, openSync, readFileSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { readSettings } from '../platform/settings.ts';
import { writePrivateJson } from './files.ts';
import { configFolder, readEnvironment } from './profiles.ts';

/** The state that `login` stores: no key, only tokens that expire. */
export interface Session {
  url: string;
  token: string;
  refresh_token: string;
  /** Unix time at which the token ends. */
  expires_at: number;
  /** The role of the key; missing in sessions of earlier versions. */
  role?: string;
  /** The id of the key; missing in sessions of earlier versions. */
  key_id?: string;
  /** The holder of the key; missing in sessions of earlier versions. */
  organisation?: string;
}

/** A service that `npm start` runs on this machine. */
export interface LocalService {
  url: string;
  operatorKey: string;
}

const FILE_MODE = 0o600;

/** Path of the session file: XDG_CONFIG_HOME/gangway/session.json, by default below ~/.config. */
export function sessionFile(): string {
  return join(configFolder(readEnvironment()), 'session.json');
}

/** The session of the last login, if there is one. */
export function readSession(): Session | undefined {
  const file = sessionFile();
  try {
    const session = JSON.parse(readFileSync(file, 'utf8')) as Partial<Session>;
    return typeof session.url === 'string' && typeof session.token === 'string' ? (session as Session) : undefined;
  } catch {
    return undefined;
  }
}

/** Stores a session, readable by this user only. */
export function writeSession(session: Session): void {
  writePrivateJson(sessionFile(), session);
}

const LOCK_PAUSE_MS = 50;
/** A command that was killed leaves its lock behind; no live command holds it for this long. */
const LOCK_STALE_MS = 60_000;

/** Runs work while no other command does: if two commands used one refresh token, the sessions of both would end. */
export async function withSessionLock<T>(work: () => Promise<T>): Promise<T> {
  const lock = `${sessionFile()}.lock`;
  while (!isLocked(lock)) await sleep(LOCK_PAUSE_MS);
  try {
    return await work();
  } finally {
    rmSync(lock, { force: true });
  }
}

function isLocked(lock: string): boolean {
  try {
    closeSync(openSync(lock, 'wx', FILE_MODE));
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    const since = statSync(lock, { throwIfNoEntry: false })?.mtimeMs ?? Date.now();
    if (Date.now() - since > LOCK_STALE_MS) rmSync(lock, { force: true });
    return false;
  }
}

/** Deletes the session of the last login. */
export function deleteSession(): void {
  rmSync(sessionFile(), { force: true });
}

/** The running `npm start` of DATA_DIR with its operator key, if there is one. */
export function findLocalService(): LocalService | undefined {
  const file = join(readSettings().DATA_DIR, 'up.json');
  try {
    const up = JSON.parse(readFileSync(file, 'utf8')) as { http?: unknown; operator_key_file?: unknown };
    if (typeof up.http !== 'string' || typeof up.operator_key_file !== 'string') return undefined;
    return { url: up.http, operatorKey: readFileSync(up.operator_key_file, 'utf8').trim() };
  } catch {
    return undefined;
  }
}
