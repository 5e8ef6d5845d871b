import { setTimeout as sleep } from 'node:timers/promises';
import { call, type Demo, type DemoOptions } from './demo-client.ts';
import {
  sampleAttachments,
  sampleBusiness,
  sampleBusinessAccount,
  sampleContract,
  sampleDomesticAccount,
  sampleInstructions,
} from './sample.ts';

const DATA_IMPORT = '/v1/data-import';

const creation = (demo: Demo, number: string) => ({
  import_supplier_code: demo.supplier,
  external_account_number: number,
  operations_team_name: 'Migration',
});

/** Validates, stages and creates a domestic account, and repeats each request. */
export async function moveAccount(demo: Demo): Promise<void> {
  const { heading, step, supplier, run } = demo;
  heading('The supplier obtains a token and moves a domestic account');
  const account = sampleDomesticAccount(supplier, `D-${run}`);
  const process = creation(demo, account.external_account_number);
  const status = `${DATA_IMPORT}/account-transfer-status/${supplier}/${account.external_account_number}/`;
  const faulty = {
    ...account,
    customers: [{ ...account.customers[0], landline: '12' }],
    last_billed_to_date: '2026-02-30',
  };
  await step('validate: all faults, each with its location', 'POST', `${DATA_IMPORT}/validate-account/`, 400, faulty);
  await step('validate: stores nothing', 'POST', `${DATA_IMPORT}/validate-account/`, 200, account);
  await step('stage', 'POST', `${DATA_IMPORT}/account-import-process/create-or-update/`, 201, account);
  await step('stage again: an update', 'POST', `${DATA_IMPORT}/account-import-process/create-or-update/`, 200, account);
  await step('dry run: would succeed, stores nothing', 'POST', `${DATA_IMPORT}/account-import-process/process/`, 400, {
    ...process,
    dry_run: true,
  });
  await step('status before', 'GET', status, 200);
  await step('create', 'POST', `${DATA_IMPORT}/account-import-process/process/`, 201, process);
  await step(
    'create again: rejected, with both numbers',
    'POST',
    `${DATA_IMPORT}/account-import-process/process/`,
    400,
    process,
  );
  await step('status after', 'GET', status, 200);
}

/** Attaches notes, transactions and a statement to the account. */
export async function attachToAccount({ heading, step, supplier, run }: Demo): Promise<void> {
  heading('The supplier attaches notes, transactions and a statement');
  const attached = sampleAttachments(supplier, `D-${run}`);
  await step('notes', 'POST', `${DATA_IMPORT}/notes/create/`, 201, attached.notes);
  await step('the same notes again: no duplicates', 'POST', `${DATA_IMPORT}/notes/create/`, 201, attached.notes);
  await step(
    'transactions; one is before the open period and is moved',
    'POST',
    `${DATA_IMPORT}/transactions/create/`,
    201,
    attached.transactions,
  );
  await step(
    'the same transactions again: no duplicates',
    'POST',
    `${DATA_IMPORT}/transactions/create/`,
    201,
    attached.transactions,
  );
  await step('a statement', 'POST', `${DATA_IMPORT}/historical-statements/create/`, 201, attached.statements);
  await step(
    'the same statement again: rejected',
    'POST',
    `${DATA_IMPORT}/historical-statements/create/`,
    400,
    attached.statements,
  );
}

/** Payment instructions, one for each kind of vendor response. */
export async function addInstructions({ heading, step, supplier, run }: Demo): Promise<void> {
  heading('The supplier adds payment instructions, which are verified with their vendors');
  const path = `${DATA_IMPORT}/payment-instruction/create/`;
  const instructions = sampleInstructions(supplier, `D-${run}`);
  await step('a mandate at GoCardless', 'POST', path, 201, instructions.mandate);
  await step('a card at Stripe, which first requests a slower rate', 'POST', path, 201, instructions.busyCard);
  await step('a mandate that was revoked at SlimPay: rejected permanently', 'POST', path, 400, instructions.revoked);
  await step(
    'a stored card of a shopper that Adyen does not know: rejected permanently',
    'POST',
    path,
    400,
    instructions.unknown,
  );
  await step('the first mandate again: the stored result', 'POST', path, 201, instructions.mandate);
}

