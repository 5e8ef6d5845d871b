import { TestWorkflowEnvironment } from '@temporalio/testing';
import type { WorkflowBundleOption } from '@temporalio/worker';
import { createLog } from '../../src/platform/log.ts';
import { useTemporalRuntime } from '../support/temporal-runtime.ts';

/** The workflows as they are, bundled once for the whole run, and the SDK's runtime to run them. */
export function sharedBundle(): WorkflowBundleOption {
  useTemporalRuntime(createLog({ level: 'silent', process: 'test' }));
  return { codePath: process.env['TEST_WORKFLOW_BUNDLE'] as string };
}

/** Client and worker connection to the server of the run; it keeps real time, so tests pass short budgets. */
export function openWorkflowEnvironment(address: string, namespace = 'default'): Promise<TestWorkflowEnvironment> {
  return TestWorkflowEnvironment.createFromExistingServer({ address, namespace, client: { identity: 'fakes' } });
}
