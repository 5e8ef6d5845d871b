import { afterAll, expect, test } from '@jest/globals';
import { recordOf, runningTotals } from '../../src/manifest/index.ts';
import { startAdictSimulator } from '../../src/vendors/network-operator/adict.simulator.ts';
import { startSgeSimulator } from '../../src/vendors/network-operator/sge.simulator.ts';
import { domesticAccount } from '../support/account-payload.ts';
import { issueToken } from '../support/issue-token.ts';
import { send } from '../support/harness.ts';
import { operatorSettings, points, POPULATE, sums } from '../support/population.ts';
import { until } from '../support/until.ts';
import { expectEachAccountOnce } from './assert-consistent.ts';
import { createAccounts } from './load.ts';
import { startStack, withoutThread, type Part } from './stack.ts';

// Large batches and jobs whose parts are killed. One stack for both.

const POINTS = Number(process.env['KILL_POINTS'] ?? 1_000);
/** Slow enough that much is left when a part is back. */
const PER_SECOND = Math.max(100, POINTS / 10);
/** Concurrent pages, and calls in each: what a killed worker can have called without storing the result. */
const IN_FLIGHT_MAX = 4 * 16;
/** Lines of each of the two jobs; KILL_JOB_LINES=20000 is the long form. */
const LINES = Number(process.env['KILL_JOB_LINES'] ?? 400);
/** Determines when the kills happen; any seed must work. */
const SEED = Number(process.env['KILL_JOB_SEED'] ?? 16);
/** Created by single calls while the jobs run. */
const SINGLE = 40;

const enedis = await startSgeSimulator({ recordCalls: true, latencyMs: 20 });
const grdf = await startAdictSimulator();
const stack = await startStack({ ...withoutThread, ...operatorSettings(enedis, grdf) });
await stack.query('update throttle set requests_per_second = $1::numeric, requests_per_hour = $1::numeric * 3600', [
  PER_SECOND,
]);
await stack.query(`insert into import_supplier (code, name) values ('SECOND', 'Second supplier of the tests')`);
const tokenOfSecond = await issueToken({ query: (text, values) => stack.query(text, values) }, 'supplier', ['SECOND']);
afterAll(async () => {
  await stack?.stop();
  await enedis?.stop();
  await grdf?.stop();
}, 120_000);

test('loses nothing of a batch with worker, Temporal, Postgres and API killed, and repeats only calls in progress', async () => {
  const answer = await send(stack.url, 'POST', POPULATE, { token: stack.token, body: { prm_ids: points(POINTS) } });
  expect(answer.status).toBe(201);
  const path = `${POPULATE}${answer.body.batch_id}/`;
  const completed = async () =>
    Number(
      (await stack.query<{ count: string }>(`select count(*) from population_request where state = 'imported'`))[0]
        ?.count,
    );
  const broken: unknown[] = [];
  const killAt: [share: number, part: Part][] = [
    [0.1, 'worker'],
    [0.2, 'temporal'],
    [0.35, 'postgres'],
    [0.5, 'api'],
    [0.8, 'worker'],
  ];
  for (const [share, part] of killAt) {
    await until(async () => (await completed()) >= share * POINTS, 100);
    await stack.kill(part);
    await stack.start(part);
    if (part === 'postgres') {
      await until(() =>
        stack.query('select 1').then(
          () => true,
          () => false,
        ),
      );
    }
    await stack.ready();
    const counts = sums((await send(stack.url, 'GET', path, { token: stack.token })).body);
    if (counts.imported + counts.pending + counts.errored !== counts.accepted) broken.push(counts);
  }
  await until(
    async () => (await send(stack.url, 'GET', path, { token: stack.token })).body?.status === 'COMPLETED',
    200,
  );
  const status = (await send(stack.url, 'GET', path, { token: stack.token })).body;
  expect(broken).toEqual([]);
  expect(sums(status)).toEqual({ accepted: POINTS, imported: POINTS, pending: 0, errored: 0 });
  expect(
    Number(
      (await stack.query<{ count: string }>('select count(*) from supply_point where facts is not null'))[0]?.count,
    ),
  ).toBe(POINTS);
  // Every repeated call for a point was in progress when a worker died, or was cut off with its database.
  const calls = enedis.calls.length;
  if (process.env['FIGURES']) process.stderr.write(`killed population: ${calls - POINTS} of ${POINTS} repeated\n`);
  expect(calls - POINTS).toBeLessThanOrEqual(killAt.length * IN_FLIGHT_MAX);
  await until(async () => (await stack.query('select 1 from work_item')).length === 0, 500);
}, 420_000);

