import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { randomOf } from '../support/account-variants.ts';
import { startService, type Service } from '../support/harness.ts';
import { until } from '../support/until.ts';
import { waveAccount, waveClient, type WaveClient } from '../support/waves.ts';

// While a wave is created, single calls stage its accounts again, create them and exclude them.

const ACCOUNTS = 90;
const CALLS = 20;
const SEED = 11;

let service: Service;
let client: WaveClient;
beforeAll(async () => {
  service = await startService({ worker: true });
  client = await waveClient(service);
});
afterAll(() => service?.stop());

const post = (path: string, body: object) =>
  service.call('POST', `/v1/data-import/account-import-process/${path}/`, { token: client.jobs.token, body });

/** Draws accounts that are staged again, created and excluded. */
function drawGroups(externals: readonly string[]): [string[], string[], string[]] {
  const random = randomOf(SEED);
  const drawn = externals
    .map((external) => ({ external, at: random() }))
    .toSorted((one, other) => one.at - other.at)
    .map(({ external }) => external);
  return [0, 1, 2].map((group) => drawn.slice(group * CALLS, (group + 1) * CALLS)) as [string[], string[], string[]];
}

/** Stages, creates and excludes accounts with single calls. @returns the responses by account */
async function callAll(wave: string, [restaged, created, excluded]: [string[], string[], string[]]) {
  return Promise.all([
    ...restaged.map((external) =>
      post('create-or-update', { ...waveAccount(external), sales_channel: 'TELESALES' }).then((answer) => ({
        external,
        ...answer,
      })),
    ),
    ...created.map((external) =>
      post('process', {
        import_supplier_code: 'SUPPLIER_FR',
        external_account_number: external,
        operations_team_name: 'Migration',
      }).then((answer) => ({ external, ...answer })),
    ),
    ...excluded.map((external) =>
      client
        .post(wave, 'exclude', { accounts: [external], reason: 'Follows later.' })
        .then((answer) => ({ external, ...answer })),
    ),
  ]);
}

/** The counts of the wave, of its job, of events and of the certificate agree with the accounts. */
async function expectAgreement(wave: string, existing: number): Promise<void> {
  const { pool } = service.database;
  const { counts, creation_job_id: jobId } = await client.see(wave);
  expect(counts).toMatchObject({
    accounts: ACCOUNTS,
    excluded: CALLS,
    created: existing,
    pending: 0,
    rejected: 0,
    quarantined: 0,
  });
  const { rows: events } = await pool.query(
    `select count(*)::integer as events, count(distinct data ->> 'external_account_number')::integer as accounts
     from (select type, data from event union all select type, data from event_outbox) e where type = 'import.account.created.v1'`,
  );
  expect(events).toEqual([{ events: existing, accounts: existing }]);
  const job = (await client.see(wave)).jobs.find(({ job_id: id }: { job_id: string }) => id === jobId);
  expect(job.succeeded + job.failed).toBe(job.accepted);
  const { rows: lines } = await pool.query(
    `select count(*)::integer as succeeded, count(distinct number)::integer as numbers from import_job_line where job_id = $1 and state = 'succeeded'`,
    [jobId],
  );
  expect(lines).toEqual([{ succeeded: job.succeeded, numbers: job.succeeded }]);

  const body = { job_id: jobId };
  await service.call('POST', '/v1/data-import/reconciliations/', { token: client.jobs.token, body });
  await client.untilGate(wave, 'reconciled', 'passed');
  const link = (await client.see(wave)).gates.find(({ name }: { name: string }) => name === 'reconciled').link;
  const certificate = (await service.call('GET', link, { token: client.jobs.token })).body;
  expect(certificate.counts).toMatchObject({ accounts: job.succeeded, different: 0 });
}

test('loses and doubles no account of a wave whose accounts single calls change, create and exclude meanwhile', async () => {
  const { pool } = service.database;
  const externals = Array.from({ length: ACCOUNTS }, (_, index) => `BESIDE-${index}`);
  // Slow enough that the calls come in between.
  const wave = await client.open({ options: { max_per_second: 30 } });
  await client.stage(wave, externals);
  await client.post(wave, 'rehearse');
  await client.untilGate(wave, 'rehearsed', 'passed');
  expect((await client.post(wave, 'create')).status).toBe(200);
  await until(async () => (await client.see(wave)).status === 'CREATING');

  const groups = drawGroups(externals);
  const [restaged, , excluded] = groups;
  const answers = await callAll(wave, groups);
  const refused = answers.filter(({ status }) => status >= 300).map(({ body }) => body.code);
  expect(new Set(refused).difference(new Set(['account_import_process_already_imported']))).toEqual(new Set());
  await until(async () => (await client.see(wave)).status === 'CREATED');

  // Each account exists once, or is excluded; none is lost.
  const { rows: accounts } = await pool.query(
    `select external_account_number as external, count(*)::integer as count, min(sales_channel) as channel
     from account where external_account_number like 'BESIDE-%' group by 1`,
  );
  expect(accounts.filter(({ count }) => count !== 1)).toEqual([]);
  const existing = new Map(accounts.map(({ external, channel }) => [external, channel]));
  expect(externals.filter((external) => !existing.has(external) && !excluded.includes(external))).toEqual([]);

  // What was staged in time was created; later calls were rejected.
  const accepted = restaged.filter((external) =>
    answers.some((answer) => answer.external === external && answer.status < 300),
  );
  expect(accepted.filter((external) => existing.get(external) !== 'TELESALES')).toEqual([]);

  await expectAgreement(wave, existing.size);
}, 120_000);
