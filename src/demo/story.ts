import { setTimeout as sleep } from 'node:timers/promises';
import {
  sampleAttachments,
  sampleBusiness,
  sampleBusinessAccount,
  sampleContract,
  sampleDomesticAccount,
  sampleInstructions,
} from './sample.ts';

/** What the demo needs of the running platform. */
export interface StoryOptions {
  http: string;
  operatorKey: string;
  say: (line: string) => void;
  /** Writes colours; false where the output is no terminal. */
  isColoured: boolean;
}

interface Answer {
  status: number;
  body: unknown;
}

/** What a call should answer; the demo ends with an error when it does not. */
type Expected = number;

const DATA_IMPORT = '/v1/data-import';
const BODY_SHOWN_MAX = 600;

/** The sweeper starts what is due every 30 seconds. */
const SWITCHED_WITHIN_MS = 120_000;
const LOOK_EVERY_MS = 500;

/** What a chapter of the story tells with. */
interface Telling {
  supplier: string;
  /** Keeps the numbers of runs on the same database apart. */
  run: string;
  heading(text: string): void;
  /** Makes one call, prints it with its answer, and fails when the answer has another status. */
  step(what: string, method: string, path: string, expected: Expected, body?: unknown): Promise<void>;
  /** Reads the status of an account until it is the one that is awaited, and prints each that it passes. */
  follow(path: string, awaited: string): Promise<void>;
}

/**
 * Tells the main job as a supplier and an operator would do it, over the interface alone: set up, validate, stage,
 * dry run, create, attach, follow. Prints each step with its answer.
 * @throws Error when an answer is not the one that the story expects
 */
export async function tellStory(options: StoryOptions): Promise<void> {
  const paint = (code: number, text: string) => (options.isColoured ? `\u001B[${code}m${text}\u001B[0m` : text);
  let token = '';
  const run = Date.now().toString(36).toUpperCase();
  const telling: Telling = {
    run,
    supplier: `DEMO_${run}`,
    heading: (text) => options.say(`\n${paint(1, text)}`),
    step: async (what, method, path, expected, body) => {
      const answer = await call(options.http, method, path, token, body);
      const isExpected = answer.status === expected;
      options.say(`  ${paint(isExpected ? 32 : 31, String(answer.status))}  ${what}`);
      options.say(paint(2, `       ${method} ${path}`));
      options.say(paint(2, `       ${shortened(answer.body)}`));
      if (!isExpected) throw new Error(`The demo expected ${expected} for "${what}" and got ${answer.status}.`);
    },
    follow: (path, awaited) =>
      follow(
        () => call(options.http, 'GET', path, token),
        awaited,
        (line) => options.say(`       ${paint(2, line)}`),
      ),
  };
  const operatorToken = await obtainToken(options.http, options.operatorKey);
  token = operatorToken;
  await setUp(telling);
  const key = (
    await call(options.http, 'POST', '/v1/operations/api-keys/', token, {
      organisation: 'Demo supplier',
      name: 'demo',
      role: 'supplier',
      import_suppliers: [telling.supplier],
    })
  ).body as { api_key: string };
  token = await obtainToken(options.http, key.api_key);
  await moveAccount(telling);
  await attachToAccount(telling);
  await addInstructions(telling);
  await moveBusiness(telling);
  await populate(options, telling, token);
  await switchAccounts(telling);
  await look(telling);
  token = operatorToken;
  await lookAsOperator(telling);
}

const creation = (telling: Telling, number: string) => ({
  import_supplier_code: telling.supplier,
  external_account_number: number,
  operations_team_name: 'Migration',
});

async function setUp({ heading, step, supplier }: Telling): Promise<void> {
  heading('An operator sets up a supplier');
  await step('import supplier', 'PUT', `/v1/operations/import-suppliers/${supplier}/`, 201, {
    name: 'Demo supplier',
    status: 'Ongoing',
    document_root: 's3://demo-documents/',
  });
  await step('operations team', 'PUT', '/v1/operations/operations-teams/Migration/', 201, {});
}