/** Shares between 0 and 1 that follow from the seed. */
function shares(count: number): number[] {
  let state = SEED;
  const next = () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
  return Array.from({ length: count }, next).toSorted((one, other) => one - other);
}

async function call(token: string, method: string, path: string, body?: unknown, headers = {}) {
  const answer = await send(stack.url, method, `/v1/data-import/import-jobs/${path}`, { token, body, headers });
  if (answer.status >= 300) throw new Error(`${path} was answered ${answer.status}: ${JSON.stringify(answer.body)}`);
  return answer.body;
}

async function startJob(
  token: string,
  importSupplier: string,
  lines: readonly object[],
  manifest?: object,
): Promise<string> {
  const { job_id: jobId } = await call(token, 'POST', '', {
    import_supplier: importSupplier,
    kind: 'accounts',
    goal: 'CREATE',
    operations_team_name: 'Migration',
    ...(manifest && { manifest }),
  });
  const part = lines.map((line) => JSON.stringify(line)).join('\n');
  await call(token, 'PUT', `${jobId}/parts/1/`, part, { 'content-type': 'application/x-ndjson' });
  await call(token, 'POST', `${jobId}/start/`);
  return jobId;
}

const isBad = (index: number) => index % 50 === 25;
function accounts(importSupplier: string, from: number): (object & { external_account_number: string })[] {
  return Array.from({ length: LINES }, (_, index) => ({
    ...domesticAccount({ import_supplier: importSupplier }, from + index),
    ...(isBad(index) ? { account_type: 'CASTLE' as never } : {}),
  }));
}

/** The manifest of the accounts of a job, without those that are invalid. */
function manifestOf(records: readonly object[]): object {
  const totals = runningTotals();
  for (const [index, record] of records.entries()) {
    if (!isBad(index)) totals.add('accounts', recordOf('accounts', record));
  }
  return { type: 'gangway-manifest/1', kinds: totals.kinds() };
}

/** The totals of a job would differ from its manifest if a page was counted twice or not at all. */
async function expectCountedOnce(jobId: string): Promise<void> {
  await stack.ready();
  const { manifest } = await call(stack.token, 'GET', `${jobId}/`);
  expect(manifest).toMatchObject({ state: 'agrees', differences: [] });
}

interface JobProgress extends Record<string, unknown> {
  id: string;
  status: string;
  accepted: number;
  judged: number;
  succeeded: number;
  failed: number;
  linesJudged: number;
  linesSucceeded: number;
  linesFailed: number;
}

/** The jobs with their line counts from one statement; undefined while the database is down. */
const jobProgress = () =>
  stack
    .query<JobProgress>(
      `select j.id, j.status, j.accepted, j.judged, j.succeeded, j.failed, count(l)::integer as "linesJudged",
         count(l) filter (where l.state = 'succeeded')::integer as "linesSucceeded",
         count(l) filter (where l.state in ('failed', 'quarantined'))::integer as "linesFailed"
       from import_job j left join import_job_line l on l.job_id = j.id group by j.id`,
    )
    .catch(() => undefined);

