import { afterAll, beforeAll, expect, test } from '@jest/globals';
import pg from 'pg';
import { findAccountCounts, foldAccountCounts } from '../../src/account-import/count/account-counts.store.ts';
import { stageAccounts } from '../../src/account-import/stage/stage-account.store.ts';
import type { AccountPayload } from '../../src/accounts/account-payload.schema.ts';
import { createOverview } from '../../src/overview/index.ts';
import { systemClock } from '../../src/platform/clock.ts';
import { createLog } from '../../src/platform/log.ts';
import { openTemporalGateway } from '../../src/platform/temporal/temporal-gateway.ts';
import { reportPartyHealth } from '../../src/platform/vendor-http/party-health.store.ts';
import { createVendorHttp } from '../../src/platform/vendor-http/vendor-http.ts';
import { createStuckWork } from '../../src/stuck/index.ts';
import { domesticAccount } from '../support/account-payload.ts';
import { startPopulation, type PopulationService } from '../support/population.ts';
import { nodesOf, type PlanNode } from '../support/query-plan.ts';
import { recordStatements } from '../support/recorded-statements.ts';
import { putJob } from '../support/run-import-job.ts';
import { startSite, type Site, type Visitor } from '../support/support-site.ts';
import { until } from '../support/until.ts';

const log = createLog({ level: 'silent', process: 'test' });
let service: PopulationService;
let site: Site;
let viewer: Visitor;
let jobId: string;
beforeAll(async () => {
  service = await startPopulation({ worker: true, settings: { CREATION_TIMEOUT_MS: '1000' } });
  site = await startSite(service);
  viewer = await site.signedIn('read');
  await migrateSome();
});
afterAll(async () => {
  await site.stop();
  await service.stop();
});

let sequence = 0;
const stage = (external: string, more: object = {}) =>
  service.call('POST', '/v1/data-import/account-import-process/create-or-update/', {
    token: service.token,
    body: domesticAccount(
      { import_supplier: 'SUPPLIER_FR', external_account_number: external, ...more },
      (sequence += 1),
    ),
  });
const create = (external: string) =>
  service.call('POST', '/v1/data-import/account-import-process/process/', {
    token: service.token,
    body: { external_account_number: external, import_supplier_code: 'SUPPLIER_FR', operations_team_name: 'Migration' },
  });
const operate = (method: string, path: string, body?: object) =>
  service.call(method, `/v1/operations/${path}`, { token: service.operatorToken, body });
const skip = (method: string, external: string) =>
  operate(method, `account-import-processes/SUPPLIER_FR/${external}/skip/`, { reason: 'test' });
const overview = async () => (await operate('GET', 'overview/')).body;

/** A small migration with an account in each state. */
async function migrateSome(): Promise<void> {
  await service.database.pool.query(`alter table account_campaign add constraint no_poison check (slug <> 'poison')`);
  for (const external of [
    'CREATED-1',
    'CREATED-2',
    'CREATED-3',
    'WAITING-1',
    'WAITING-2',
    'SKIPPED',
    'SKIPPED-NO-MORE',
  ]) {
    expect((await stage(external)).status).toBe(201);
  }
  for (const external of ['REFUSED', 'REFUSED-NO-MORE']) await stage(external);
  await service.database.pool.query(
    `update import_process set payload = jsonb_set(payload, '{business}', '{"business_contract_identifier": "NOT-THERE"}') where external_account_number like 'REFUSED%'`,
  );
  await stage('POISONED', { account_campaigns: [{ slug: 'poison' }] });
  for (const external of ['CREATED-1', 'CREATED-2', 'CREATED-3', 'REFUSED', 'REFUSED-NO-MORE']) {
    // A short timeout, because the database rejects one of the accounts.
    await until(async () => (await create(external)).status !== 503);
  }
  await skip('PUT', 'SKIPPED');
  await skip('PUT', 'SKIPPED-NO-MORE');
  await skip('DELETE', 'SKIPPED-NO-MORE');
  await stage('WAITING-2');
  await stage('REFUSED-NO-MORE');
  await create('POISONED');
  await operate('PUT', 'account-import-processes/SUPPLIER_FR/CREATED-1/switch-status/', {
    status: 'COMPLETED',
    reason: 'by telephone',
  });
  jobId = await putJob(service.database, { goal: 'VALIDATE', lines: [{}, {}, {}] });
}

