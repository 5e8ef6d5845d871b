import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { Locator } from 'playwright-core';
import { reportPartyHealth } from '../../src/platform/vendor-http/party-health.store.ts';
import { createLog } from '../../src/platform/log.ts';
import { domesticAccount } from '../support/account-payload.ts';
import { startBrowser, type TestBrowser } from '../support/browser.ts';
import { jobClient, type JobClient } from '../support/import-jobs.ts';
import { points, startPopulation, sums, type PopulationService } from '../support/population.ts';
import { untilJob } from '../support/run-import-job.ts';
import { startSite, type Site } from '../support/support-site.ts';
import { startTask, type Task } from '../support/task-of-a-day.ts';
import { until } from '../support/until.ts';
import { waveClient, type WaveClient } from '../support/waves.ts';

// The tasks of a day of migration staff, each in at most three clicks or one search from the overview.

let service: PopulationService;
let site: Site;
let browser: TestBrowser;
let jobs: JobClient;
let waves: WaveClient;
beforeAll(async () => {
  service = await startPopulation();
  site = await startSite(service);
  browser = await startBrowser();
  jobs = await jobClient(service);
  waves = await waveClient(service);
}, 120_000);
afterAll(async () => {
  await browser?.stop();
  await site?.stop();
  await service?.stop();
});

/** Accounts of this file; those of waves have lower numbers. */
let accounts = 200_000;
function account(external: string, more: object = {}) {
  accounts += 1;
  return domesticAccount({ import_supplier: 'SUPPLIER_FR', external_account_number: external, ...more }, accounts);
}

/** Uploads and starts a job that creates accounts. @returns its id */
async function startCreation(more: object, lines: readonly object[]): Promise<string> {
  const jobId = await jobs.open({ goal: 'CREATE', operations_team_name: 'Migration', ...more });
  await jobs.put(jobId, 1, lines.map((line) => JSON.stringify(line)).join('\n'));
  expect((await jobs.post(jobId, 'start')).status).toBe(200);
  return jobId;
}

const create = async (more: object, lines: readonly object[]) =>
  untilJob(service.database, await startCreation(more, lines));

/** An account that is rejected because of its sales channel. */
const faulty = (external: string) => account(external, { sales_channel: 7 });

const button = ({ main }: Task, name: string | RegExp) => main.getByRole('button', { name });
const link = ({ main }: Task, name: string | RegExp) => main.getByRole('link', { name });
const seen = async (on: Locator) => on.first().waitFor();

async function begin(): Promise<Task> {
  await tasks.at(-1)?.page.context().close();
  const task = await startTask(browser, site);
  tasks.push(task);
  return task;
}
const tasks: Task[] = [];

test('a customer calls with name and town', async () => {
  const address = { billing_address3: 'Saint-Malo', billing_postcode: '35400' };
  const named = (given: string, family: string) => ({ customers: [{ given_name: given, family_name: family }] });
  await create({ name: 'Callers' }, [
    account('CALL-1', { ...named('Marie-Ève', 'Ferreira da Silva'), ...address }),
    account('CALL-2', { ...named('Marie-Ève', 'Ferreira da Silva'), billing_address3: 'Rennes' }),
    account('CALL-3', { ...named('Marie', 'Le Gall'), ...address }),
  ]);
  const task = await begin();
  await task.search('saint malo marie-eve ferreira da silva');
  await task.click(link(task, 'Marie-Ève Ferreira da Silva'));
  expect(task.page.url()).toBe(`${site.url}/accounts/SUPPLIER_FR/CALL-1`);
  await seen(task.main.getByText('Saint-Malo'));
});

test('which accounts are missing?', async () => {
  const first = ['LOST-1', 'LOST-2', 'LOST-3'].map(faulty);
  await create({ name: 'Night 1' }, [account('KEPT-1'), ...first]);
  await create({ name: 'Corrected' }, [account('LOST-2')]);
  const task = await begin();
  await task.open('Jobs');
  await task.click(task.main.getByRole('row', { name: 'Night 1' }).getByRole('link'));
  await seen(task.main.getByText('Still missing: 2'));
  await task.click(link(task, 'List'));
  await seen(link(task, 'LOST-1'));
  await seen(link(task, 'LOST-3'));
  expect(await link(task, 'LOST-2').count()).toBe(0);
  await seen(link(task, 'Download as CSV'));
});