/** Kills a part whenever the jobs reach the next share, until they are done. */
async function disturb(kills: [share: number, part: Part][]): Promise<JobProgress[]> {
  let disturbing = Promise.resolve();
  for (;;) {
    const jobs = await jobProgress();
    for (const { judged, succeeded, failed, linesJudged, linesSucceeded, linesFailed } of jobs ?? []) {
      expect({ judged, succeeded, failed }).toEqual({
        judged: linesJudged,
        succeeded: linesSucceeded,
        failed: linesFailed,
      });
    }
    const steps = (jobs ?? []).reduce((sum, { judged, succeeded, failed }) => sum + judged + succeeded + failed, 0);
    while (kills[0] && steps >= kills[0][0] * 4 * LINES) {
      const [, part] = kills.shift()!;
      disturbing = disturbing.then(() => stack.kill(part)).then(() => stack.start(part));
    }
    if (jobs?.every(({ status }) => status === 'COMPLETED')) {
      await disturbing;
      return jobs;
    }
    await new Promise((resolve) => {
      setTimeout(resolve, 50);
    });
  }
}

test('neither loses nor repeats a line with parts killed at any moment under two jobs and single calls', async () => {
  const first = accounts('SUPPLIER_FR', 1);
  const second = accounts('SECOND', LINES + 1);
  const jobs = [
    await startJob(stack.token, 'SUPPLIER_FR', first, manifestOf(first)),
    await startJob(tokenOfSecond, 'SECOND', second),
  ];
  const [at1, at2, at3, at4, at5] = shares(5) as [number, number, number, number, number];
  const disturbing = disturb([
    [at1, 'worker'],
    [at2, 'postgres'],
    [at3, 'worker'],
    [at4, 'api'],
    [at5, 'temporal'],
  ]);
  // The last accounts of the first job: the job stages them at some time, and the first request or job creates them.
  const single = first
    .filter((_, index) => !isBad(index))
    .slice(-SINGLE)
    .map((account) => account.external_account_number);
  await untilStaged(single);
  const creating = createAccounts(stack, single, { clients: 4, pauseMs: 200 });
  const ended = await disturbing;
  const { completed } = await creating;
  await expectCountedOnce(jobs[0]!);

  const bad = first.filter((_, index) => isBad(index)).length;
  for (const { accepted, succeeded, failed } of ended) expect(succeeded + failed).toBe(accepted);
  const lines = await stack.query<{ key: string; number: string | null; state: string; code: string | null }>(
    `select key, number, state, errors -> 0 ->> 'code' as code from import_job_line where job_id = any($1)`,
    [jobs],
  );
  expect(lines).toHaveLength(2 * LINES);
  const failures = lines.filter(({ state }) => state !== 'succeeded');
  const alreadyThere = failures.filter(({ code }) => code === 'account_import_process_already_imported');
  expect(failures.filter(({ code }) => code === 'invalid_choice')).toHaveLength(2 * bad);
  expect(failures).toHaveLength(2 * bad + alreadyThere.length);
  const numberOf = new Map(completed.map((one) => [one.externalAccountNumber, one.serviceAccountNumber]));
  for (const { key } of alreadyThere) expect(numberOf.has(key)).toBe(true);
  const created = lines
    .filter(({ state }) => state === 'succeeded')
    .map(({ key, number }) => ({
      externalAccountNumber: key,
      serviceAccountNumber: number as string,
      status: 201 as const,
    }))
    .concat(
      alreadyThere.map(({ key }) => ({
        externalAccountNumber: key,
        serviceAccountNumber: numberOf.get(key)!,
        status: 201 as const,
      })),
    );
  const valid = [...first, ...second]
    .filter((_, index) => !isBad(index % LINES))
    .map((account) => account.external_account_number);
  await expectEachAccountOnce(stack, valid, created);
}, 600_000);

async function untilStaged(externals: readonly string[]): Promise<void> {
  for (;;) {
    const staged = await stack
      .query('select 1 from import_process where external_account_number = any($1)', [externals])
      .catch(() => []);
    if (staged.length === externals.length) return;
    await new Promise((resolve) => {
      setTimeout(resolve, 100);
    });
  }
}
