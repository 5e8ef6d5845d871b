import { randomUUID } from 'node:crypto';
import { afterAll, expect, test } from '@jest/globals';
import { defineSearchAttributeKey } from '@temporalio/common';
import { taskQueues, workflowIds } from '../../temporal.config.ts';
import { createLog } from '../../src/platform/log.ts';
import { findOpenRuns } from '../../src/platform/temporal/start-run.ts';
import { dispatchRound } from '../../src/platform/work-items/dispatch-work-items.ts';
import { domesticAccount } from '../support/account-payload.ts';
import { startService } from '../support/harness.ts';
import { until } from '../support/until.ts';

const service = await startService({ worker: true, settings: { CREATION_TIMEOUT_MS: '2000' } });
afterAll(() => service.stop());
const token = await service.supplierToken(['SUPPLIER_FR']);
// A rejection by the database that the API's validation cannot foresee.
await service.database.pool.query(`
    create function refuse_poison() returns trigger language plpgsql as $$ begin
      if new.external_account_number like 'POISON%' then
        raise check_violation using message = 'Noemie Zeller is not wanted', table = 'account', constraint = 'account_not_poison', detail = 'Failing row contains (noemie.zeller@example.org)';
      end if;
      return new;
    end $$`);
await service.database.pool.query(
  'create trigger refuse_poison before insert on account for each row execute function refuse_poison()',
);

const kind = defineSearchAttributeKey('ImportKind', 'KEYWORD');
const supplier = defineSearchAttributeKey('ImportSupplier', 'KEYWORD');
const log = createLog({ level: 'silent', process: 'test' });
const ids = (external: string) => workflowIds.createAccount('SUPPLIER_FR', external);
const handle = (external: string) => service.gateway.client().workflow.getHandle(ids(external));
const dispatch = () => dispatchRound({ database: service.database, gateway: service.gateway, log });
const makeDue = (external: string) =>
  service.database.pool.query('update work_item set start_at = now() where workflow_id = $1', [ids(external)]);
/** On a slow machine accounts of earlier tests become due during the next test. */
const deleteOtherWork = (external: string) =>
  service.database.pool.query(`update work_item set start_at = now() + interval '1 hour' where workflow_id <> $1`, [
    ids(external),
  ]);

async function stage(external: string, sequence: number): Promise<void> {
  const body = { ...domesticAccount({ import_supplier: 'SUPPLIER_FR' }, sequence), external_account_number: external };
  expect(
    (await service.call('POST', '/v1/data-import/account-import-process/create-or-update/', { token, body })).status,
  ).toBe(201);
}
const create = (external: string) =>
  service.call('POST', '/v1/data-import/account-import-process/process/', {
    token,
    body: { import_supplier_code: 'SUPPLIER_FR', external_account_number: external, operations_team_name: 'Migration' },
  });
async function rows(text: string, external: string): Promise<Record<string, any>[]> {
  return (await service.database.pool.query(text, [external])).rows;
}
const stateOf = (external: string) =>
  rows('select refusal, workflow_id, imported_at from import_process where external_account_number = $1', external);
/** What suppliers see of it. */
async function detailsOf(external: string): Promise<string[]> {
  const { body } = await service.call('GET', '/v1/data-import/events/?limit=500', { token });
  return body.filter((event: any) => event.subject === `accounts/${external}`).map(({ type }: any) => type);
}
const workItemsOf = (external: string) =>
  rows('select kind, input from work_item where workflow_id = $1', ids(external));

/** Creates the account and waits until it is quarantined: on a slow machine the request may time out before. */
async function createPoison(external: string): Promise<void> {
  expect(['account_quarantined', 'creation_pending']).toContain((await create(external)).body.code);
  await until(
    async () =>
      (await workItemsOf(external)).length > 0 &&
      (await handle(external)
        .describe()
        .catch(() => undefined)) !== undefined,
  );
}

async function pendingActivity(external: string) {
  let pending: { activityId?: string | null; attempt?: number | null; lastFailure?: any } | undefined;
  await until(async () => {
    const { raw } = await handle(external).describe();
    pending = raw.pendingActivities?.[0];
    return (pending?.attempt ?? 0) > 1 && pending?.lastFailure != null;
  });
  return pending!;
}

