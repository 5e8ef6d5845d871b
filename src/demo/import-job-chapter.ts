import { call, readLines, upload, type Demo, type DemoOptions } from './demo-client.ts';
import { sampleDomesticAccount } from './sample.ts';

const JOBS = '/v1/data-import/import-jobs/';
const ACCOUNTS = 2_000;
const CANARY = 50;
const DAY_MS = 86_400_000;
/** Supply starts late enough that no switch is due during the demo. */
const SUPPLY_STARTS_IN_DAYS = 300;

type Sent = Record<string, unknown>;

/** Imports a file of accounts: stages it with faults, corrects them, rehearses the creation, creates a canary, then the rest. */
export async function importFile(options: DemoOptions, demo: Demo, token: string): Promise<void> {
  const { heading, step, supplier, run } = demo;
  heading(`The supplier imports a file of ${ACCOUNTS.toLocaleString('en-US')} accounts as a job`);
  const cohort = sampleCohort(supplier, run, ACCOUNTS);
  const session = { options, demo, token };
  const staging = await openJob(session, { goal: 'STAGE' });
  await send(session, staging, spoil(cohort));
  await runToEnd(session, staging);
  await step('list the causes of the failed records, most frequent first', 'GET', `${JOBS}${staging}/causes/`, 200);
  const left = await readLines(options.http, `${JOBS}${staging}/results/?outcome=failed&form=resend`, token);
  options.print(
    `       downloaded the ${left.length} failed records as they were sent, each with its faults in _errors`,
  );
  const correction = await openJob(session, { goal: 'STAGE', name: 'Corrected' });
  await send(session, correction, corrected(left, cohort));
  await runToEnd(session, correction);
  const rehearsal = await openJob(session, {
    goal: 'REHEARSE',
    selection: 'staged',
    operations_team_name: 'Migration',
  });
  await runToEnd(session, rehearsal);
  const creation = await openJob(session, {
    goal: 'CREATE',
    selection: 'staged',
    operations_team_name: 'Migration',
    options: { canary: CANARY },
  });
  await step(
    `start the job: it creates a canary of ${CANARY} accounts, then pauses`,
    'POST',
    `${JOBS}${creation}/start/`,
    200,
  );
  await demo.follow(`${JOBS}${creation}/`, 'PAUSED');
  await readCounts(session, creation);
  await step('resume the job: it creates the other accounts', 'POST', `${JOBS}${creation}/resume/`, 200);
  await demo.follow(`${JOBS}${creation}/`, 'COMPLETED');
  await expectAll(session, creation, ACCOUNTS);
}

interface Session {
  options: DemoOptions;
  demo: Demo;
  token: string;
}

async function openJob({ options, demo, token }: Session, request: object): Promise<string> {
  const { http, print } = options;
  const body = { import_supplier: demo.supplier, kind: 'accounts', ...request };
  const answer = await call(http, 'POST', JOBS, token, body);
  print(`  ${answer.status}  open a job: ${JSON.stringify(request)} -> ${JSON.stringify(answer.body)}`);
  const { job_id: jobId } = answer.body as { job_id?: string };
  if (jobId === undefined) throw new Error('The demo could not open an import job.');
  return jobId;
}

async function send({ options, token }: Session, jobId: string, records: readonly Sent[]): Promise<void> {
  const { body } = await upload(options.http, `${JOBS}${jobId}/parts/1/`, token, records);
  options.print(`       uploaded the records, compressed with gzip: ${JSON.stringify(body)}`);
}

async function runToEnd(session: Session, jobId: string): Promise<void> {
  const { step, follow } = session.demo;
  await step('start the job', 'POST', `${JOBS}${jobId}/start/`, 200);
  await follow(`${JOBS}${jobId}/`, 'COMPLETED');
  await readCounts(session, jobId);
}

/** Prints the counts of a job. @returns the number of records that succeeded */
async function readCounts({ options, token }: Session, jobId: string): Promise<number> {
  const { body } = await call(options.http, 'GET', `${JOBS}${jobId}/`, token);
  const { counts } = body as { counts: { succeeded: number } };
  options.print(`       counts of the job: ${JSON.stringify(counts)}`);
  return counts.succeeded;
}

async function expectAll(session: Session, jobId: string, accounts: number): Promise<void> {
  const created = await readCounts(session, jobId);
  if (created !== accounts) {
    throw new Error(`The demo expected ${accounts} created accounts, but there are ${created}.`);
  }
}

/** The corrected records; an upload ignores the members that the results added. */
function corrected(left: readonly Sent[], cohort: readonly Sent[]): Sent[] {
  const right = new Map(cohort.map((account) => [account['external_account_number'], account]));
  return left.map(({ external_account_number: number, _line, _errors }) => ({ ...right.get(number), _line, _errors }));
}

type Account = ReturnType<typeof cohortAccount>;

/** Accounts with one supply point each. */
function sampleCohort(importSupplier: string, run: string, count: number): Account[] {
  const first = (Date.now() % 1_000_000) * 10_000;
  return Array.from({ length: count }, (_, index) =>
    cohortAccount(importSupplier, `J-${run}-${index + 1}`, `26${String(first + index).padStart(12, '0')}`),
  );
}

function cohortAccount(importSupplier: string, number: string, identifier: string) {
  const { customers, supply_addresses: addresses, ...account } = sampleDomesticAccount(importSupplier, number);
  const { statements: _statements, notes: _notes, payment_preferences: _preferences, ...plain } = account;
  const [address] = addresses;
  const starts = new Date(Date.now() + SUPPLY_STARTS_IN_DAYS * DAY_MS).toISOString().slice(0, 10);
  return {
    ...plain,
    customers,
    supply_addresses: [
      {
        ...address!,
        supply_points: [
          {
            identifier,
            supply_type: 'ELECTRICITY',
            supply_start_date: starts,
            agreements: [{ tariff_code: 'ELEC-BASE-2026', effective_from: starts }],
            payment_instructions: [{ vendor: 'GOCARDLESS', reference: `MD${identifier}`, type: 'DIRECT_DEBIT' }],
          },
        ],
      },
    ],
  };
}

/** Adds faults that are typical of a first export. */
function spoil(cohort: readonly Account[]): Record<string, unknown>[] {
  const faults: ((account: Account) => Record<string, unknown>)[] = [
    (account) => ({ ...account, account_type: 'HOUSEHOLD' }),
    (account) => ({ ...account, last_billed_to_date: '2026-02-30' }),
    (account) => ({ ...account, customers: account.customers.map((customer) => ({ ...customer, mobile: '06 12' })) }),
    (account) => ({
      ...account,
      supply_addresses: account.supply_addresses.map((address) => ({
        ...address,
        supply_points: address.supply_points.map((point) => ({ ...point, identifier: point.identifier.slice(1) })),
      })),
    }),
  ];
  // Every thirtieth account has a fault; every hundredth has a misspelled member, which is only a warning.
  return cohort.map((account, index) => {
    const fault = index % 30 === 11 ? faults[(index % 7) % faults.length] : undefined;
    if (fault !== undefined) return fault(account);
    return index % 100 === 3 ? { ...account, billingPostCode: account.billing_postcode } : account;
  });
}
