import { afterAll, expect, test } from '@jest/globals';
import { freeLostSlots } from '../../src/account-import/limit/free-lost-slots.client.ts';
import { createLog } from '../../src/platform/log.ts';
import { domesticAccount } from '../support/account-payload.ts';
import { startApi } from '../support/api-process.ts';
import { send, startService } from '../support/harness.ts';
import { until } from '../support/until.ts';

/** A process with at most one open run; further requests wait in its queue. */
const service = await startService({ worker: true });
const other = await startApi(service, { CREATION_RUNS_OPEN_MAX: '1' });
const token = await service.supplierToken(['SUPPLIER_FR']);
afterAll(async () => {
  await other?.kill();
  await service.stop();
});

const create = (url: string, external: string) =>
  send(url, 'POST', '/v1/data-import/account-import-process/process/', {
    token,
    body: { external_account_number: external, import_supplier_code: 'SUPPLIER_FR', operations_team_name: 'Migration' },
  });
const stage = async (external: string, sequence: number) => {
  const body = domesticAccount({ import_supplier: 'SUPPLIER_FR', external_account_number: external }, sequence);
  expect(
    (await service.call('POST', '/v1/data-import/account-import-process/create-or-update/', { token, body })).status,
  ).toBe(201);
};
const setLimit = async (limit: number | null) => {
  await service.call('PUT', '/v1/operations/settings/create-account-concurrency-limit/', {
    token: service.operatorToken,
    body: { limit },
  });
  // Every API process reads it once a second.
  await new Promise((resolve) => {
    setTimeout(resolve, 1_050);
  });
};
const unnamed = async () =>
  (await service.database.pool.query('select creation_id from creation_slot where workflow_id is null')).rows;
const slots = async (): Promise<{ workflow_id: string; external: string }[]> =>
  (
    await service.database.pool.query(
      'select s.workflow_id, p.external_account_number as external from creation_slot s join import_process p on p.id = s.import_process_id where s.workflow_id is not null order by 2',
    )
  ).rows;

test("keeps the slots of a killed process's runs until they end, and releases those of lost runs", async () => {
  for (const [index, external] of ['HELD-1', 'HELD-2', 'LATER'].entries()) await stage(external, index + 1);
  await setLimit(2);
  const holder = await startApi(service);
  try {
    await service.stopWorker();
    const answers = ['HELD-1', 'HELD-2'].map((external) => create(holder.url, external).catch(() => 'broken'));
    await until(async () => (await slots()).length === 2);
    await until(async () => (await create(other.url, 'LATER')).status === 429);
    await holder.kill();
    expect(await Promise.all(answers)).toEqual(['broken', 'broken']);
    expect((await create(service.url, 'LATER')).status).toBe(429);

    // Temporal loses one of the runs; the dispatcher of any worker notices.
    const [lost] = await slots();
    await until(() =>
      service.gateway
        .client()
        .workflow.getHandle(lost!.workflow_id)
        .terminate('lost')
        .then(
          () => true,
          () => false,
        ),
    );
    const options = {
      database: service.database,
      gateway: service.gateway,
      log: createLog({ level: 'silent', process: 'test' }),
      minimumAgeSeconds: 0,
    };
    await until(async () => (await freeLostSlots(options)) === 1);
    expect((await slots()).map(({ external }) => external)).toEqual(['HELD-2']);

    const later = create(other.url, 'LATER');
    await until(async () => (await slots()).length === 2);
    await service.startWorker();
    expect((await later).status).toBe(201);
    await until(async () => (await slots()).length === 0);
    expect((await create(service.url, 'HELD-1')).status).toBe(201);
    expect((await create(service.url, 'HELD-2')).body.code).toBe('account_import_process_already_imported');
  } finally {
    await holder.kill();
  }
});

test('releases slots of killed processes within seconds, from before and after they started their run', async () => {
  await stage('AFTER-KILLS', 10);
  await setLimit(2);
  await service.database.pool.query(
    `insert into creation_slot (creation_id, workflow_id) values (gen_random_uuid(), null), (gen_random_uuid(), 'create-accounts/never-started')`,
  );
  expect((await create(service.url, 'AFTER-KILLS')).status).toBe(429);
  await until(async () => (await create(service.url, 'AFTER-KILLS')).status === 201);
});

test('keeps the slot of a queued request while its process runs, releases it while the process is frozen, and does not use it afterwards', async () => {
  for (const [index, external] of ['RUNS', 'WAITS', 'THIRD'].entries()) await stage(external, 20 + index);
  await setLimit(2);
  try {
    await service.stopWorker();
    const first = create(other.url, 'RUNS');
    await until(async () => (await slots()).length === 1);
    const waiting = create(other.url, 'WAITS');
    await until(async () => (await unnamed()).length === 1);
    const [slot] = await unnamed();
    const watch = {
      database: service.database,
      gateway: service.gateway,
      log: createLog({ level: 'silent', process: 'test' }),
      minimumAgeSeconds: 3,
    };
    // Ten checks with an age of three seconds, over five seconds.
    for (let look = 0; look < 10; look += 1) {
      expect(await freeLostSlots(watch)).toBe(0);
      await new Promise((resolve) => {
        setTimeout(resolve, 500);
      });
    }
    expect(await unnamed()).toMatchObject([{ creation_id: slot.creation_id }]);

    other.freeze();
    await until(async () => (await freeLostSlots(watch)) === 1);
    const third = create(service.url, 'THIRD');
    await until(async () => (await slots()).length === 2);
    other.thaw();
    await service.startWorker();
    expect((await first).status).toBe(201);
    expect((await waiting).status).toBe(429);
    expect((await third).status).toBe(201);
  } finally {
    await setLimit(null);
  }
});