/** The effect of the button "Reset" in the web UI. */
async function retryNow(external: string): Promise<void> {
  await service.gateway
    .client()
    .workflowService.resetActivity({
      namespace: service.settings.TEMPORAL_NAMESPACE,
      execution: { workflowId: ids(external) },
      identity: 'test',
      type: 'createAlone',
    })
    // Its own next attempt may have come first.
    .catch((error: Error) => {
      if (!error.message.includes("Can't find pending activity")) throw error;
    });
}
const poisonGone = () => service.database.pool.query('alter table account disable trigger refuse_poison');
const poisonBack = () => service.database.pool.query('alter table account enable trigger refuse_poison');

/** The account has a separate run, whose details say what to do and contain nothing personal. */
async function expectOwnRun(external: string): Promise<void> {
  const { staticSummary, typedSearchAttributes, type, status } = await handle(external)
    .describe()
    .then(async (described) => ({ ...described, staticSummary: await described.staticSummary() }));
  expect({ type, status: status.name, staticSummary }).toEqual({
    type: 'createAccount',
    status: 'RUNNING',
    staticSummary: 'One account of SUPPLIER_FR that the database refuses, or that takes too long',
  });
  expect([typedSearchAttributes.get(kind), typedSearchAttributes.get(supplier)]).toEqual([
    'create-account',
    'SUPPLIER_FR',
  ]);

  const { lastFailure } = await pendingActivity(external);
  expect(lastFailure.message).toBe(
    'The database rejects the data (SQLSTATE 23514 at account.account_not_poison). Correct and stage the account again, or mark it to skip.',
  );
  expect(lastFailure).toMatchObject({ applicationFailureInfo: { type: 'database_refuses_data' }, stackTrace: '' });
  const history =
    JSON.stringify(await handle(external).fetchHistory()) +
    JSON.stringify(lastFailure, (_, value: unknown) =>
      value instanceof Uint8Array ? Buffer.from(value).toString() : value,
    );
  expect(history).not.toMatch(/noemie/i);
}

test('quarantines only the poison account of 64 concurrent ones, and creates it when the cause is fixed', async () => {
  const externals = Array.from({ length: 64 }, (_, index) => (index === 37 ? 'POISON-1' : `GOOD-${index}`));
  for (const [index, external] of externals.entries()) await stage(external, index + 1);
  const answers = await Promise.all(
    externals.map(async (external) => {
      let answer = await create(external);
      // A slow machine may need longer than the timeout that is set here; the resend receives the 201.
      while (answer.status === 503) answer = await create(external);
      return answer;
    }),
  );
  for (const [index, answer] of answers.entries()) {
    expect({ external: externals[index], status: answer.status, code: answer.body.code }).toEqual({
      external: externals[index],
      ...(index === 37 ? { status: 400, code: 'account_quarantined' } : { status: 201, code: undefined }),
    });
  }
  await expectOwnRun('POISON-1');

  const fault = { sqlstate: '23514', table: 'account', constraint: 'account_not_poison' };
  expect(await stateOf('POISON-1')).toEqual([
    {
      imported_at: null,
      workflow_id: ids('POISON-1'),
      refusal: { code: 'creation_failed', fault, at: expect.any(String) },
    },
  ]);
  expect(await workItemsOf('POISON-1')).toMatchObject([
    { kind: 'create-account', input: { externalAccountNumber: 'POISON-1' } },
  ]);

  await poisonGone();
  await retryNow('POISON-1');
  const outcome = await handle('POISON-1').result();
  await poisonBack();
  const [account] = await rows(
    'select number, creation_id from account where external_account_number = $1',
    'POISON-1',
  );
  expect(outcome).toEqual({ kind: 'created', serviceAccountNumber: account!['number'] });
  expect(await workItemsOf('POISON-1')).toEqual([]);
  expect(await stateOf('POISON-1')).toEqual([{ imported_at: expect.any(Date), workflow_id: null, refusal: null }]);
  expect(await detailsOf('POISON-1')).toEqual(['import.account.quarantined.v1', 'import.account.created.v1']);
  // The first resend may still receive the undelivered 201; the next one does not.
  expect((await create('POISON-1')).body).toMatchObject({ service_account_number: account!['number'] });
  expect((await create('POISON-1')).body).toMatchObject({
    code: 'account_import_process_already_imported',
    service_account_number: account!['number'],
  });
});