test('counts each account once, in its present state', async () => {
  await until(async () => (await overview()).accounts[0].being_created === 1);
  const { accounts, creations } = await overview();
  expect(accounts).toEqual([
    {
      import_supplier: 'SUPPLIER_FR',
      known: 10,
      staged: 4,
      refused: 1,
      skipped: 1,
      being_created: 1,
      created: 3,
      switch: { PENDING: 2, IN_PROGRESS: 0, REJECTED: 0, COMPLETED: 1 },
    },
  ]);
  expect(creations.minutes.reduce((sum: number, { created }: { created: number }) => sum + created, 0)).toBe(3);
});

test('returns the same counts before, during and after they are folded', async () => {
  const counted = async () => JSON.stringify(await findAccountCounts(service.database));
  const before = await counted();
  const { rows } = await service.database.pool.query(
    `select (select count(*)::integer from import_process) as known, (select count(*)::integer from account) as created`,
  );
  expect(JSON.parse(before)).toMatchObject(rows);
  const [, during] = await Promise.all([
    Promise.all([foldAccountCounts(service.database), foldAccountCounts(service.database)]),
    counted(),
  ]);
  expect(during).toBe(before);
  expect(await counted()).toBe(before);
  expect((await service.database.pool.query('select 1 from account_count_change')).rows).toEqual([]);
  // Changes of a transaction that rolls back are not counted.
  await service.database.transaction(async (em) => {
    await em.execute('update import_process set skipped_at = now() where imported_at is null');
    await em.execute('delete from count_minute');
    await em.rollback();
  });
  expect(await counted()).toBe(before);
});

test('counts accounts that are staged in pages or inserted manually', async () => {
  const page = ['PAGED-1', 'PAGED-2', 'WAITING-1'].map((externalAccountNumber) => ({
    account: { import_supplier: 'SUPPLIER_FR', external_account_number: externalAccountNumber } as AccountPayload,
    importSupplier: 'SUPPLIER_FR',
    externalAccountNumber,
    payloadJson: '{}',
    phoneNumbersJson: '[]',
    validatedWith: 'test',
    documentRoot: null,
  }));
  await service.database.transaction(async (em) => {
    const known = async () => (await findAccountCounts(em))[0]!.known;
    const before = await known();
    expect((await stageAccounts(em, 'SUPPLIER_FR', page)).map(({ kind }) => kind)).toEqual(page.map(() => 'staged'));
    expect(await known()).toBe(before + 2);
    await em.execute(
      `insert into import_process (id, import_supplier, external_account_number, payload, phone_numbers, payload_hash, validated_with)
       select gen_random_uuid(), 'SUPPLIER_FR', 'BY-HAND-' || n, '{}', '[]', '', 'test' from generate_series(1, 3) n`,
    );
    expect(await known()).toBe(before + 5);
    await em.rollback();
  });
});

