import { setTimeout as sleep } from 'node:timers/promises';
import { call } from './api-client.ts';
import {
  sampleAttachments,
  sampleBusiness,
  sampleBusinessAccount,
  sampleContract,
  sampleDomesticAccount,
  sampleInstructions,
} from './sample.ts';
import type { StoryOptions, Telling } from './telling.ts';

const DATA_IMPORT = '/v1/data-import';

const creation = (telling: Telling, number: string) => ({
  import_supplier_code: telling.supplier,
  external_account_number: number,
  operations_team_name: 'Migration',
});

/** A domestic account: validated, staged, created, and each time again. */
export async function moveAccount(telling: Telling): Promise<void> {
  const { heading, step, supplier, run } = telling;
  heading('The supplier obtains a token and moves a domestic account');
  const account = sampleDomesticAccount(supplier, `D-${run}`);
  const process = creation(telling, account.external_account_number);
  const status = `${DATA_IMPORT}/account-transfer-status/${supplier}/${account.external_account_number}/`;
  const faulty = {
    ...account,
    customers: [{ ...account.customers[0], landline: '12' }],
    last_billed_to_date: '2026-02-30',
  };
  await step(
    'validate: all faults at once, each with its place',
    'POST',
    `${DATA_IMPORT}/validate-account/`,
    400,
    faulty,
  );
  await step('validate: keeps nothing', 'POST', `${DATA_IMPORT}/validate-account/`, 200, account);
  await step('stage', 'POST', `${DATA_IMPORT}/account-import-process/create-or-update/`, 201, account);
  await step('stage again: an update', 'POST', `${DATA_IMPORT}/account-import-process/create-or-update/`, 200, account);
  await step('dry run: would succeed, leaves nothing', 'POST', `${DATA_IMPORT}/account-import-process/process/`, 400, {
    ...process,
    dry_run: true,
  });
  await step('status before', 'GET', status, 200);
  await step('create', 'POST', `${DATA_IMPORT}/account-import-process/process/`, 201, process);
  await step(
    'create again: refused, with both numbers',
    'POST',
    `${DATA_IMPORT}/account-import-process/process/`,
    400,
    process,
  );
  await step('status after', 'GET', status, 200);
}

/** What is attached to the account once it exists. */
export async function attachToAccount({ heading, step, supplier, run }: Telling): Promise<void> {
  heading('The supplier attaches notes, transactions and a statement');
  const attached = sampleAttachments(supplier, `D-${run}`);
  await step('notes', 'POST', `${DATA_IMPORT}/notes/create/`, 201, attached.notes);
  await step('the same notes again: none is doubled', 'POST', `${DATA_IMPORT}/notes/create/`, 201, attached.notes);
  await step(
    'transactions; one lies before the open period and is moved',
    'POST',
    `${DATA_IMPORT}/transactions/create/`,
    201,
    attached.transactions,
  );
  await step(
    'the same transactions again: none is doubled',
    'POST',
    `${DATA_IMPORT}/transactions/create/`,
    201,
    attached.transactions,
  );
  await step('a statement', 'POST', `${DATA_IMPORT}/historical-statements/create/`, 201, attached.statements);
  await step(
    'the same statement again: refused',
    'POST',
    `${DATA_IMPORT}/historical-statements/create/`,
    400,
    attached.statements,
  );
}

/** Payment instructions, one for each way in which a vendor may answer. */
export async function addInstructions({ heading, step, supplier, run }: Telling): Promise<void> {
  heading('The supplier adds payment instructions, which are verified with their vendors');
  const path = `${DATA_IMPORT}/payment-instruction/create/`;
  const instructions = sampleInstructions(supplier, `D-${run}`);
  await step('a mandate at GoCardless', 'POST', path, 201, instructions.mandate);
  await step('a card at Stripe, which asks us to slow down first', 'POST', path, 201, instructions.busyCard);
  await step('a mandate that was revoked at SlimPay: refused for good', 'POST', path, 400, instructions.revoked);
  await step(
    'a stored card of a shopper whom Adyen does not know: refused for good',
    'POST',
    path,
    400,
    instructions.unknown,
  );
  await step('the first mandate again: its result at once', 'POST', path, 201, instructions.mandate);
}

