import { TestWorkflowEnvironment } from '@temporalio/testing';
import type { WorkflowBundleOption } from '@temporalio/worker';
import { createLog } from '../../src/platform/log.ts';
import { registerSearchAttributes } from '../../src/platform/temporal/search-attributes.ts';
import { createNamespace } from '../support/temporal-namespace.ts';
import { useTemporalRuntime } from '../support/temporal-runtime.ts';

/** The workflows, bundled once per test run, and the runtime of the SDK. */
export function sharedBundle(): WorkflowBundleOption {
  useTemporalRuntime(createLog({ level: 'silent', process: 'test' }));
  return { codePath: process.env['TEST_WORKFLOW_BUNDLE'] as string };
}

/**
 * Client and worker connection to a running server, in a separate namespace: several fakes poll the task queues of the product,
 * and must not receive tasks of other tests. The server keeps real time, so tests pass short budgets.
 */
export async function openWorkflowEnvironment(address: string): Promise<TestWorkflowEnvironment> {
  const namespace = await createNamespace(address);
  const environment = await TestWorkflowEnvironment.createFromExistingServer({
    address,
    namespace,
    client: { identity: 'fakes' },
  });
  await registerSearchAttributes(environment.nativeConnection, namespace);
  return environment;
}
