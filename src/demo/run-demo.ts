import { call, obtainToken, startDemo, type Demo, type DemoOptions } from './demo-client.ts';
import { importFile } from './import-job-chapter.ts';
import {
  addInstructions,
  attachToAccount,
  listProcesses,
  moveAccount,
  moveBusiness,
  populate,
  switchAccounts,
} from './supplier-chapters.ts';

/**
 * Makes the calls of a migration in the order of a supplier and an operator: set up, validate, stage, dry run, create, attach, follow.
 * @throws Error for an unexpected response
 */
export async function runDemo(options: DemoOptions): Promise<void> {
  let token = '';
  const demo = startDemo(options, () => token);
  const operatorToken = await obtainToken(options.http, options.operatorKey);
  token = operatorToken;
  await setUp(demo);
  const key = (
    await call(options.http, 'POST', '/v1/operations/api-keys/', token, {
      organisation: 'Demo supplier',
      name: 'demo',
      role: 'supplier',
      import_suppliers: [demo.supplier],
    })
  ).body as { api_key: string };
  token = await obtainToken(options.http, key.api_key);
  await moveAccount(demo);
  await attachToAccount(demo);
  await addInstructions(demo);
  await moveBusiness(demo);
  await populate(options, demo, token);
  await switchAccounts(demo);
  await importFile(options, demo, token);
  await listProcesses(demo);
  token = operatorToken;
  await showOperatorCalls(demo);
}

async function setUp({ heading, step, supplier }: Demo): Promise<void> {
  heading('An operator sets up a supplier');
  await step('register the import supplier', 'PUT', `/v1/operations/import-suppliers/${supplier}/`, 201, {
    name: 'Demo supplier',
    status: 'Ongoing',
    document_root: 's3://demo-documents/',
  });
  await step('add the operations team', 'PUT', '/v1/operations/operations-teams/Migration/', 201, {});
}

/** The history of a switch, a status that is set manually, and an unmatched message. */
async function showOperatorCalls({ heading, step, supplier, run }: Demo): Promise<void> {
  heading('An operator reads the history of one switch, completes another manually, and lists stuck work');
  await step(
    'read the account of the shop, with the history of its switch',
    'GET',
    `/v1/operations/accounts/${supplier}/B-${run}-1/`,
    200,
  );
  await step(
    'set the switch status of the kiosk, with a reason',
    'PUT',
    `/v1/operations/account-import-processes/${supplier}/B-${run}-2/switch-status/`,
    200,
    { status: 'COMPLETED', reason: 'Confirmed by telephone' },
  );
  await step(
    'receive a market message for an account that does not exist: it is stored',
    'POST',
    '/v1/operations/market-messages/',
    200,
    {
      message_id: `DEMO-${run}`,
      import_supplier: supplier,
      external_account_number: 'UNKNOWN-1',
      outcome: 'ACCEPTED',
      occurred_at: '2026-11-20T08:00:00Z',
    },
  );
  await step(
    'list stuck work: the message waits for its account, or for an operator',
    'GET',
    '/v1/operations/stuck/',
    200,
  );
}
