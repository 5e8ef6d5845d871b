import { call, readLines, upload } from './api-client.ts';
import { sampleCohort, spoil } from './sample-cohort.ts';
import type { StoryOptions, Telling } from './telling.ts';

const JOBS = '/v1/data-import/import-jobs/';
const ACCOUNTS = 2_000;
const CANARY = 50;

type Sent = Record<string, unknown>;

/** A whole file of accounts: staged with faults, mended by their causes, rehearsed, tried with a few, created. */
export async function importFile(options: StoryOptions, telling: Telling, token: string): Promise<void> {
  const { heading, step, supplier, run } = telling;
  heading(`The supplier imports a file of ${ACCOUNTS} accounts as a job`);
  const cohort = sampleCohort(supplier, run, ACCOUNTS);
  const teller = { options, telling, token };
  const staging = await openJob(teller, { goal: 'STAGE' });
  await send(teller, staging, spoil(cohort));
  await runToEnd(teller, staging);
  await step('why records failed: mend what blocks most', 'GET', `${JOBS}${staging}/causes/`, 200);
  const left = await readLines(options.http, `${JOBS}${staging}/results/?outcome=failed&form=resend`, token);
  options.say(`       ${left.length} records come back as they were sent, each with its faults in _errors`);
  const mending = await openJob(teller, { goal: 'STAGE', name: 'Mended' });
  await send(teller, mending, mended(left, cohort));
  await runToEnd(teller, mending);
  const rehearsal = await openJob(teller, { goal: 'REHEARSE', selection: 'staged', operations_team_name: 'Migration' });
  await runToEnd(teller, rehearsal);
  const creation = await openJob(teller, {
    goal: 'CREATE',
    selection: 'staged',
    operations_team_name: 'Migration',
    options: { canary: CANARY },
  });
  await step('start: a canary first', 'POST', `${JOBS}${creation}/start/`, 200);
  await telling.follow(`${JOBS}${creation}/`, 'PAUSED');
  await step(`the first ${CANARY} are created; the rest waits`, 'GET', `${JOBS}${creation}/`, 200);
  await step('resume', 'POST', `${JOBS}${creation}/resume/`, 200);
  await telling.follow(`${JOBS}${creation}/`, 'COMPLETED');
  await expectAll(teller, creation, ACCOUNTS);
}

interface Teller {
  options: StoryOptions;
  telling: Telling;
  token: string;
}

async function openJob({ options, telling, token }: Teller, request: object): Promise<string> {
  const { http, say } = options;
  const body = { import_supplier: telling.supplier, kind: 'accounts', ...request };
  const answer = await call(http, 'POST', JOBS, token, body);
  say(`  ${answer.status}  a job: ${JSON.stringify(request)} -> ${JSON.stringify(answer.body)}`);
  const { job_id: jobId } = answer.body as { job_id?: string };
  if (jobId === undefined) throw new Error('The demo could not open an import job.');
  return jobId;
}

async function send({ options, token }: Teller, jobId: string, records: readonly Sent[]): Promise<void> {
  const { body } = await upload(options.http, `${JOBS}${jobId}/parts/1/`, token, records);
  options.say(`       uploaded, packed: ${JSON.stringify(body)}`);
}

async function runToEnd(teller: Teller, jobId: string): Promise<void> {
  const { step, follow } = teller.telling;
  await step('start', 'POST', `${JOBS}${jobId}/start/`, 200);
  await follow(`${JOBS}${jobId}/`, 'COMPLETED');
  await step('the job: counts, rate and first causes', 'GET', `${JOBS}${jobId}/`, 200);
}

async function expectAll({ options, token }: Teller, jobId: string, accounts: number): Promise<void> {
  const { body } = await call(options.http, 'GET', `${JOBS}${jobId}/`, token);
  const { counts } = body as { counts: { succeeded: number } };
  options.say(`       ${JSON.stringify(counts)}`);
  if (counts.succeeded !== accounts) {
    throw new Error(`The demo expected ${accounts} accounts to be created and saw ${counts.succeeded}.`);
  }
}

/** The records as they should have been; what the results added to them may stay. */
function mended(left: readonly Sent[], cohort: readonly Sent[]): Sent[] {
  const right = new Map(cohort.map((account) => [account['external_account_number'], account]));
  return left.map(({ external_account_number: number, _line, _errors }) => ({ ...right.get(number), _line, _errors }));
}
