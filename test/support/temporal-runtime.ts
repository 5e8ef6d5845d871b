import type { Log } from '../../src/platform/log.ts';
import { installTemporalRuntime } from '../../src/platform/temporal/run-worker.ts';

let current: Log | undefined;

/** Installs the SDK's runtime, which a process can do only once. What the SDK tells goes to the log that was given last. */
export function useTemporalRuntime(log: Log): void {
  const isInstalled = current !== undefined;
  current = log;
  if (isInstalled) return;
  const latest = new Proxy(log, { get: (_first, name) => Reflect.get(current as Log, name) as unknown });
  installTemporalRuntime(latest);
}
