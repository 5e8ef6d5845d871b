import { TestWorkflowEnvironment } from '@temporalio/testing';
import { createLog } from '../../src/platform/log.ts';
import { bundleWorkflows, installTemporalRuntime } from '../../src/platform/temporal/run-worker.ts';

let bundle: ReturnType<typeof bundleWorkflows> | undefined;

/** The workflows as they are, bundled once for all stand-ins of a process; the SDK's runtime can be installed only once too. */
export function bundleOnce(): ReturnType<typeof bundleWorkflows> {
  if (!bundle) installTemporalRuntime(createLog({ level: 'silent', process: 'test' }));
  bundle ??= bundleWorkflows();
  return bundle;
}

/** Client and worker connection to the server of the run; it keeps real time, so tests pass short budgets. */
export function openWorkflowEnvironment(address: string, namespace = 'default'): Promise<TestWorkflowEnvironment> {
  return TestWorkflowEnvironment.createFromExistingServer({ address, namespace, client: { identity: 'stand-ins' } });
}
