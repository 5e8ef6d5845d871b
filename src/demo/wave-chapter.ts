import { setTimeout as sleep } from 'node:timers/promises';
import type { Demo } from './demo-client.ts';
import { sampleAccount } from './sample.ts';

const JOBS = 'data-import/import-jobs/';
const WAVES = 'data-import/waves/';
const OPERATED = 'operations/waves/';
const GATE_WITHIN_MS = 120_000;
const POLL_EVERY_MS = 500;
const ACCOUNTS = 2_000;
const CANARY = 50;
const DAY_MS = 86_400_000;
/** Supply starts late enough that no switch is due during the demo. */
const SUPPLY_STARTS_IN_DAYS = 300;
const TEAM = { operations_team_name: 'Migration' };

/** The keys of the people of this chapter. */
export interface WavePeople {
  supplier: string;
  /** An operator who asks for approval and signs off. */
  operator: string;
  /** Another operator, who approves. */
  approver: string;
}

/** Moves a file of accounts as a wave: staged with faults, corrected, rehearsed, approved, created with a canary, withdrawn, created again, signed off. */
export async function moveWave(demo: Demo, people: WavePeople): Promise<void> {
  const { heading, step, call, print, signIn } = demo;
  heading(`The supplier moves ${ACCOUNTS.toLocaleString('en-US')} accounts as a wave`);
  const wave = await openWave(demo, 'Brittany 3');
  const cohort = sampleCohort(demo);
  const staging = await openJob(demo, { goal: 'STAGE', wave_id: wave });
  await send(demo, staging, spoil(cohort));
  await runToEnd(demo, staging);
  await step(200, `GET ${JOBS}${staging}/causes/`, 'list the causes of the failed records, most frequent first');
  const left = await call<Resent[]>(`GET ${JOBS}${staging}/results/?outcome=failed&form=resend`);
  print(`       downloaded the ${left.length} failed records as they were sent, each with its faults in _errors`);
  const correction = await openJob(demo, { goal: 'STAGE', name: 'Corrected', wave_id: wave });
  await send(demo, correction, corrected(left, cohort));
  await runToEnd(demo, correction);
  await step(200, `POST ${WAVES}${wave}/rehearse/`, 'rehearse the wave: every account is created and rolled back');
  await untilGate(demo, wave, 'rehearsed');

  heading('A second operator approves exactly what was rehearsed');
  await signIn(people.operator);
  const reason = { reason: 'Rehearsed without failures.' };
  await step(200, `POST ${OPERATED}${wave}/request-approval/`, 'ask for approval', reason);
  await step(400, `POST ${OPERATED}${wave}/approve/`, 'the person who asked cannot approve', reason);
  await signIn(people.approver);
  await step(200, `POST ${OPERATED}${wave}/approve/`, 'another person approves', reason);

  heading('The wave is created: first a canary, then the rest');
  await signIn(people.supplier);
  await create(demo, wave);
  await readNumbers(demo, wave);

  heading(
    'The date was wrong: the wave is withdrawn, which needs a second person too, and its accounts join another wave',
  );
  await withdraw(demo, wave, people);
  const again = await openWave(demo, 'Brittany 3, again');
  const members = cohort.map(({ external_account_number }) => ({ external_account_number }));
  const { added } = await call<{ added: number }>(`PUT ${WAVES}${again}/accounts/`, members);
  print(`       ${added} withdrawn accounts are staged again and joined the new wave`);
  await step(200, `POST ${WAVES}${again}/rehearse/`, 'rehearse it');
  await untilGate(demo, again, 'rehearsed');
  await create(demo, again);
  await readNumbers(demo, again);

  heading('The wave is compared with its files and signed off');
  const job = await creationJob(demo, again);
  await step(201, 'POST data-import/reconciliations/', 'compare what is stored with what was accepted', {
    job_id: job,
  });
  await untilGate(demo, again, 'reconciled');
  await signIn(people.operator);
  await step(200, `POST ${OPERATED}${again}/sign-off/`, 'sign the wave off', {
    reason: 'Certificate without differences.',
  });
  await step(200, `GET ${OPERATED}${again}/`, 'read the wave with the evidence of its gates');
  await signIn(people.supplier);
}

