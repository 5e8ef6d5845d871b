import { createLog } from '../../src/platform/log.ts';
import { bundleWorkflows, installTemporalRuntime } from '../../src/platform/temporal/run-worker.ts';

let bundle: ReturnType<typeof bundleWorkflows> | undefined;

/** The workflows as they are, bundled once for all stand-ins of a process; the SDK's runtime can be installed only once too. */
export function bundleOnce(): ReturnType<typeof bundleWorkflows> {
  if (!bundle) installTemporalRuntime(createLog({ level: 'silent', process: 'test' }));
  bundle ??= bundleWorkflows();
  return bundle;
}