/** A business with its contract and two accounts; one of them is sent before its contract. */
export async function moveBusiness(demo: Demo): Promise<void> {
  const { heading, step, supplier, run } = demo;
  heading('The supplier moves a business, with its contract and its accounts');
  const business = sampleBusiness(supplier, `BAKERY-${run}`, `C-${run}-1`);
  await step('business with its contract', 'POST', `${DATA_IMPORT}/business/`, 201, business);
  await step('the same request again: the same business', 'POST', `${DATA_IMPORT}/business/`, 201, business);
  const shop = sampleBusinessAccount(supplier, `B-${run}-1`, `C-${run}-1`);
  await step(
    'stage an account of the contract',
    'POST',
    `${DATA_IMPORT}/account-import-process/create-or-update/`,
    201,
    shop,
  );
  await step(
    'create the account: linked to the contract',
    'POST',
    `${DATA_IMPORT}/account-import-process/process/`,
    201,
    creation(demo, shop.external_account_number),
  );
  const kiosk = sampleBusinessAccount(supplier, `B-${run}-2`, `C-${run}-2`);
  await step(
    'stage an account without its contract',
    'POST',
    `${DATA_IMPORT}/account-import-process/create-or-update/`,
    201,
    kiosk,
  );
  await step(
    'create the account: rejected, with the location of the fault',
    'POST',
    `${DATA_IMPORT}/account-import-process/process/`,
    400,
    creation(demo, kiosk.external_account_number),
  );
  await step('add the contract', 'POST', `${DATA_IMPORT}/business-contracts/create/`, 201, {
    import_supplier_code: supplier,
    external_business_identifier: business.external_business_identifier,
    business_contracts: [sampleContract(`C-${run}-2`)],
  });
  await step(
    'create the account again: linked',
    'POST',
    `${DATA_IMPORT}/account-import-process/process/`,
    201,
    creation(demo, kiosk.external_account_number),
  );
}

/** The shop's supply starts within the lead time, so its switch is due; the household's starts later. */
export async function switchAccounts({ heading, step, follow: awaitStatus, supplier, run }: Demo): Promise<void> {
  heading(
    'The industry switch: the dispatcher requests due switches every 30 seconds; the network operator answers and sends market messages',
  );
  const status = `${DATA_IMPORT}/account-transfer-status/${supplier}/B-${run}-1/`;
  await step('the shop, created and due', 'GET', status, 200);
  await awaitStatus(status, 'COMPLETED');
  await step('switched', 'GET', status, 200);
}

/** Supply points that the simulators know, and an unknown one. */
const DEMO_POINTS = {
  prm_ids: ['25014987360042', '25098112340077', '99999999999999'],
  pce_ids: ['03628810476215'],
  customer_authorisation: true,
};
const POLL_EVERY_MS = 500;
const POLLS_MAX = 60;

/** Looks up a batch of supply points and waits for its end. */
export async function populate(options: DemoOptions, { heading, step }: Demo, token: string): Promise<void> {
  heading('The supplier looks up supply points at the network operators');
  const { body } = await call(options.http, 'POST', `${DATA_IMPORT}/supply-point/populate/`, token, DEMO_POINTS);
  const status = `${DATA_IMPORT}/supply-point/populate/${(body as { batch_id?: string }).batch_id}/`;
  options.say(`       POST ${DATA_IMPORT}/supply-point/populate/ -> ${JSON.stringify(body)}`);
  for (let polls = 0; polls < POLLS_MAX; polls += 1) {
    const batch = (await call(options.http, 'GET', status, token)).body as { status?: string };
    if (batch.status !== 'IN_PROGRESS') break;
    await sleep(POLL_EVERY_MS);
  }
  await step('the batch: imported identifiers, and one error with its reason', 'GET', status, 200);
}

export async function listProcesses({ heading, step, supplier, run }: Demo): Promise<void> {
  heading('The lists of import processes');
  await step(
    'stage one more account',
    'POST',
    `${DATA_IMPORT}/account-import-process/create-or-update/`,
    201,
    sampleDomesticAccount(supplier, `D-${run}-2`),
  );
  await step('all import processes', 'GET', `${DATA_IMPORT}/all-account-import-processes/${supplier}/`, 200);
  await step('staged only', 'GET', `${DATA_IMPORT}/pending-account-import-processes/${supplier}/`, 200);
  await step('created', 'GET', `${DATA_IMPORT}/imported-account-import-processes/${supplier}/`, 200);
}