/** Creates the wave; its job pauses after the canary. */
async function create(demo: Demo, wave: string): Promise<void> {
  const { step, follow, print, call } = demo;
  await step(200, `POST ${WAVES}${wave}/create/`, `create the wave: a canary of ${CANARY} accounts comes first`);
  await follow(`${WAVES}${wave}/`, 'CREATING');
  await follow(`${JOBS}${await creationJob(demo, wave)}/`, 'PAUSED');
  await step(200, `POST ${WAVES}${wave}/resume/`, 'the canary is right: create the rest');
  await untilGate(demo, wave, 'created');
  await follow(`${WAVES}${wave}/`, 'CREATED');
  const { counts } = await call<{ counts: object }>(`GET ${WAVES}${wave}/`);
  print(`       counts of the wave: ${JSON.stringify(counts)}`);
}

/** Withdraws the wave: first a preview, then in pages. Because its creation was approved, a second person approves the withdrawal. */
async function withdraw(demo: Demo, wave: string, people: WavePeople): Promise<void> {
  const { step, follow, signIn } = demo;
  const reason = 'Supply starts a month later.';
  await step(200, `POST ${WAVES}${wave}/withdraw/`, 'preview the withdrawal', { reason, dry_run: true });
  await signIn(people.operator);
  await step(200, `POST ${OPERATED}${wave}/request-withdrawal-approval/`, 'ask for approval of the withdrawal', {
    reason,
  });
  await signIn(people.approver);
  await step(200, `POST ${OPERATED}${wave}/approve/`, 'another person approves it', { reason });
  await signIn(people.supplier);
  await step(202, `POST ${WAVES}${wave}/withdraw/`, 'withdraw all accounts of the wave', { reason });
  await follow(`${WAVES}${wave}/`, 'WITHDRAWN');
}

async function openWave({ call, print, supplier }: Demo, name: string): Promise<string> {
  const request = { import_supplier: supplier, name, ...TEAM, options: { canary: CANARY } };
  const { wave_id: wave } = await call<{ wave_id?: string }>('POST data-import/waves/', request);
  if (wave === undefined) throw new Error('The demo could not open a wave.');
  print(`  201  open a wave: ${JSON.stringify(request)} -> ${wave}`);
  return wave;
}

async function readNumbers({ call, print }: Demo, wave: string): Promise<void> {
  const numbers = await call<object[]>(`GET ${WAVES}${wave}/numbers/`);
  print(`       downloaded ${numbers.length} pairs of external and service number`);
  if (numbers.length !== ACCOUNTS) {
    throw new Error(`The demo expected ${ACCOUNTS} created accounts, but there are ${numbers.length}.`);
  }
}

interface SeenWave {
  gates: { name: string; state: string; evidence: string }[];
  jobs: { job_id: string; goal: string; kind: string }[];
}

/** The newest job that creates the wave. */
async function creationJob({ call }: Demo, wave: string): Promise<string> {
  const { jobs } = await call<SeenWave>(`GET ${WAVES}${wave}/`);
  const job = jobs.find(({ goal }) => goal === 'CREATE');
  if (job === undefined) throw new Error('The demo expected a job that creates the wave.');
  return job.job_id;
}

/** Waits until a gate is passed, and prints its evidence. */
async function untilGate({ call, print }: Demo, wave: string, name: string): Promise<void> {
  for (const until = Date.now() + GATE_WITHIN_MS; Date.now() < until; await sleep(POLL_EVERY_MS)) {
    const { gates } = await call<SeenWave>(`GET ${WAVES}${wave}/`);
    const gate = gates.find((one) => one.name === name);
    if (gate?.state === 'passed') {
      print(`       gate ${name}: ${gate.evidence}`);
      return;
    }
  }
  throw new Error(`The demo expected the gate ${name} of the wave to be passed.`);
}

