import { startDemo, type Demo, type DemoOptions } from './demo-client.ts';
import { moveWave } from './wave-chapter.ts';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  ADD_BUSINESS,
  ADD_NOTES,
  ADD_STATEMENTS,
  ADD_TRANSACTIONS,
  sampleAccount,
  sampleAttachments,
  sampleBusiness,
  sampleBusinessAccount,
  sampleInstructions,
  STAGE,
} from './sample.ts';

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

const VALIDATE = 'POST data-import/validate-account/';
const CREATE = 'POST data-import/account-import-process/process/';

const creation = ({ supplier }: Demo, number: string) => ({
  import_supplier_code: supplier,
  external_account_number: number,
  operations_team_name: 'Migration',
});

/** Validates, stages and creates a domestic account, and repeats each request. */
async function moveAccount(demo: Demo): Promise<void> {
  const { heading, step, supplier, run } = demo;
  heading('The supplier obtains a token and moves a domestic account');
  const account = sampleAccount(demo, `D-${run}`);
  const process = creation(demo, account.external_account_number);
  const status = `GET data-import/account-transfer-status/${supplier}/${account.external_account_number}/`;
  const faulty = {
    ...account,
    customers: [{ ...account.customers[0], landline: '12' }],
    last_billed_to_date: '2026-02-30',
  };
  await step(400, VALIDATE, 'validate an account with two faults: both are reported, each with its location', faulty);
  await step(200, VALIDATE, 'validate the corrected account: nothing is stored', account);
  await step(201, STAGE, 'stage the account', account);
  await step(200, STAGE, 'stage it again: the staged data is replaced', account);
  await step(400, CREATE, 'dry run: the creation would succeed, nothing is stored', { ...process, dry_run: true });
  await step(200, status, 'read the switch status before the creation');
  await step(201, CREATE, 'create the account', process);
  await step(400, CREATE, 'create it again: rejected, with both account numbers', process);
  await step(200, status, 'read the switch status after the creation');
}

/** Attaches notes, transactions and a statement to the account. */
async function attachToAccount(demo: Demo): Promise<void> {
  const { heading, step, run } = demo;
  heading('The supplier attaches notes, transactions and a statement');
  const { notes, transactions, statements } = sampleAttachments(demo, `D-${run}`);
  await step(201, ADD_NOTES, 'add two notes', notes);
  await step(201, ADD_NOTES, 'add the same notes again: no duplicates', notes);
  const what = 'add transactions: one is dated before the open statement period, so it is moved into it';
  await step(201, ADD_TRANSACTIONS, what, transactions);
  await step(201, ADD_TRANSACTIONS, 'add the same transactions again: no duplicates', transactions);
  await step(201, ADD_STATEMENTS, 'add a statement', statements);
  await step(400, ADD_STATEMENTS, 'add the same statement again: rejected', statements);
}

/** Payment instructions, one for each kind of vendor response. */
async function addInstructions(demo: Demo): Promise<void> {
  const { heading, step, run } = demo;
  heading('The supplier adds payment instructions, which are verified with their vendors');
  const add = 'POST data-import/payment-instruction/create/';
  const { mandate, busyCard, revoked, unknown } = sampleInstructions(demo, `D-${run}`);
  await step(201, add, 'add a mandate of GoCardless', mandate);
  await step(201, add, 'add a card of Stripe, which rate limits the first attempt', busyCard);
  await step(400, add, 'add a mandate that was revoked at SlimPay: rejected permanently', revoked);
  await step(400, add, 'add a card of a shopper that Adyen does not know: rejected permanently', unknown);
  await step(201, add, 'add the first mandate again: the stored result is returned', mandate);
}

/** A business with its contract and two accounts; one of them is sent before its contract. */
async function moveBusiness(demo: Demo): Promise<void> {
  const { heading, step, run } = demo;
  heading('The supplier moves a business, with its contract and its accounts');
  const business = sampleBusiness(demo, `BAKERY-${run}`, `C-${run}-1`);
  await step(201, ADD_BUSINESS, 'import the business with its contract', business);
  await step(201, ADD_BUSINESS, 'send the same request again: the same business is returned', business);
  const shop = sampleBusinessAccount(demo, `B-${run}-1`, `C-${run}-1`);
  await step(201, STAGE, 'stage the account of the shop, which names the contract', shop);
  const shopCreation = creation(demo, shop.external_account_number);
  await step(201, CREATE, 'create the account: it is linked to the contract', shopCreation);
  const kiosk = sampleBusinessAccount(demo, `B-${run}-2`, `C-${run}-2`);
  await step(201, STAGE, 'stage the account of the kiosk, whose contract does not exist yet', kiosk);
  const kioskCreation = creation(demo, kiosk.external_account_number);
  await step(400, CREATE, 'create the account: rejected, with the location of the fault', kioskCreation);
  const { business: more, ...key } = sampleBusiness(demo, `BAKERY-${run}`, `C-${run}-2`);
  const contract = { ...key, business_contracts: more.business_contracts };
  await step(201, 'POST data-import/business-contracts/create/', 'add the contract', contract);
  await step(201, CREATE, 'create the account again: it is linked to the contract', kioskCreation);
}

/** The supply of the shop starts within the lead time, so its switch is due. That of the household starts later. */
async function switchAccounts({ heading, step, follow, supplier, run }: Demo): Promise<void> {
  heading(
    'The switch of the shop: the dispatcher requests due switches every 30 seconds, market messages complete them',
  );
  const status = `data-import/account-transfer-status/${supplier}/B-${run}-1/`;
  await step(200, `GET ${status}`, 'read the switch status of the shop');
  await follow(status, 'COMPLETED');
  await step(200, `GET ${status}`, 'the switch is completed');
}

/** Supply points that the simulators know, and an unknown one. */
const DEMO_POINTS = {
  prm_ids: ['25014987360042', '25098112340077', '99999999999999'],
  pce_ids: ['03628810476215'],
  customer_authorisation: true,
};
const POPULATE = 'data-import/supply-point/populate/';
const POLL_EVERY_MS = 500;
const POLLS_MAX = 60;

/** Looks up a batch of supply points and waits for its end. */
async function populate({ heading, call, print, step }: Demo): Promise<void> {
  heading('The supplier looks up supply points at the network operators');
  const accepted = await call<{ batch_id?: string }>(`POST ${POPULATE}`, DEMO_POINTS);
  const status = `GET ${POPULATE}${accepted.batch_id}/`;
  print(`       POST /v1/${POPULATE} -> ${JSON.stringify(accepted)}`);
  for (let polls = 0; polls < POLLS_MAX; polls += 1) {
    const batch = await call<{ status?: string }>(status);
    if (batch.status !== 'IN_PROGRESS') break;
    await sleep(POLL_EVERY_MS);
  }
  await step(200, status, 'read the ended batch: three identifiers were imported, one failed');
}

async function listProcesses(demo: Demo): Promise<void> {
  const { heading, step, supplier, run } = demo;
  heading('The supplier lists its import processes');
  await step(201, STAGE, 'stage one more account', sampleAccount(demo, `D-${run}-2`));
  const list = (which: string) => `GET data-import/${which}-account-import-processes/${supplier}/`;
  await step(200, list('all'), 'list all import processes');
  await step(200, list('pending'), 'list those that are only staged');
  await step(200, list('imported'), 'list those that are created');
}
