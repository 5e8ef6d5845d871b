import { afterAll, expect, test } from '@jest/globals';
import { quarantine } from '../../src/account-import/create/quarantine.store.ts';
import { createLog } from '../../src/platform/log.ts';
import { domesticAccount } from '../support/account-payload.ts';
import { startService } from '../support/harness.ts';
import { instructionCalls } from '../support/payment-vendors.ts';
import { points, POPULATE } from '../support/population.ts';
import { inDays, message, switchTestOf } from '../support/switching.ts';
import { until } from '../support/until.ts';

// The details of runs in Temporal are the same for any starter: a request, the dispatcher or an operator.

let batchId: string;
// Long enough for the one creation that has a worker.
const patience = { CREATION_TIMEOUT_MS: '8000', PAYMENT_TIMEOUT_MS: '500' };
const service = await startService({ worker: true, settings: patience });
afterAll(() => service.stop());
const token = await service.supplierToken(['SUPPLIER_FR']);
const tests = await switchTestOf(service);
await tests.create('MOVES', [['21000000000001', inDays(100)]]);
// From here on runs start without a worker.
await service.stopWorker();

interface Described {
  type: string;
  summary: string | undefined;
  attributes: Record<string, unknown>;
  /** Its task queue, unless it is `imports`. */
  queue?: string;
}

/** The open runs of the service; Temporal's list lags by a moment. */
async function openRuns(count: number): Promise<Described[]> {
  const client = service.gateway.client();
  let ids: string[] = [];
  await until(async () => {
    ids = [];
    for await (const run of client.workflow.list({ query: OPEN })) ids.push(run.workflowId);
    return ids.length === count;
  });
  const runs = await Promise.all(
    ids.map(async (id) => {
      const run = await client.workflow.getHandle(id).describe();
      const attributes = run.typedSearchAttributes.getAll().map(({ key, value }) => [key.name, value]);
      const queue = run.taskQueue === 'imports' ? {} : { queue: run.taskQueue };
      return {
        type: run.type,
        summary: await run.staticSummary(),
        attributes: Object.fromEntries(attributes),
        ...queue,
      };
    }),
  );
  return runs.toSorted((a, b) => `${a.type} ${a.summary}`.localeCompare(`${b.type} ${b.summary}`));
}

/** Without the run that keeps the numbers, and the probe. */
const OPEN = "ExecutionStatus = 'Running' AND ImportKind IS NOT NULL AND ImportKind != 'probe'";

async function endRuns(): Promise<void> {
  const client = service.gateway.client();
  for await (const run of client.workflow.list({ query: OPEN })) {
    await client.workflow.getHandle(run.workflowId, run.runId).terminate('lost');
  }
  await openRuns(0);
}

/** The details of each workflow type, in order. */
const expected = (): Described[] => [
  {
    type: 'createAccount',
    summary: 'One account of SUPPLIER_FR that the database refuses, or that takes too long',
    attributes: { ImportKind: 'create-account', ImportSupplier: 'SUPPLIER_FR' },
    queue: 'creations',
  },
  {
    type: 'lookUpSupplyPoints',
    summary: 'Looks up supply points at Enedis',
    attributes: { ImportKind: 'look-up-supply-points', NetworkOperator: 'enedis' },
  },
  {
    type: 'lookUpSupplyPoints',
    summary: 'Looks up supply points at GRDF',
    attributes: { ImportKind: 'look-up-supply-points', NetworkOperator: 'grdf' },
  },
  {
    type: 'populateSupplyPoints',
    summary: 'Watches one batch of supply points; cancelling this run cancels the batch',
    attributes: { ImportKind: 'populate-supply-points', BatchId: batchId },
  },
  {
    type: 'requestSwitches',
    summary: 'Requests industry switches and applies market messages, in pages',
    attributes: { ImportKind: 'request-switches' },
  },
  {
    type: 'switchSupplier',
    summary: 'Industry switch of one account of SUPPLIER_FR that failed too often in pages',
    attributes: { ImportKind: 'switch-supplier', ImportSupplier: 'SUPPLIER_FR' },
  },
  {
    type: 'verifyPaymentInstruction',
    summary: 'Verification of a payment instruction at GOCARDLESS for SUPPLIER_FR',
    attributes: { ImportKind: 'verify-payment-instruction', ImportSupplier: 'SUPPLIER_FR' },
  },
];