async function openJob({ call, print, supplier }: Demo, request: object): Promise<string> {
  const opened = await call<{ job_id?: string }>(`POST ${JOBS}`, {
    import_supplier: supplier,
    kind: 'accounts',
    ...request,
  });
  if (opened.job_id === undefined) throw new Error('The demo could not open an import job.');
  print(`  201  open a job: ${JSON.stringify(request)} -> ${JSON.stringify(opened)}`);
  return opened.job_id;
}

async function send({ call, print }: Demo, jobId: string, records: readonly object[]): Promise<void> {
  const stored = await call(`PUT ${JOBS}${jobId}/parts/1/`, records);
  print(`       uploaded the records, compressed with gzip: ${JSON.stringify(stored)}`);
}

async function runToEnd(demo: Demo, jobId: string): Promise<void> {
  await demo.step(200, `POST ${JOBS}${jobId}/start/`, 'start the job');
  await demo.follow(`${JOBS}${jobId}/`, 'COMPLETED');
  await readCounts(demo, jobId);
}

/** Prints the counts of a job. @returns the number of records that succeeded */
async function readCounts({ call, print }: Demo, jobId: string): Promise<number> {
  const { counts } = await call<{ counts: { succeeded: number } }>(`GET ${JOBS}${jobId}/`);
  print(`       counts of the job: ${JSON.stringify(counts)}`);
  return counts.succeeded;
}

interface Resent {
  external_account_number: string;
  _line: number;
  _errors: object[];
}

/** The corrected records; an upload ignores the members that the results added. */
function corrected(left: readonly Resent[], cohort: readonly Account[]): object[] {
  const right = new Map(cohort.map((account) => [account.external_account_number, account]));
  return left.map(({ external_account_number: number, _line, _errors }) => ({ ...right.get(number), _line, _errors }));
}

type Account = ReturnType<typeof cohortAccount>;

/** Accounts with one supply point each. */
function sampleCohort(demo: Demo): Account[] {
  const first = (Date.now() % 1_000_000) * 10_000;
  return Array.from({ length: ACCOUNTS }, (_, index) =>
    cohortAccount(demo, `J-${demo.run}-${index + 1}`, `26${String(first + index).padStart(12, '0')}`),
  );
}

function cohortAccount(demo: Demo, number: string, identifier: string) {
  const account = { ...sampleAccount(demo, number), statements: [], notes: [], payment_preferences: [] };
  const [address] = account.supply_addresses;
  const starts = new Date(Date.now() + SUPPLY_STARTS_IN_DAYS * DAY_MS).toISOString().slice(0, 10);
  const point = {
    identifier,
    supply_type: 'ELECTRICITY',
    supply_start_date: starts,
    agreements: [{ tariff_code: 'ELEC-BASE-2026', effective_from: starts }],
    payment_instructions: [{ vendor: 'GOCARDLESS', reference: `MD${identifier}`, type: 'DIRECT_DEBIT' }],
  };
  return { ...account, supply_addresses: [{ ...address!, supply_points: [point] }] };
}

/** Faults that are typical of a first export. */
const FAULTS: readonly ((account: Account) => object)[] = [
  () => ({ account_type: 'HOUSEHOLD' }),
  () => ({ last_billed_to_date: '2026-02-30' }),
  ({ customers }) => ({ customers: customers.map((customer) => ({ ...customer, mobile: '06 12' })) }),
  ({ supply_addresses: addresses }) => ({
    supply_addresses: addresses.map(({ supply_points: points, ...address }) => ({
      ...address,
      supply_points: points.map((point) => ({ ...point, identifier: point.identifier.slice(1) })),
    })),
  }),
];

/** Every thirtieth account has a fault; every hundredth has a misspelled member, which is only a warning. */
function spoil(cohort: readonly Account[]): object[] {
  return cohort.map((account, index) => {
    const fault = index % 30 === 11 ? FAULTS[(index % 7) % FAULTS.length] : undefined;
    if (fault !== undefined) return { ...account, ...fault(account) };
    return index % 100 === 3 ? { ...account, billingPostCode: account.billing_postcode } : account;
  });
}