async function moveAccount(telling: Telling): Promise<void> {
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

async function attachToAccount({ heading, step, supplier, run }: Telling): Promise<void> {
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

async function addInstructions({ heading, step, supplier, run }: Telling): Promise<void> {
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

async function moveBusiness(telling: Telling): Promise<void> {
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
async function switchAccounts({ heading, step, follow: awaitStatus, supplier, run }: Telling): Promise<void> {
  heading(
    'The industry switch: the sweeper asks for what is due, the network operator answers and sends market messages',
  );
  const status = `${DATA_IMPORT}/account-transfer-status/${supplier}/B-${run}-1/`;
  await step('the shop, created and due', 'GET', status, 200);
  await awaitStatus(status, 'COMPLETED');
  await step('switched', 'GET', status, 200);
}

async function lookAsOperator({ heading, step, supplier, run }: Telling): Promise<void> {
  heading('An operator looks at the switch, and sets one by hand');
  await step(
    'the account, with the history of its switch',
    'GET',
    `/v1/operations/accounts/${supplier}/B-${run}-1/`,
    200,
  );
  await step(
    'the kiosk by hand, for a reason',
    'PUT',
    `/v1/operations/account-import-processes/${supplier}/B-${run}-2/switch-status/`,
    200,
    { status: 'COMPLETED', reason: 'Told by telephone' },
  );
  await step('a message for an account that is not there: kept', 'POST', '/v1/operations/market-messages/', 200, {
    message_id: `DEMO-${run}`,
    import_supplier: supplier,
    external_account_number: 'NOBODY',
    outcome: 'ACCEPTED',
    occurred_at: '2026-11-20T08:00:00Z',
  });
  await step('what waits for an operator', 'GET', '/v1/operations/stuck/', 200);
}

async function follow(read: () => Promise<Answer>, awaited: string, say: (line: string) => void): Promise<void> {
  let last = '';
  for (const until = Date.now() + SWITCHED_WITHIN_MS; last !== awaited; await sleep(LOOK_EVERY_MS)) {
    const { status = '' } = (await read()).body as { status?: string };
    if (status !== last) say(`${new Date().toISOString().slice(11, 19)} ${status}`);
    last = status;
    if (Date.now() > until) throw new Error(`The demo awaited the status ${awaited} and saw ${last}.`);
  }
}

/** Identifiers of the simulators: known points, and an unknown one. */
const DEMO_POINTS = {
  prm_ids: ['25014987360042', '25098112340077', '99999999999999'],
  pce_ids: ['03628810476215'],
  customer_authorisation: true,
};
const POPULATE_PAUSE_MS = 500;
const POPULATE_LOOKS_MAX = 60;

async function populate(options: StoryOptions, { heading, step }: Telling, token: string): Promise<void> {
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

async function look({ heading, step, supplier, run }: Telling): Promise<void> {
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

async function obtainToken(http: string, key: string): Promise<string> {
  const query = 'mutation ($key: String!) { obtainToken(input: { organizationSecretKey: $key }) { token } }';
  const { body } = await call(http, 'POST', '/graphql/', '', { query, variables: { key } });
  const token = (body as { data?: { obtainToken?: { token?: string } } }).data?.obtainToken?.token;
  if (!token) throw new Error(`The demo could not obtain a token: ${JSON.stringify(body)}`);
  return token;
}

async function call(http: string, method: string, path: string, token: string, body?: unknown): Promise<Answer> {
  const response = await fetch(http + path, {
    method,
    headers: {
      ...(token ? { authorization: `Token ${token}` } : {}),
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  return { status: response.status, body: await response.json() };
}

function shortened(body: unknown): string {
  const text = JSON.stringify(body);
  return text.length <= BODY_SHOWN_MAX ? text : `${text.slice(0, BODY_SHOWN_MAX)} ... (${text.length} characters)`;
}
