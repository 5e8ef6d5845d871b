import { randomUUID } from 'node:crypto';
import { NativeConnection } from '@temporalio/worker';

/** Registers a namespace on the run's server, in which no other test starts anything. */
export async function createNamespace(): Promise<string> {
  const namespace = `test-${randomUUID()}`;
  const connection = await NativeConnection.connect({ address: process.env['TEST_TEMPORAL_ADDRESS'] as string });
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
