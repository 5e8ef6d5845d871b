import { TestWorkflowEnvironment } from '@temporalio/testing';
import type { WorkflowBundle } from '@temporalio/worker';
import { createLog } from '../../src/platform/log.ts';
import { bundleWorkflows } from '../../src/platform/temporal/run-worker.ts';
import { useTemporalRuntime } from '../support/temporal-runtime.ts';

/** The workflows as they are, bundled once for all fakes of a process, and the SDK's runtime to run them. */
export function bundleOnce(): Promise<WorkflowBundle> {
  useTemporalRuntime(createLog({ level: 'silent', process: 'test' }));
  return bundleWorkflows();
}

/** Client and worker connection to the server of the run; it keeps real time, so tests pass short budgets. */
export function openWorkflowEnvironment(address: string, namespace = 'default'): Promise<TestWorkflowEnvironment> {
  return TestWorkflowEnvironment.createFromExistingServer({ address, namespace, client: { identity: 'fakes' } });
}
