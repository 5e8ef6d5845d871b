import type { Log } from '../platform/log.ts';
import type { Settings } from '../platform/settings.ts';
import type { SimulatedParty } from '../vendors/simulators.ts';
import type { PlatformPrograms } from './platform-child.ts';

/** Timeout for a child to become ready. */
export const READY_WITHIN_MS = 180_000;

export interface StartUpOptions {
  settings: Settings;
  log: Log;
  /** Folder of all data on this machine; one start per folder. */
  dataDir: string;
  /** Environment of this process; the children inherit it, overridden by the settings. */
  environment: NodeJS.ProcessEnv;
  /** True to print only the logs of the children on standard output. */
  quiet?: boolean;
  /** Cancels the start; started parts are stopped. */
  signal?: AbortSignal;
  programs?: PlatformPrograms;
  /** Outside parties that are simulated unless the settings name the real one. */
  parties?: readonly Pick<SimulatedParty, 'name' | 'address' | 'besides'>[];
}

/** The started parts, and how to stop them. */
export interface Starting extends StartUpOptions {
  programs: PlatformPrograms;
  /** In the order of the start; stopped in reverse order. */
  stops: { name: string; stop: () => Promise<void> }[];
  say: (sentence: string) => void;
}

/** 0 requests any free port, so the choice is not reported. */
export function sayOtherPort({ say }: Starting, who: string, wanted: number, port: number): void {
  if (wanted !== 0 && wanted !== port) say(`${who} listens on port ${port}; ${wanted} could not be had.`);
}

export function reachableHost(host: string): string {
  if (host === '0.0.0.0') return '127.0.0.1';
  if (host === '::') return '[::1]';
  return host.includes(':') ? `[${host}]` : host;
}

/** All settings are passed on, because the caller may have changed them. */
export function childEnvironment({ environment: inherited, dataDir }: Starting, settings: Settings): NodeJS.ProcessEnv {
  const given = Object.entries({ ...settings, DATA_DIR: dataDir }).filter(([, value]) => value !== undefined);
  const { MIGRATE_DATABASE_URL: _ownersOnly, MIGRATE_DATABASE_URL_FILE: _inFile, ...environment } = inherited;
  return { ...environment, ...Object.fromEntries(given.map(([name, value]) => [name, String(value)])) };
}
