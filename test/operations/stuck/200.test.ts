import { afterAll, afterEach, expect, test } from '@jest/globals';
import { domesticAccount } from '../../support/account-payload.ts';
import { startService, type Answer } from '../../support/harness.ts';
import { until } from '../../support/until.ts';

// These tests do not test the callers' timeout.
const service = await startService({ worker: true, settings: { CREATION_TIMEOUT_MS: '1000' } });
afterAll(() => service.stop());
const token = await service.supplierToken(['SUPPLIER_FR']);
afterEach(async () => {
  await service.database.pool.query('delete from work_item');
});

const operate = (method: string, path: string) =>
  service.call(method, `/v1/operations/${path}`, { token: service.operatorToken });
const find = async (account: string) =>
  (await operate('GET', `stuck/?account=${encodeURIComponent(account)}`)).body.stuck;
const retry = (id: string) => operate('POST', `stuck/${id}/retry/`);
const create = (external: string): Promise<Answer> =>
  service.call('POST', '/v1/data-import/account-import-process/process/', {
    token,
    body: { external_account_number: external, import_supplier_code: 'SUPPLIER_FR', operations_team_name: 'Migration' },
  });
const isImported = async (external: string) =>
  (await service.call('GET', `/v1/data-import/account-transfer-status/SUPPLIER_FR/${external}/`, { token })).body
    .service_account_number !== '';

async function stage(external: string, sequence: number, campaign?: string): Promise<void> {
  const body = domesticAccount(
    {
      import_supplier: 'SUPPLIER_FR',
      external_account_number: external,
      ...(campaign ? { account_campaigns: [{ slug: campaign }] } : {}),
    },
    sequence,
  );
  expect(
    (await service.call('POST', '/v1/data-import/account-import-process/create-or-update/', { token, body })).status,
  ).toBe(201);
}

test('returns an empty and complete list when no work is stuck', async () => {
  expect(await operate('GET', 'stuck/')).toMatchObject({
    status: 200,
    body: { stuck: [], complete: true, next_cursor: null, total: 0, counts: [], counted_all: true },
  });
});

test('lists an account whose data the database rejects, and retries it immediately once the cause is fixed', async () => {
  await service.database.pool.query(`alter table account_campaign add constraint no_poison check (slug <> 'poison')`);
  await stage('POISON-1', 1, 'poison');
  expect((await create('POISON-1')).body.code).toBe('account_quarantined');
  // Late attempts are minutes apart; only a retry makes the next one soon. During an attempt the
  // next one is not set yet.
  await until(async () => {
    const [late] = await find('POISON-1');
    return late?.attempt >= 3 && late.next_attempt_at !== null;
  });
  const [item, ...others] = await find('SUPPLIER_FR/POISON-1');
  expect(others).toEqual([]);
  expect(item).toMatchObject({
    kind: 'create-account',
    accounts: [{ import_supplier: 'SUPPLIER_FR', external_account_number: 'POISON-1' }],
    paused: false,
    last_failure: { type: 'database_refuses_data', message: expect.stringContaining('23514') },
    what_to_do: expect.stringContaining('mark it to skip'),
    cause: 'database_refuses_data',
    workflow_id: 'create-account/SUPPLIER_FR/POISON-1',
    id: expect.stringMatching(/^[A-Za-z0-9_-]+$/),
  });
  expect(Date.parse(item.next_attempt_at)).toBeGreaterThan(Date.parse(item.waiting_since));
  expect(JSON.stringify(item)).not.toContain('poison"');
  const shown = await operate('GET', 'accounts/SUPPLIER_FR/POISON-1/');
  expect(shown.body).toMatchObject({
    account: null,
    workflow_ids: ['create-account/SUPPLIER_FR/POISON-1'],
    import_process: { refusal: { code: 'creation_failed' } },
  });

  await service.database.pool.query('alter table account_campaign drop constraint no_poison');
  const done = await retry(item.id);
  expect(done).toMatchObject({ status: 200, body: { id: item.id, outcome: 'activity_reset' } });
  await until(() => isImported('POISON-1'));
  await until(async () => (await find('POISON-1')).length === 0);
  const audit = await operate('GET', `audit/?subject=stuck/${item.id}`);
  expect(audit.body).toMatchObject([
    { action: 'stuck.retried', after: { workflow_id: item.workflow_id, outcome: 'activity_reset' } },
  ]);
});

