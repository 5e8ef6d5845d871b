import { randomUUID } from 'node:crypto';
import type { Client, WorkflowHandle } from '@temporalio/client';
import { Worker } from '@temporalio/worker';
import type { AccountActivities } from '../../activities/account-import/create-from-staged.activities.ts';
import type { PaymentInstructionActivities } from '../../activities/payment-instructions/verify-payment-instruction.activities.ts';
import type { CreationEntry } from '../../src/account-import/create/create-account.rules.ts';
import type { VerificationInput } from '../../src/payment-instructions/payment-instruction.rules.ts';
import { aloneQueueOf, taskQueues, workflowIds } from '../../temporal.config.ts';
import type { createAccount } from '../../workflows/account-import/create-account.workflow.ts';
import type { createAccounts } from '../../workflows/account-import/create-accounts.workflow.ts';
import type { verifyPaymentInstruction } from '../../workflows/payment-instructions/verify-payment-instruction.workflow.ts';
import { openWorkflowEnvironment, sharedBundle } from './workflow-bundle.ts';

/** The real workflows on a real server, with fake activities. */
export interface Fakes {
  client: Client;
  startBatch(entries: CreationEntry[]): Promise<WorkflowHandle<typeof createAccounts>>;
  startSingle(entry: CreationEntry): Promise<WorkflowHandle<typeof createAccount>>;
  alone(entry: CreationEntry): WorkflowHandle<typeof createAccount>;
  startVerification(input: VerificationInput): Promise<WorkflowHandle<typeof verifyPaymentInstruction>>;
  stop(): Promise<void>;
}

/** The fake activities of a test. */
export type FakeActivities = Partial<AccountActivities & PaymentInstructionActivities>;

/** Starts a worker on a separate task queue, and one on `payments` for tests that call vendors. */
export async function startFakes(address: string, activities: FakeActivities): Promise<Fakes> {
  const workflowBundle = sharedBundle();
  const taskQueue = `fakes-${randomUUID()}`;
  const environment = await openWorkflowEnvironment(address);
  const { client, namespace, nativeConnection: connection } = environment;
  const worker = await Worker.create({
    connection,
    namespace,
    taskQueue,
    workflowBundle,
    activities,
    identity: 'fakes',
  });
  const aloneWorker = await Worker.create({
    connection,
    namespace,
    taskQueue: aloneQueueOf(taskQueue),
    activities,
    identity: 'fakes',
  });
  const asking =
    activities.askPaymentVendor &&
    (await Worker.create({ connection, namespace, taskQueue: taskQueues.payments, activities, identity: 'fakes' }));
  const running = Promise.all([worker.run(), aloneWorker.run(), asking?.run()]);
  const alone = (entry: CreationEntry) =>
    client.workflow.getHandle<typeof createAccount>(
      workflowIds.createAccount(entry.importSupplier, entry.externalAccountNumber),
    );
  return {
    client,
    alone,
    startBatch: (entries) =>
      client.workflow.start<typeof createAccounts>('createAccounts', {
        taskQueue,
        workflowId: workflowIds.createAccounts(randomUUID()),
        args: [{ entries }],
      }),
    startSingle: (entry) =>
      client.workflow.start<typeof createAccount>('createAccount', {
        taskQueue,
        workflowId: alone(entry).workflowId,
        args: [entry],
      }),
    startVerification: (input) =>
      client.workflow.start<typeof verifyPaymentInstruction>('verifyPaymentInstruction', {
        taskQueue,
        workflowId: `verify-instruction/${randomUUID()}`,
        args: [input],
      }),
    stop: async () => {
      worker.shutdown();
      aloneWorker.shutdown();
      asking?.shutdown();
      await running;
      await environment.teardown();
    },
  };
}

/** Creates the given number of entries for different accounts. */
export function entriesOf(
  count: number,
  externalAccountNumber = (index: number) => `E-${index}-${randomUUID()}`,
): CreationEntry[] {
  return Array.from({ length: count }, (_, index) => ({
    creationId: randomUUID(),
    importSupplier: 'ACME',
    externalAccountNumber: externalAccountNumber(index),
    operationsTeam: 'Migration',
  }));
}