test('creates the other 62 of a batch of 64 with two poison accounts, in order', async () => {
  const externals = Array.from({ length: 64 }, (_, index) =>
    [0, 63].includes(index) ? `POISON-B${index}` : `BATCH-${index}`,
  );
  for (const [index, external] of externals.entries()) await stage(external, 1_000 + index);
  const entries = externals.map((externalAccountNumber) => ({
    creationId: randomUUID(),
    importSupplier: 'SUPPLIER_FR',
    externalAccountNumber,
    operationsTeam: 'Migration',
  }));
  const outcomes = await service.gateway
    .client()
    .workflow.execute('createAccounts', {
      workflowId: workflowIds.createAccounts(randomUUID()),
      taskQueue: taskQueues.creations,
      args: [{ entries }],
    });
  const { rows: accounts } = await service.database.pool.query(
    'select external_account_number as external, number from account where external_account_number = any($1)',
    [externals],
  );
  const numbers = new Map(accounts.map(({ external, number }) => [external, number]));
  expect(numbers.size).toBe(62);
  expect(outcomes).toEqual(
    externals.map((external) =>
      external.startsWith('POISON')
        ? { kind: 'quarantined' }
        : { kind: 'created', serviceAccountNumber: numbers.get(external) },
    ),
  );
  for (const external of ['POISON-B0', 'POISON-B63']) {
    expect((await handle(external).describe()).status.name).toBe('RUNNING');
  }
});

test('starts no second workflow for a second request of a poison account', async () => {
  await stage('POISON-2', 200);
  await createPoison('POISON-2');
  const { runId } = await handle('POISON-2').describe();
  expect((await create('POISON-2')).body.code).toBe('account_quarantined');
  expect((await handle('POISON-2').describe()).runId).toBe(runId);
  expect(await workItemsOf('POISON-2')).toHaveLength(1);
});

test('starts a poison account again from the dispatcher when its workflow is gone, and leaves a running one alone', async () => {
  await stage('POISON-3', 300);
  await createPoison('POISON-3');
  await deleteOtherWork('POISON-3');
  const { runId } = await handle('POISON-3').describe();
  expect(await dispatch()).toBe(0);

  await makeDue('POISON-3');
  expect(await dispatch()).toBe(1);
  expect((await handle('POISON-3').describe()).runId).toBe(runId);
  expect(await dispatch()).toBe(0);

  // Once it counts as started before, Temporal's list of runs shows that it is running.
  await until(async () => (await findOpenRuns(service.gateway.client(), [ids('POISON-3'), 'unknown'])).size === 1);
  await makeDue('POISON-3');
  await rows(`update work_item set created_at = now() - interval '1 hour' where workflow_id = $1`, ids('POISON-3'));
  expect(await dispatch()).toBe(1);
  expect((await handle('POISON-3').describe()).runId).toBe(runId);

  await handle('POISON-3').terminate('lost');
  await rows(`update work_item set created_at = now() where workflow_id = $1`, ids('POISON-3'));
  await makeDue('POISON-3');
  expect(await dispatch()).toBe(1);
  const again = await handle('POISON-3').describe();
  expect(again.runId).not.toBe(runId);
  expect(again.typedSearchAttributes.get(kind)).toBe('create-account');

  await poisonGone();
  await retryNow('POISON-3');
  expect(await handle('POISON-3').result()).toMatchObject({ kind: 'created' });
  await poisonBack();
  expect(await workItemsOf('POISON-3')).toEqual([]);
});

test('lets one of two concurrent dispatchers do nothing', async () => {
  await stage('POISON-4', 400);
  await createPoison('POISON-4');
  await deleteOtherWork('POISON-4');
  await makeDue('POISON-4');
  expect((await Promise.all([dispatch(), dispatch()])).sort()).toEqual([0, 1]);
});

test('ends the workflow of a quarantined account that was corrected and created anew', async () => {
  await stage('POISON-5', 500);
  await createPoison('POISON-5');
  await pendingActivity('POISON-5');
  // The workflow must not be faster than the request.
  await service.gateway
    .client()
    .workflowService.pauseActivity({
      namespace: service.settings.TEMPORAL_NAMESPACE,
      execution: { workflowId: ids('POISON-5') },
      identity: 'test',
      type: 'createAlone',
    });
  await poisonGone();
  let answer = await create('POISON-5');
  while (answer.status === 503) answer = await create('POISON-5');
  await poisonBack();
  expect(answer.status).toBe(201);
  expect(await workItemsOf('POISON-5')).toEqual([]);
  await retryNow('POISON-5');
  expect(await handle('POISON-5').result()).toMatchObject({
    kind: 'refused',
    code: 'account_import_process_already_imported',
    extras: { service_account_number: answer.body.service_account_number },
  });
});
