import { startDemo, type Demo, type DemoOptions } from './demo-client.ts';
import {
  addInstructions,
  attachToAccount,
  listProcesses,
  moveAccount,
  moveBusiness,
  populate,
  switchAccounts,
} from './supplier-chapters.ts';
import { moveWave } from './wave-chapter.ts';

/**
 * Makes the calls of a migration in the order of a supplier and an operator: set up, validate, stage, dry run, create, attach, follow.
 * @throws Error for an unexpected response
 */
export async function runDemo(options: DemoOptions): Promise<void> {
  const demo = await startDemo(options);
  await demo.signIn(options.operatorKey);
  await setUp(demo);
  const key = await demo.call<{ api_key: string }>('POST operations/api-keys/', {
    organisation: 'Demo supplier',
    name: 'demo',
    role: 'supplier',
    import_suppliers: [demo.supplier],
  });
  const people = { supplier: key.api_key, operator: options.operatorKey, approver: await approverKey(demo) };
  await demo.signIn(people.supplier);
  await moveAccount(demo);
  await attachToAccount(demo);
  await addInstructions(demo);
  await moveBusiness(demo);
  await populate(demo);
  await switchAccounts(demo);
  await moveWave(demo, people);
  await listProcesses(demo);
  await demo.signIn(options.operatorKey);
  await showOperatorCalls(demo);
}

/** The key of a second operator, who approves waves. */
async function approverKey({ call, run }: Demo): Promise<string> {
  const { api_key: key } = await call<{ api_key: string }>('POST operations/api-keys/', {
    organisation: 'Demo operations',
    name: `approver ${run}`,
    role: 'operator',
    scope: 'approve',
  });
  return key;
}

async function setUp({ heading, step, supplier }: Demo): Promise<void> {
  heading('An operator sets up a supplier');
  await step(201, `PUT operations/import-suppliers/${supplier}/`, 'register the import supplier', {
    name: 'Demo supplier',
    status: 'Ongoing',
    document_root: 's3://demo-documents/',
  });
  await step(201, 'PUT operations/operations-teams/Migration/', 'add the operations team', {});
}

/** The history of a switch, a status that is set manually, and an unmatched message. */
async function showOperatorCalls({ heading, step, supplier, run }: Demo): Promise<void> {
  heading('An operator reads the history of one switch, completes another manually, and lists stuck work');
  const shop = `GET operations/accounts/${supplier}/B-${run}-1/`;
  await step(200, shop, 'read the account of the shop, with the history of its switch');
  const kiosk = `PUT operations/account-import-processes/${supplier}/B-${run}-2/switch-status/`;
  const change = { status: 'COMPLETED', reason: 'Confirmed by telephone' };
  await step(200, kiosk, 'set the switch status of the kiosk, with a reason', change);
  const what = 'receive a market message for an account that does not exist: it is stored';
  await step(200, 'POST operations/market-messages/', what, [
    {
      message_id: `DEMO-${run}`,
      import_supplier: supplier,
      external_account_number: 'UNKNOWN-1',
      outcome: 'ACCEPTED',
      occurred_at: '2026-11-20T08:00:00Z',
    },
  ]);
  await step(200, 'GET operations/stuck/', 'list stuck work: the message waits for its account, or for an operator');
}
