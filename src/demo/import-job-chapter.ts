import type { Demo } from './demo-client.ts';
import { sampleAccount } from './sample.ts';

const JOBS = 'data-import/import-jobs/';
const ACCOUNTS = 2_000;
const CANARY = 50;
const DAY_MS = 86_400_000;
/** Supply starts late enough that no switch is due during the demo. */
const SUPPLY_STARTS_IN_DAYS = 300;
const TEAM = { operations_team_name: 'Migration' };

/** Imports a file of accounts: stages it with faults, corrects them, rehearses the creation, creates a canary, then the rest. */
export async function importFile(demo: Demo): Promise<void> {
  const { heading, step, call, follow, print } = demo;
  heading(`The supplier imports a file of ${ACCOUNTS.toLocaleString('en-US')} accounts as a job`);
  const cohort = sampleCohort(demo);
  const staging = await openJob(demo, { goal: 'STAGE' });
  await send(demo, staging, spoil(cohort));
  await runToEnd(demo, staging);
  await step(200, `GET ${JOBS}${staging}/causes/`, 'list the causes of the failed records, most frequent first');
  const left = await call<Resent[]>(`GET ${JOBS}${staging}/results/?outcome=failed&form=resend`);
  print(`       downloaded the ${left.length} failed records as they were sent, each with its faults in _errors`);
  const correction = await openJob(demo, { goal: 'STAGE', name: 'Corrected' });
  await send(demo, correction, corrected(left, cohort));
  await runToEnd(demo, correction);
  await runToEnd(demo, await openJob(demo, { goal: 'REHEARSE', selection: 'staged', ...TEAM }));
  const creation = await openJob(demo, { goal: 'CREATE', selection: 'staged', ...TEAM, options: { canary: CANARY } });
  const start = `start the job: it creates a canary of ${CANARY} accounts, then pauses`;
  await step(200, `POST ${JOBS}${creation}/start/`, start);
  await follow(`${JOBS}${creation}/`, 'PAUSED');
  await readCounts(demo, creation);
  await step(200, `POST ${JOBS}${creation}/resume/`, 'resume the job: it creates the other accounts');
  await follow(`${JOBS}${creation}/`, 'COMPLETED');
  const created = await readCounts(demo, creation);
  if (created !== ACCOUNTS) {
    throw new Error(`The demo expected ${ACCOUNTS} created accounts, but there are ${created}.`);
  }
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