test('shows viewers the figures, the rates of three hours, and links of the causes', async () => {
  await until(async () => (await viewer.get('/overview')).text.includes('database_refuses_data'));
  const { status, text } = await viewer.get('/overview');
  expect(status).toBe(200);
  const linked = (narrowed: string) =>
    text.split(`href="/accounts?import_supplier=SUPPLIER_FR&amp;${narrowed}">`)[1]?.split('<')[0];
  const quarantined = 'status=REFUSED&amp;refusal=quarantined';
  expect(
    ['status=STAGED', 'status=REFUSED', 'status=SKIPPED', quarantined, 'status=CREATED', 'switch_status=COMPLETED'].map(
      linked,
    ),
  ).toEqual(['4', '1', '1', '1', '3', '1']);
  // Nothing that is zero is a link.
  expect(linked('switch_status=REJECTED')).toBeUndefined();
  expect(text).toContain('href="/stuck?cause=database_refuses_data"');
  const ofQuarantined = `/accounts?import_supplier=SUPPLIER_FR&${quarantined.replace('&amp;', '&')}`;
  expect((await viewer.get(ofQuarantined)).text).toContain('href="/accounts/SUPPLIER_FR/POISONED"');
  expect(text).toMatch(/aria-label="Created: 3\. 5 minutes with most: \d/);
  expect(text).toMatch(/aria-label="Switched: 1\./);
  expect(text).toMatch(/<path class="chart-bars" d="[^"]*M3\d\.1 100v-\d+h/);
  expect(text).not.toMatch(/ style=/);
  expect((await viewer.get('/')).location).toBe('/overview');
});

test('lists what needs a decision with its oldest time, and counts it in the menu', async () => {
  const pausedId = await putJob(service.database, { goal: 'VALIDATE', lines: [{}], options: { canary: 1 } });
  const pause = `update import_job set status = $2, paused_because = $3, paused_at = now() - interval '3 hours' where id = $1`;
  await service.database.pool.query(pause, [pausedId, 'PAUSED', 'canary']);
  const now = async () => (await viewer.get('/overview')).text;
  await until(async () => (await now()).includes(`href="/jobs/${pausedId}"`));
  expect(await now()).toMatch(/Canary to approve.*?<td class="number"[^>]*>1<.*?3 h ago/s);
  expect(await now()).toMatch(/data-go="j">Jobs <span class="waiting" title="Waiting for a decision">1</);
  await service.database.pool.query(pause, [pausedId, 'CANCELLED', null]);
});

test('shows jobs in progress, lookups with their limit, and the state of network operators', async () => {
  expect((await overview()).import_jobs).toMatchObject([
    { job_id: jobId, status: 'VALIDATING', counts: { accepted: 3 } },
  ]);
  service.grdf.mood('down');
  const held = await service.populate([], ['GI000001', 'GI000002']);
  await service.ended(await service.populate(['25014987360042']));
  const states = async () =>
    (await overview()).parties.map(({ party, state }: { party: string; state: string }) => [party, state]);
  await until(async () => /answers.*fails/.test(JSON.stringify(await states())));
  expect(await states()).toEqual([
    ['enedis', 'answers'],
    ['grdf', 'fails'],
    ['industry-switch', 'not_asked'],
    ['GOCARDLESS', 'not_asked'],
    ['STRIPE', 'not_asked'],
    ['SLIMPAY', 'not_asked'],
    ['ADYEN', 'not_asked'],
  ]);
  const { look_ups, parties } = await overview();
  expect(parties[1]).toMatchObject({ failure: 'unavailable', rests_until: null });
  expect(look_ups).toMatchObject([
    { network_operator: 'enedis', pending: 0, open_batches: 0, requests_per_second: 1_000 },
    { network_operator: 'grdf', pending: 2, open_batches: 1, per_second: 0, estimated_end_at: null },
  ]);
  expect((await viewer.get('/overview')).text).toContain('1,000 per second');
  await operate('POST', `population-batches/${held}/cancel/`);
});

test('opens the circuit breaker of a party after several failures, in all processes', async () => {
  const health = reportPartyHealth({ database: service.database, log });
  const stripe = createVendorHttp({
    vendor: 'Stripe',
    baseUrl: 'http://127.0.0.1:9',
    limits: { timeoutMs: 1_000, callsMax: 1, waitingMax: 1, failuresInARow: 2, openMs: 600_000 },
    onCall: (outcome, wasCalled) => wasCalled && health.called('STRIPE', outcome),
    onPause: (isPaused) => health.paused('STRIPE', isPaused ? 600_000 : undefined),
  });
  for (let call = 0; call < 3; call += 1) {
    await expect(stripe.call({ method: 'GET', path: '/' }, () => 0)).rejects.toThrow(/Stripe/);
  }
  await stripe.close();
  const ofStripe = async () => (await overview()).parties.find(({ party }: { party: string }) => party === 'STRIPE');
  // The failure and the pause are written concurrently.
  await until(async () => (await ofStripe()).state === 'rests' && (await ofStripe()).failure === 'unavailable');
  expect(await ofStripe()).toMatchObject({ answered_at: null });
  await until(async () => (await viewer.get('/overview')).text.includes('badge-bad">calls paused'));
  health.paused('STRIPE', undefined);
  health.called('STRIPE', 'rejected');
  await until(async () => (await ofStripe()).state === 'answers');
});

test('refreshes automatically without extending the session, and shows the time of the last refresh', async () => {
  const before = 'select last_seen_at from person_session order by 1 desc limit 1';
  const { rows } = await service.database.pool.query(before);
  const { status, text } = await viewer.get('/overview/now', { 'hx-request': 'true' });
  expect(status).toBe(200);
  expect(text).toMatch(/^<section id="now" hx-get="\/overview\/now" hx-trigger="every 5s"/);
  expect(text).toMatch(
    /As of <time datetime="[^"]+" title="[^"]+ UTC">\d+ \w+ \d{4}, \d\d:\d\d<\/time>\. Refreshes every 5 seconds/,
  );
  expect((await service.database.pool.query(before)).rows).toEqual(rows);
});

test('shows all other parts while Temporal is away', async () => {
  const gateway = openTemporalGateway({ address: '127.0.0.1:9', namespace: 'default', log });
  const without = await startSite({ ...service, gateway });
  try {
    const visitor = await without.signedIn('read');
    await until(async () => (await visitor.get('/overview')).text.includes('badge-bad">unavailable'));
    const { status, text } = await visitor.get('/overview');
    expect(status).toBe(200);
    expect(text).toContain('Not all runs could be read from Temporal');
    expect(text).toContain('status=CREATED">3<');
  } finally {
    await without.stop();
    await gateway.close();
  }
});

test('reads no table that grows with the accounts', async () => {
  const rows = 'from generate_series(1, 20000) g';
  const client = await service.database.pool.connect();
  try {
    // Rows without accounts, because only the query plans matter.
    for (const statement of [
      `set session_replication_role = replica`,
      `insert into import_job select n.* from import_job j, generate_series(1, 20000) g,
        jsonb_populate_record(j, jsonb_build_object('id', md5('job' || g), 'status', 'COMPLETED')) n
        where j.id = '${jobId}'`,
      `insert into population_batch (id, organisation_id, customer_category, customer_authorisation, warnings, status)
        select gen_random_uuid(), gen_random_uuid(), 'Domestic', false, '{}', 'COMPLETED' ${rows}`,
      `insert into population_operator_progress (batch_id, network_operator, customer_authorisation, accepted, imported, errored)
        select id, 'enedis', false, 1, 1, 0 from population_batch where status = 'COMPLETED' on conflict do nothing`,
      `insert into count_minute (minute, import_supplier, state, entered) select now() - make_interval(mins => 200 + g), 'SUPPLIER_FR', 'created', 1 ${rows}`,
      `set session_replication_role = origin`,
      `analyze`,
    ]) {
      await client.query(statement);
    }
  } finally {
    client.release();
  }
  const read = new Set<string>();
  // The role of the service has the settings of its sessions.
  const asService = new pg.Pool({ connectionString: service.settings.DATABASE_URL });
  const deps = { database: service.database, gateway: service.gateway, clock: systemClock, log };
  const sent = await recordStatements(service.database.pool, () =>
    createOverview({ ...deps, stuck: createStuckWork(service) }).read(0),
  );
  for (const { text, values } of sent) {
    const { rows } = await asService.query<{ 'QUERY PLAN': [{ Plan: PlanNode }] }>(
      `explain (format json) ${text}`,
      values,
    );
    for (const scan of scansIn(rows[0]!['QUERY PLAN'][0].Plan)) read.add(scan);
  }
  await asService.end();
  // Both indexes omit switches that are worked off in pages; the planner uses either, or both.
  if (read.delete('work_item by work_item_run')) read.add('work_item by work_item_run_due');
  // The tables filled here and those of accounts are read by an index that skips ended work.
  const large =
    /^(?:account|count_minute|import_process|import_job|population_batch|population_operator_progress|work_item) /;
  expect([...read].filter((one) => large.test(one)).sort()).toEqual([
    'account by account_pkey',
    'count_minute by count_minute_pkey',
    'import_job by import_job_key',
    'population_batch by population_batch_open',
    'population_operator_progress by population_operator_progress_open',
    'work_item by work_item_due',
    'work_item by work_item_failing',
    'work_item by work_item_run_due',
    'work_item by work_item_troubled',
  ]);
});

/** The tables that a plan reads, with the index. A bitmap heap scan reads the rows that the index scans below it find. */
function scansIn(plan: PlanNode): string[] {
  return nodesOf(plan).flatMap((node) => {
    const table = node['Relation Name'];
    if (table === undefined) return [];
    const scans = node['Node Type'] === 'Bitmap Heap Scan' ? nodesOf(node).filter((one) => one['Index Name']) : [node];
    return scans.map((scan) => `${table} by ${scan['Index Name'] ?? scan['Node Type']}`);
  });
}