test('Enedis was down last night: what is left, and retry all of it', async () => {
  await service.setSpeed('enedis', 0);
  const identifiers = points(3, 53_000_000_000_000);
  const batch = await service.populate(identifiers);
  // As five failed attempts leave them, which takes hours.
  await service.database.pool.query(
    `with l as (update look_up set state = 'deferred', tries = 5, last_failure = 'vendor_unavailable', deferred_at = now(), due_at = now() + interval '1 hour'
       where identifier = any($1) returning id) update population_request r set state = 'deferred' from l where r.look_up_id = l.id`,
    [identifiers],
  );
  const health = reportPartyHealth({
    database: service.database,
    log: createLog({ level: 'silent', process: 'test' }),
  });
  const outage = async () =>
    (await service.database.pool.query(`select outages -> 0 as last from party_health where party = 'enedis'`)).rows[0]
      ?.last;
  health.called('enedis', 'unavailable');
  health.paused('enedis', 60_000);
  await until(async () => (await outage())?.from !== undefined);
  health.called('enedis', 'ok');
  health.paused('enedis', undefined);
  await until(async () => (await outage())?.to !== undefined);
  await service.setSpeed('enedis', 1_000);

  const task = await begin();
  await seen(task.main.getByRole('row', { name: /Lookups deferred 3/ }));
  await task.click(task.main.getByText('was unavailable until').getByRole('link', { name: 'Enedis' }));
  await seen(task.main.getByRole('row', { name: /Deferred lookups 3/ }));
  await task.click(link(task, 'Retry all 3'));
  await task.page.fill('#reason', 'Enedis is back.');
  await task.click(button(task, 'Retry 3'));
  await seen(task.main.getByText('3 of 3 items'));
  expect(sums(await service.ended(batch))).toMatchObject({ imported: 3 });
});

test('may this canary continue?', async () => {
  const lines = Array.from({ length: 6 }, (_, index) => account(`CANARY-${index}`));
  const jobId = await startCreation({ name: 'Brittany canary', options: { canary: 3 } }, lines);
  await untilJob(service.database, jobId, ({ pausedBecause }) => pausedBecause === 'canary');
  const task = await begin();
  await task.click(link(task, 'Brittany canary'));
  await seen(task.main.getByText('The canary is complete. May the job continue?'));
  await seen(link(task, 'CANARY-0'));
  await seen(task.main.getByText('There is no completed rehearsal of the same records to compare with.'));
  await task.page.fill('#continue-reason', 'The accounts are correct.');
  await task.click(button(task, 'Approve the canary and continue'));
  await seen(task.main.getByText('The job was resumed.'));
  await untilJob(service.database, jobId);
});

test('why was this account rejected, answer the supplier', async () => {
  await create({ name: 'Night 2' }, [faulty('WHY-1')]);
  const task = await begin();
  await task.search('WHY-1');
  await seen(task.main.getByRole('row', { name: /Night 2.*WHY-1.*sales_channel/ }));
  await task.click(task.main.getByText('Text for the supplier'));
  const text = await task.page.inputValue('#supplier-text');
  expect(text).toMatch(
    /^SUPPLIER_FR WHY-1: line 1 of the import job Night 2 .* was rejected\.\n\n.* at sales_channel\n/,
  );
});

/** A rehearsed wave. */
async function rehearsed(name: string, externals: readonly string[], more: object = {}): Promise<string> {
  const wave = await waves.open({ name, ...more });
  await waves.stage(wave, externals);
  await waves.post(wave, 'rehearse');
  await waves.untilGate(wave, 'rehearsed', 'passed');
  return wave;
}

test('withdraw the wave created by mistake', async () => {
  const wave = await rehearsed('Brittany 2', ['W-1', 'W-2']);
  await waves.post(wave, 'create');
  await waves.untilGate(wave, 'created', 'passed');
  const task = await begin();
  await task.click(link(task, 'Brittany 2'));
  await task.click(link(task, 'Withdraw the accounts of this wave'));
  await seen(task.main.getByText('Accounts that can be withdrawn'));
  await task.page.fill('main input[name=reason]', 'The file was of the wrong month.');
  await task.click(button(task, 'Withdraw'));
  await seen(task.main.getByText('COMPLETED'));
  await seen(task.main.getByText(/Withdrawn\s*2/));
});

test('who changed the throttle?', async () => {
  const body = { requests_per_second: 8, reason: 'agreed by phone' };
  const path = '/v1/operations/network-operators/grdf/throttle/';
  expect((await service.call('PUT', path, { token: service.operatorToken, body })).status).toBe(200);
  const task = await begin();
  await task.open('Parties');
  await task.click(link(task, 'GRDF'));
  await seen(task.main.getByRole('row', { name: /set GRDF from 1000 to 8 a second.*agreed by phone/ }));
});

test('is wave 3 ready for tonight?', async () => {
  const tonight = { create_from: hours(10), create_until: hours(16) };
  await rehearsed('Brittany 3', ['W-3'], { plan: tonight, options: { requires_approval: true } });
  const task = await begin();
  await task.click(link(task, 'Brittany 3'));
  await seen(task.main.getByText('Planned creation:'));
  await seen(task.main.getByRole('row', { name: /^Rehearsed passed/ }));
  await seen(task.main.getByRole('row', { name: /^Approved (?:open|blocked)/ }));
});

const hours = (from: number) => new Date(Date.now() + from * 3_600_000).toISOString();

test('no task made the browser log an error', () => {
  expect(tasks.map(({ complaints }) => complaints)).toEqual(tasks.map(() => []));
});
