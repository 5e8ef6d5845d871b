import type { Log } from '../../src/platform/log.ts';
import { installTemporalRuntime } from '../../src/platform/temporal/temporal-runtime.ts';

let current: Log;
const latest = new Proxy({} as Log, { get: (_none, name) => Reflect.get(current, name) as unknown });

/** Installs the SDK's runtime, unless this process has one. The SDK logs to the log of the latest call. */
export function useTemporalRuntime(log: Log): void {
  current = log;
  installTemporalRuntime(latest);
}