/** A business with its contract and two accounts, one of which comes before its contract. */
export async function moveBusiness(telling: Telling): Promise<void> {
  const { heading, step, supplier, run } = telling;
  heading('The supplier moves a business, with its contract and its accounts');
  const business = sampleBusiness(supplier, `BAKERY-${run}`, `C-${run}-1`);
  await step('business with its contract', 'POST', `${DATA_IMPORT}/business/`, 201, business);
  await step('the same again: the same business', 'POST', `${DATA_IMPORT}/business/`, 201, business);
  const shop = sampleBusinessAccount(supplier, `B-${run}-1`, `C-${run}-1`);
  await step(
    'stage an account of its contract',
    'POST',
    `${DATA_IMPORT}/account-import-process/create-or-update/`,
    201,
    shop,
  );
  await step(
    'create it: linked',
    'POST',
    `${DATA_IMPORT}/account-import-process/process/`,
    201,
    creation(telling, shop.external_account_number),
  );
  const kiosk = sampleBusinessAccount(supplier, `B-${run}-2`, `C-${run}-2`);
  await step(
    'stage one whose contract is not there yet',
    'POST',
    `${DATA_IMPORT}/account-import-process/create-or-update/`,
    201,
    kiosk,
  );
  await step(
    'create it: refused, with the place',
    'POST',
    `${DATA_IMPORT}/account-import-process/process/`,
    400,
    creation(telling, kiosk.external_account_number),
  );
  await step('add the contract', 'POST', `${DATA_IMPORT}/business-contracts/create/`, 201, {
    import_supplier_code: supplier,
    external_business_identifier: business.external_business_identifier,
    business_contracts: [sampleContract(`C-${run}-2`)],
  });
  await step(
    'create it again: linked',
    'POST',
    `${DATA_IMPORT}/account-import-process/process/`,
    201,
    creation(telling, kiosk.external_account_number),
  );
}

/** The shop's supply starts within the lead time, so its switch is due; the household's comes later and costs nothing until then. */
export async function switchAccounts({ heading, step, follow: awaitStatus, supplier, run }: Telling): Promise<void> {
  heading(
    'The industry switch: the dispatcher asks for what is due every 30 seconds, the network operator answers and sends market messages',
  );
  const status = `${DATA_IMPORT}/account-transfer-status/${supplier}/B-${run}-1/`;
  await step('the shop, created and due', 'GET', status, 200);
  await awaitStatus(status, 'COMPLETED');
  await step('switched', 'GET', status, 200);
}

/** Identifiers of the simulators: known points, and an unknown one. */
const DEMO_POINTS = {
  prm_ids: ['25014987360042', '25098112340077', '99999999999999'],
  pce_ids: ['03628810476215'],
  customer_authorisation: true,
};
const POPULATE_PAUSE_MS = 500;
const POPULATE_LOOKS_MAX = 60;

/** A batch of supply points, followed to its end. */
export async function populate(options: StoryOptions, { heading, step }: Telling, token: string): Promise<void> {
  heading('The supplier has supply points looked up at the network operators');
  const { body } = await call(options.http, 'POST', `${DATA_IMPORT}/supply-point/populate/`, token, DEMO_POINTS);
  const status = `${DATA_IMPORT}/supply-point/populate/${(body as { batch_id?: string }).batch_id}/`;
  options.say(`       POST ${DATA_IMPORT}/supply-point/populate/ -> ${JSON.stringify(body)}`);
  for (let looks = 0; looks < POPULATE_LOOKS_MAX; looks += 1) {
    const batch = (await call(options.http, 'GET', status, token)).body as { status?: string };
    if (batch.status !== 'IN_PROGRESS') break;
    await sleep(POPULATE_PAUSE_MS);
  }
  await step('the batch: imported, and one that is errored with its reason', 'GET', status, 200);
}

/** The lists of import processes. */
export async function look({ heading, step, supplier, run }: Telling): Promise<void> {
  heading('What has come of it');
  await step(
    'stage one more, to be created later',
    'POST',
    `${DATA_IMPORT}/account-import-process/create-or-update/`,
    201,
    sampleDomesticAccount(supplier, `D-${run}-2`),
  );
  await step('all import processes', 'GET', `${DATA_IMPORT}/all-account-import-processes/${supplier}/`, 200);
  await step('staged only', 'GET', `${DATA_IMPORT}/pending-account-import-processes/${supplier}/`, 200);
  await step('created', 'GET', `${DATA_IMPORT}/imported-account-import-processes/${supplier}/`, 200);
}