test('lists a batch that waits for the database with all its accounts, paused or not', async () => {
  await stage('WAITS-1', 11);
  await stage('WAITS-2', 12);
  const holder = await service.database.pool.connect();
  try {
    await holder.query('begin; lock table account in exclusive mode');
    await Promise.all([create('WAITS-1'), create('WAITS-2')]);
    await until(async () => (await find('WAITS-1'))[0]?.last_failure?.type === 'database_unavailable', 250);
    const [item] = await find('WAITS-1');
    expect(item).toMatchObject({
      kind: 'create-accounts',
      what_to_do: expect.stringContaining('resumes automatically'),
      paused: false,
    });
    expect(item.workflow_id).toMatch(/^create-accounts\//);
    const viewed = await operate('GET', 'accounts/SUPPLIER_FR/WAITS-2/');
    expect(viewed).toMatchObject({ status: 200, body: { account: null } });
    expect(viewed.body.workflow_ids).toContainEqual(expect.stringMatching(/^create-accounts\//));

    const { workflowService, options } = service.gateway.client();
    await workflowService.pauseActivity({
      namespace: options.namespace,
      execution: { workflowId: item.workflow_id },
      identity: 'test',
      type: 'createFromStaged',
      reason: 'looking at it',
    });
    await until(async () => (await find('WAITS-1'))[0]?.paused === true, 250);
    expect((await find('WAITS-1'))[0]).toMatchObject({
      next_attempt_at: null,
      what_to_do: expect.stringContaining('ends the pause'),
    });
    await holder.query('commit');
    expect((await retry(item.id)).body).toMatchObject({ outcome: 'activity_reset' });
    await until(() => isImported('WAITS-1'));
    await until(() => isImported('WAITS-2'));
  } finally {
    holder.release(true);
  }
});

test('lists a work item without a run, and starts it on retry', async () => {
  await stage('PENDING-1', 21);
  const input = {
    creationId: '0199a000-0000-7000-8000-0000000000aa',
    importSupplier: 'SUPPLIER_FR',
    externalAccountNumber: 'PENDING-1',
    operationsTeam: 'Migration',
  };
  await service.database.pool.query(
    `update import_process set workflow_id = $1 where external_account_number = 'PENDING-1'`,
    ['create-account/SUPPLIER_FR/PENDING-1'],
  );
  await service.database.pool.query(
    `insert into work_item (workflow_id, kind, input, start_at) values ('create-account/SUPPLIER_FR/PENDING-1', 'create-account', $1, now() + interval '1 hour')`,
    [input],
  );
  await until(async () => (await find('PENDING-1')).length === 1);
  const [item] = await find('PENDING-1');
  expect(item).toMatchObject({
    attempt: 0,
    cause: 'not_started',
    last_failure: null,
    what_to_do: expect.stringContaining('dispatcher'),
    next_attempt_at: expect.any(String),
  });
  expect((await retry(item.id)).body).toEqual({ id: item.id, outcome: 'workflow_started' });
  await until(() => isImported('PENDING-1'));
});

test('lists unstarted work while no worker runs, and says so', async () => {
  await stage('NOBODY-1', 31);
  await service.stopWorker();
  await create('NOBODY-1');
  await until(async () => (await find('NOBODY-1')).length === 1, 250);
  const [item] = await find('NOBODY-1');
  expect(item).toMatchObject({ attempt: 0, cause: 'no_worker', what_to_do: expect.stringContaining('worker process') });
  expect((await retry(item.id)).body).toMatchObject({ outcome: 'running' });
  await service.startWorker();
  await until(() => isImported('NOBODY-1'));
});
