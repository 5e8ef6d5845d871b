import type { Log } from '../platform/log.ts';
import type { Settings } from '../platform/settings.ts';
import type { SimulatedParty } from '../vendors/simulators.ts';
import type { PlatformPrograms } from './platform-child.ts';

/** Timeout for a child to become ready. */
export const READY_WITHIN_MS = 180_000;

export interface StartUpOptions {
  settings: Settings;
  log: Log;
  /** Folder of all data on this machine; used by one process at a time. */
  dataDir: string;
  /** Environment of this process; the children inherit it, overridden by the settings. */
  environment: NodeJS.ProcessEnv;
  /** Whether only the logs of the children are printed on standard output. */
  quiet?: boolean;
  /** Aborts the start; started parts are stopped. */
  signal?: AbortSignal;
  programs?: PlatformPrograms;
  /** Outside parties to simulate unless settings contain their address. */
  parties?: readonly Pick<SimulatedParty, 'name' | 'address' | 'alternative' | 'besides'>[];
}

/** State of a start, with the functions that stop the started parts. */
export interface Starting extends StartUpOptions {
  programs: PlatformPrograms;
  /** In the order of their start; stopped in reverse order. */
  stops: { name: string; stop: () => Promise<void> }[];
  print: (sentence: string) => void;
}

/** For 0 any free port is expected, so the choice is not reported. */
export function reportOtherPort({ print }: Starting, who: string, wanted: number, port: number): void {
  if (wanted !== 0 && wanted !== port) print(`${who} listens on port ${port}; ${wanted} could not be had.`);
}

export function reachableHost(host: string): string {
  if (host === '0.0.0.0') return '127.0.0.1';
  if (host === '::') return '[::1]';
  return host.includes(':') ? `[${host}]` : host;
}

/** Passes all settings on, because the caller may have changed them. */
export function childEnvironment({ environment: inherited, dataDir }: Starting, settings: Settings): NodeJS.ProcessEnv {
  const given = Object.entries({ ...settings, DATA_DIR: dataDir }).filter(([, value]) => value !== undefined);
  const { MIGRATE_DATABASE_URL: _ownersOnly, MIGRATE_DATABASE_URL_FILE: _inFile, ...environment } = inherited;
  return { ...environment, ...Object.fromEntries(given.map(([name, value]) => [name, String(value)])) };
}
