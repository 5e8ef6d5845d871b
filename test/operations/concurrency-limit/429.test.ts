import { afterAll, afterEach, expect, test } from '@jest/globals';
import { freeLostSlots } from '../../../src/account-import/limit/free-lost-slots.client.ts';
import { createLog } from '../../../src/platform/log.ts';
import { startApi } from '../../../src/processes/start-api.ts';
import { domesticAccount } from '../../support/account-payload.ts';
import { validateAgainstOpenApi } from '../../support/openapi-document.ts';
import { send, startService, type Answer } from '../../support/harness.ts';
import { until } from '../../support/until.ts';

const LIMIT_PATH = '/v1/operations/settings/create-account-concurrency-limit/';
const log = createLog({ level: 'silent', process: 'test' });

let staged = 0;
const service = await startService({ worker: true });
const token = await service.supplierToken(['SUPPLIER_FR']);
const others = await Promise.all(
  [1, 2].map(() => startApi({ settings: service.settings, gateway: service.gateway, log })),
);
afterAll(async () => {
  await Promise.all(others.map((one) => one.stop()));
  await service.stop();
});
afterEach(async () => {
  await setLimit(null);
});

const setLimit = (limit: number | null) =>
  service.call('PUT', LIMIT_PATH, { token: service.operatorToken, body: { limit } });
const limitSeenEverywhere = () =>
  new Promise((resolve) => {
    setTimeout(resolve, 1_050);
  });
const inUse = async () => (await service.call('GET', LIMIT_PATH, { token: service.operatorToken })).body.in_use;
const urls = () => [service.url, ...others.map((one) => one.url)];

async function stage(): Promise<string> {
  staged += 1;
  const external = `LIMITED-${staged}`;
  const answer = await service.call('POST', '/v1/data-import/account-import-process/create-or-update/', {
    token,
    body: domesticAccount({ import_supplier: 'SUPPLIER_FR', external_account_number: external }, staged),
  });
  expect(answer.status).toBe(201);
  return external;
}

const PROCESS = '/v1/data-import/account-import-process/process/';

async function create(url: string, external: string, dryRun = false): Promise<Answer> {
  const answer = await send(url, 'POST', PROCESS, {
    token,
    body: {
      external_account_number: external,
      import_supplier_code: 'SUPPLIER_FR',
      operations_team_name: 'Migration',
      ...(dryRun ? { dry_run: true } : {}),
    },
  });
  validateAgainstOpenApi('POST', PROCESS, answer);
  return answer;
}

test('admits exactly the limit over three API processes, asks the others to retry, and completes all', async () => {
  const numbers: string[] = [];
  for (let index = 0; index < 9; index += 1) numbers.push(await stage());
  await setLimit(2);
  await limitSeenEverywhere();
  await service.stopWorker();

  const answers: { external: string; answer: Answer }[] = [];
  const requests = numbers.map(async (external, index) => {
    const answer = await create(urls()[index % 3] as string, external);
    answers.push({ external, answer });
    return answer;
  });
  await until(() => answers.length === 7);
  const throttled = [...answers];
  for (const { answer } of throttled) {
    expect(answer.status).toBe(429);
    expect(answer.body).toMatchObject({ code: 'throttled', detail: expect.any(String), errors: [] });
    expect(Number(answer.headers['retry-after'])).toBeGreaterThan(0);
  }
  expect(await inUse()).toBe(2);

  // Joining a creation in progress comes before the limit, in the same API process and in another one; a dry run
  // needs no slot.
  const inProgress = numbers.find((external) => !throttled.some((one) => one.external === external)) as string;
  const joining = urls().map((url) => create(url, inProgress));
  expect((await create(service.url, throttled[0]!.external, true)).body.code).toBe('dry_run_succeeded');

  await service.startWorker();
  const [firsts, joined] = await Promise.all([Promise.all(requests), Promise.all(joining)]);
  expect(firsts.filter(({ status }) => status !== 429)).toHaveLength(2);
  for (const { status, body } of joined) {
    expect(status === 201 || body.code === 'account_import_process_already_imported').toBe(true);
  }
  const { rows } = await service.database.pool.query('select count(*)::integer as count from account');
  expect(rows[0].count).toBe(2);
  expect(await inUse()).toBe(0);
  for (const { external } of throttled) {
    let answer = await create(service.url, external);
    while (answer.status === 429) answer = await create(service.url, external);
    expect(answer.status).toBe(201);
  }
  expect(await inUse()).toBe(0);
});

test('releases the slot of a rejected account, and counts nothing without a limit', async () => {
  await setLimit(1);
  for (let index = 0; index < 3; index += 1) {
    const answer = await create(service.url, 'NOT-STAGED');
    expect(answer.body).toMatchObject({
      code: 'validation_failed',
      errors: [{ code: 'import_process_does_not_exist' }],
    });
  }
  expect(await inUse()).toBe(0);
  await setLimit(null);
  expect((await create(service.url, await stage())).status).toBe(201);
  const { rows } = await service.database.pool.query('select * from creation_slot');
  expect(rows).toEqual([]);
});

test('releases lost slots in the dispatcher: of a process that ended before its run started, and of an unknown or closed run; keeps those of open runs', async () => {
  const external = await stage();
  await setLimit(5);
  await service.stopWorker();
  const running = create(service.url, external);
  await until(async () => (await inUse()) === 1);
  await until(
    async () =>
      (await service.database.pool.query('select 1 from creation_slot where workflow_id is not null')).rowCount === 1,
  );
  const closed = await stage();
  const lost = create(service.url, closed);
  await until(
    async () =>
      (await service.database.pool.query('select 1 from creation_slot where workflow_id is not null')).rowCount === 2,
  );
  const {
    rows: [slot],
  } = await service.database.pool.query(
    'select s.workflow_id from creation_slot s join import_process p on p.id = s.import_process_id where p.external_account_number = $1',
    [closed],
  );
  await until(async () =>
    service.gateway
      .client()
      .workflow.getHandle(slot.workflow_id)
      .terminate('lost')
      .then(
        () => true,
        () => false,
      ),
  );
  // The state that a process leaves that is killed between two steps.
  await service.database.pool.query(
    `insert into creation_slot (creation_id, workflow_id) values (gen_random_uuid(), null), (gen_random_uuid(), 'create-accounts/never-started')`,
  );
  expect(await inUse()).toBe(4);

  const options = { database: service.database, gateway: service.gateway, log };
  expect(await freeLostSlots({ ...options, minimumAgeSeconds: 60 })).toBe(0);
  expect(await freeLostSlots({ ...options, minimumAgeSeconds: 0 })).toBe(3);
  expect(await inUse()).toBe(1);
  expect((await lost).body.code).toBe('creation_pending');
  await service.startWorker();
  expect((await running).status).toBe(201);
  expect(await inUse()).toBe(0);
});

test('never grants more slots than the limit in a thousand concurrent calls', async () => {
  await setLimit(7);
  // Few callers share the connections of the pool; a thousand would wait too long for one.
  const take = async () => {
    const outcomes: string[] = [];
    for (let call = 0; call < 50; call += 1) {
      const { rows } = await service.database.pool.query<{ outcome: string }>(
        `select take_creation_slot(gen_random_uuid(), 'SUPPLIER_FR', 'nobody') as outcome`,
      );
      outcomes.push(rows[0]!.outcome);
    }
    return outcomes;
  };
  const outcomes = (await Promise.all(Array.from({ length: 20 }, take))).flat();
  expect(outcomes.filter((outcome) => outcome === 'taken')).toHaveLength(7);
  await service.database.pool.query('delete from creation_slot');
});
