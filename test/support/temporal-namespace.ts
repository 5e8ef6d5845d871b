import { randomUUID } from 'node:crypto';
import { NativeConnection } from '@temporalio/worker';

/** Registers a namespace for one test file, so that its workers receive no tasks of other tests; by default on the run's server. */
export async function createNamespace(address = process.env['TEST_TEMPORAL_ADDRESS'] as string): Promise<string> {
  const namespace = `test-${randomUUID()}`;
  const connection = await NativeConnection.connect({ address });
  try {
    await connection.workflowService.registerNamespace({
      namespace,
      workflowExecutionRetentionPeriod: { seconds: 86_400 as never },
    });
  } finally {
    await connection.close();
  }
  return namespace;
}
