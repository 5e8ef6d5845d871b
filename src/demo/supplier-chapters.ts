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
  await step(
    'validate an account with two faults: both are reported, each with its location',
    'POST',
    `${DATA_IMPORT}/validate-account/`,
    400,
    faulty,
  );
  await step(
    'validate the corrected account: nothing is stored',
    'POST',
    `${DATA_IMPORT}/validate-account/`,
    200,
    account,
  );
  await step('stage the account', 'POST', `${DATA_IMPORT}/account-import-process/create-or-update/`, 201, account);
  await step(
    'stage it again: the staged data is replaced',
    'POST',
    `${DATA_IMPORT}/account-import-process/create-or-update/`,
    200,
    account,
  );
  await step(
    'dry run: the creation would succeed, nothing is stored',
    'POST',
    `${DATA_IMPORT}/account-import-process/process/`,
    400,
    { ...process, dry_run: true },
  );
  await step('read the switch status before the creation', 'GET', status, 200);
  await step('create the account', 'POST', `${DATA_IMPORT}/account-import-process/process/`, 201, process);
  await step(
    'create it again: rejected, with both account numbers',
    'POST',
    `${DATA_IMPORT}/account-import-process/process/`,
    400,
    process,
  );
  await step('read the switch status after the creation', 'GET', status, 200);
}

/** Attaches notes, transactions and a statement to the account. */
export async function attachToAccount({ heading, step, supplier, run }: Demo): Promise<void> {
  heading('The supplier attaches notes, transactions and a statement');
  const attached = sampleAttachments(supplier, `D-${run}`);
  await step('add two notes', 'POST', `${DATA_IMPORT}/notes/create/`, 201, attached.notes);
  await step('add the same notes again: no duplicates', 'POST', `${DATA_IMPORT}/notes/create/`, 201, attached.notes);
  await step(
    'add transactions: one is dated before the open statement period, so it is moved into it',
    'POST',
    `${DATA_IMPORT}/transactions/create/`,
    201,
    attached.transactions,
  );
  await step(
    'add the same transactions again: no duplicates',
    'POST',
    `${DATA_IMPORT}/transactions/create/`,
    201,
    attached.transactions,
  );
  await step('add a statement', 'POST', `${DATA_IMPORT}/historical-statements/create/`, 201, attached.statements);
  await step(
    'add the same statement again: rejected',
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
  await step('add a mandate of GoCardless', 'POST', path, 201, instructions.mandate);
  await step('add a card of Stripe, which rate limits the first attempt', 'POST', path, 201, instructions.busyCard);
  await step(
    'add a mandate that was revoked at SlimPay: rejected permanently',
    'POST',
    path,
    400,
    instructions.revoked,
  );
  await step(
    'add a card of a shopper that Adyen does not know: rejected permanently',
    'POST',
    path,
    400,
    instructions.unknown,
  );
  await step('add the first mandate again: the stored result is returned', 'POST', path, 201, instructions.mandate);
}

/** A business with its contract and two accounts; one of them is sent before its contract. */
export async function moveBusiness(demo: Demo): Promise<void> {
  const { heading, step, supplier, run } = demo;
  heading('The supplier moves a business, with its contract and its accounts');
  const business = sampleBusiness(supplier, `BAKERY-${run}`, `C-${run}-1`);
  await step('import the business with its contract', 'POST', `${DATA_IMPORT}/business/`, 201, business);
  await step(
    'send the same request again: the same business is returned',
    'POST',
    `${DATA_IMPORT}/business/`,
    201,
    business,
  );
  const shop = sampleBusinessAccount(supplier, `B-${run}-1`, `C-${run}-1`);
  await step(
    'stage the account of the shop, which names the contract',
    'POST',
    `${DATA_IMPORT}/account-import-process/create-or-update/`,
    201,
    shop,
  );
  await step(
    'create the account: it is linked to the contract',
    'POST',
    `${DATA_IMPORT}/account-import-process/process/`,
    201,
    creation(demo, shop.external_account_number),
  );
  const kiosk = sampleBusinessAccount(supplier, `B-${run}-2`, `C-${run}-2`);
  await step(
    'stage the account of the kiosk, whose contract does not exist yet',
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
    'create the account again: it is linked to the contract',
    'POST',
    `${DATA_IMPORT}/account-import-process/process/`,
    201,
    creation(demo, kiosk.external_account_number),
  );
}

/** The supply of the shop starts within the lead time, so its switch is due. That of the household starts later. */
export async function switchAccounts({ heading, step, follow: awaitStatus, supplier, run }: Demo): Promise<void> {
  heading(
    'The switch of the shop: the dispatcher requests due switches every 30 seconds, market messages complete them',
  );
  const status = `${DATA_IMPORT}/account-transfer-status/${supplier}/B-${run}-1/`;
  await step('read the switch status of the shop', 'GET', status, 200);
  await awaitStatus(status, 'COMPLETED');
  await step('the switch is completed', 'GET', status, 200);
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
  options.print(`       POST ${DATA_IMPORT}/supply-point/populate/ -> ${JSON.stringify(body)}`);
  for (let polls = 0; polls < POLLS_MAX; polls += 1) {
    const batch = (await call(options.http, 'GET', status, token)).body as { status?: string };
    if (batch.status !== 'IN_PROGRESS') break;
    await sleep(POLL_EVERY_MS);
  }
  await step('read the ended batch: three identifiers were imported, one failed', 'GET', status, 200);
}

export async function listProcesses({ heading, step, supplier, run }: Demo): Promise<void> {
  heading('The supplier lists its import processes');
  await step(
    'stage one more account',
    'POST',
    `${DATA_IMPORT}/account-import-process/create-or-update/`,
    201,
    sampleDomesticAccount(supplier, `D-${run}-2`),
  );
  await step('list all import processes', 'GET', `${DATA_IMPORT}/all-account-import-processes/${supplier}/`, 200);
  await step(
    'list those that are only staged',
    'GET',
    `${DATA_IMPORT}/pending-account-import-processes/${supplier}/`,
    200,
  );
  await step(
    'list those that are created',
    'GET',
    `${DATA_IMPORT}/imported-account-import-processes/${supplier}/`,
    200,
  );
}