test('describes runs that requests have started', async () => {
  const post = (path: string, body: unknown) => service.call('POST', `/v1/data-import/${path}`, { token, body });
  const key = { external_account_number: 'WAITS' };
  const account = domesticAccount({ import_supplier: 'SUPPLIER_FR', ...key }, 7);
  expect(await post('account-import-process/create-or-update/', account)).toMatchObject({ status: 201 });
  const naming = { ...key, import_supplier_code: 'SUPPLIER_FR', operations_team_name: 'Migration' };
  expect(await post('account-import-process/process/', naming)).toMatchObject({ status: 503 });
  expect(await instructionCalls(service, token)('MOVES', 'MD-1')).toMatchObject({ status: 500 });
  expect(await tests.send(message('MOVES', 'ACCEPTED'))).toMatchObject({ status: 200 });
  const batch = await service.call('POST', POPULATE, { token, body: { prm_ids: points(2), pce_ids: points(2) } });
  expect(batch).toMatchObject({ status: 201 });
  batchId = batch.body.batch_id;
  const others = expected().filter(({ type }) => type !== 'createAccount' && type !== 'switchSupplier');
  expect(await openRuns(6)).toEqual([
    {
      type: 'createAccounts',
      summary: 'Creates one account',
      attributes: { ImportKind: 'create-accounts' },
      queue: 'creations',
    },
    ...others,
  ]);
});

test('describes runs that the dispatcher has started', async () => {
  await endRuns();
  const entry = {
    creationId: '0199a000-0000-7000-8000-0000000000aa',
    importSupplier: 'SUPPLIER_FR',
    externalAccountNumber: 'WAITS',
    operationsTeam: 'Migration',
  };
  await service.database.transaction((tx) =>
    quarantine(tx, createLog({ level: 'silent', process: 'test' }), entry, new Error('refused')),
  );
  await service.database.pool.query('update work_item set start_at = now()');
  expect(await tests.dispatch()).toBe(6);
  expect(await openRuns(6)).toEqual(withoutSwitch());
  await service.database.pool.query(`update work_item set runs_alone = true where kind = 'switch-supplier'`);
  expect(await tests.dispatch()).toBe(1);
  expect(await openRuns(7)).toEqual(expected());
});

const withoutSwitch = () => expected().filter(({ type }) => type !== 'switchSupplier');

test('describes runs that an operator has started', async () => {
  await endRuns();
  // A switch that waits for messages is not stuck.
  await service.database.pool.query(
    `update work_item set runs_alone = false, state = null, start_at = now() + interval '1 day' where kind = 'switch-supplier'`,
  );
  const stuck = (await tests.operate('GET', 'stuck/')).body.stuck;
  for (const { id } of stuck) {
    expect(await tests.operate('POST', `stuck/${id}/retry/`)).toMatchObject({ body: { outcome: 'workflow_started' } });
  }
  expect(await openRuns(6)).toEqual(withoutSwitch());
});

test('keeps ended runs in the embedded server for at least a week', async () => {
  const { config } = await service.gateway.client().workflowService.describeNamespace({ namespace: 'default' });
  expect(Number(config?.workflowExecutionRetentionTtl?.seconds)).toBeGreaterThanOrEqual(7 * 86_400);
});

test('runs the probe of starts as a separate type, on a queue without workers', async () => {
  const { type, taskQueue } = await service.gateway.client().workflow.getHandle('probe/start').describe();
  expect({ type, taskQueue }).toEqual({ type: 'probeStart', taskQueue: 'probe' });
});
