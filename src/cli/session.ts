import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { readSettings } from '../platform/settings.ts';

/** What `login` keeps: no key, only tokens that end by themselves. */
export interface Session {
  url: string;
  token: string;
  refresh_token: string;
  /** Unix time at which the token ends. */
  expires_at: number;
}

/** A service that `npm start` runs on this machine. */
export interface LocalService {
  url: string;
  operatorKey: string;
}

const FOLDER_MODE = 0o700;
const FILE_MODE = 0o600;

/** Where the session is kept: XDG_CONFIG_HOME/gangway/session.json, normally below ~/.config. */
export function sessionFile(): string {
  const { XDG_CONFIG_HOME: folder } = readSettings();
  return join(folder ?? join(homedir(), '.config'), 'gangway', 'session.json');
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

/** Keeps a session, to be read by this user only. Written aside and renamed, so that no other command reads half of it. */
export function writeSession(session: Session): void {
  const file = sessionFile();
  mkdirSync(dirname(file), { recursive: true, mode: FOLDER_MODE });
  const unfinished = `${file}.${process.pid}`;
  writeFileSync(unfinished, `${JSON.stringify(session, null, 2)}\n`, { mode: FILE_MODE });
  renameSync(unfinished, file);
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
