import type { Log } from '../platform/log.ts';
import type { Settings } from '../platform/settings.ts';
import type { SimulatedParty } from '../vendors/simulators.ts';
import type { PlatformPrograms } from './platform-child.ts';

/** Longest that a child may take until it is ready. */
export const READY_WITHIN_MS = 180_000;

export interface StartUpOptions {
  settings: Settings;
  log: Log;
  /** Folder of everything that is kept on this machine; one start per folder. */
  dataDir: string;
  /** Environment of this process; the children get it, with the settings on top. */
  environment: NodeJS.ProcessEnv;
  /** True to print nothing on standard output but what the children log. */
  quiet?: boolean;
  /** Gives up starting; everything started so far is stopped. */
  signal?: AbortSignal;
  programs?: PlatformPrograms;
  /** Outside parties that are simulated where the settings do not name the real one. */
  parties?: readonly Pick<SimulatedParty, 'name' | 'address' | 'besides'>[];
}

/** What a start has set up so far, and how it is taken down again. */
export interface Starting extends StartUpOptions {
  programs: PlatformPrograms;
  /** In the order of the start; taken down from the end. */
  stops: { name: string; stop: () => Promise<void> }[];
  say: (sentence: string) => void;
}

/** 0 asks for any free port, so getting one is no news. */
export function sayOtherPort({ say }: Starting, who: string, wanted: number, port: number): void {
  if (wanted !== 0 && wanted !== port) say(`${who} listens on port ${port}; ${wanted} could not be had.`);
}

export function reachableHost(host: string): string {
  if (host === '0.0.0.0') return '127.0.0.1';
  if (host === '::') return '[::1]';
  return host.includes(':') ? `[${host}]` : host;
}

/** The settings are passed on whole: who started us may have changed them. */
export function childEnvironment({ environment: inherited, dataDir }: Starting, settings: Settings): NodeJS.ProcessEnv {
  const given = Object.entries({ ...settings, DATA_DIR: dataDir }).filter(([, value]) => value !== undefined);
  const { MIGRATE_DATABASE_URL: _ownersOnly, MIGRATE_DATABASE_URL_FILE: _inFile, ...environment } = inherited;
  return { ...environment, ...Object.fromEntries(given.map(([name, value]) => [name, String(value)])) };
}
