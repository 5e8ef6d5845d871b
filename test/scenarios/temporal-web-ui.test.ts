import { afterAll, expect, test } from '@jest/globals';
import {
  startIndustrySwitchSimulator,
  type IndustrySwitchSimulator,
} from '../../src/vendors/industry-switch/industry-switch.simulator.ts';
import { describeRun, lookupBudget, taskQueues, workflowIds } from '../../temporal.config.ts';
import { domesticAccount } from '../support/account-payload.ts';
import { startBrowser } from '../support/browser.ts';
import { instructionCalls, instructionsOf, startPaymentVendors } from '../support/payment-vendors.ts';
import { points, startPopulation } from '../support/population.ts';
import { putJob, startJob, untilJob } from '../support/run-import-job.ts';
import { switchTestOf } from '../support/switching.ts';
import { openRunInWebUi, resetInWebUi, signalInWebUi } from '../support/temporal-web-ui.ts';
import { reservePort } from '../support/test-port.ts';
import { until } from '../support/until.ts';
import { startWebhookReceiver } from '../support/webhook-receiver.ts';

// docs/running/temporal-web-ui.md in a browser: each kind of stuck work is found by the query of the guide, understood, and retried there.

let industrySwitch: IndustrySwitchSimulator | undefined;
const switchPort = await reservePort();
const vendors = await startPaymentVendors();
const receiver = await startWebhookReceiver();
const service = await startPopulation({
  settings: {
    ...vendors.settings,
    INDUSTRY_SWITCH_URL: `http://127.0.0.1:${switchPort}`,
    WEBHOOK_PRIVATE_ADDRESSES: 'true',
    DISPATCH_EVERY_MS: '300',
    CREATION_PATIENCE_MS: '1000',
    PAYMENT_PATIENCE_MS: '500',
  },
});
const tests = await switchTestOf(service);
const browser = await startBrowser();
afterAll(async () => {
  await browser?.stop();
  await service.stop();
  await industrySwitch?.stop();
  await receiver?.stop();
  await vendors?.stop();
});

interface Stuck {
  workflowId: string;
  /** Corrects the cause. */
  correct: () => Promise<unknown>;
  /** Waits until the work is complete. */
  completed: () => Promise<unknown>;
}

interface Kind {
  /** Of the table in the guide. */
  query: string;
  details: RegExp;
  /** What the pending activity shows. */
  failure?: RegExp;
  /** Wait for this attempt; 4 unless given. */
  attempt?: number;
  /** The name of a signal; without one the pending activity is reset. */
  signal?: string;
  cause: () => Promise<Stuck>;
}

const post = (path: string, body: object) =>
  service.call('POST', `/v1/data-import/account-import-process/${path}/`, { token: service.token, body });

/** Lets the database reject rows of one table with a SQLSTATE; resolves to what ends that. */
async function rejectRows(table: string, condition: string, sqlState: string): Promise<() => Promise<unknown>> {
  const { pool } = service.database;
  const name = `reject_${table}_${sqlState}`;
  await pool.query(`
    create function ${name}() returns trigger language plpgsql as $$ begin
      raise exception 'rejected by the test' using errcode = '${sqlState}';
    end $$;
    create trigger ${name} before insert on ${table} for each row when (${condition}) execute function ${name}()`);
  return () => pool.query(`drop trigger ${name} on ${table}`);
}

const isCreated = async (external: string) =>
  (await service.database.pool.query('select 1 from account where external_account_number = $1', [external]))
    .rowCount === 1;

/** Stages an account and requests its creation, which the database rejects. */
async function requestRejected(external: string, sequence: number, sqlState: string) {
  const correct = await rejectRows('account', `new.external_account_number = '${external}'`, sqlState);
  const account = domesticAccount({ import_supplier: 'SUPPLIER_FR', external_account_number: external }, sequence);
  delete account.payment_preferences;
  // A switch of its own would open the circuit breaker.
  for (const address of account.supply_addresses!) address.supply_points = [];
  expect(await post('create-or-update', account)).toMatchObject({ status: 201 });
  const key = { import_supplier_code: 'SUPPLIER_FR', external_account_number: external };
  expect((await post('process', { ...key, operations_team_name: 'Migration' })).status).not.toBe(201);
  return { correct, completed: () => until(() => isCreated(external)) };
}

/** The workflow id of the only open run of a kind. */
async function onlyOpen(kind: string): Promise<string> {
  const query = `ImportKind = '${kind}' AND ExecutionStatus = 'Running'`;
  let ids: string[] = [];
  await until(async () => {
    ids = [];
    for await (const run of service.gateway.client().workflow.list({ query })) ids.push(run.workflowId);
    return ids.length === 1;
  });
  return ids[0]!;
}

async function startIndustrySwitch(): Promise<void> {
  const deliver = (messages: object[]) => tests.send(...messages).then(() => undefined);
  industrySwitch = await startIndustrySwitchSimulator({ port: switchPort, deliver, pauseMs: 1 });
}

/** The attempt at which the failing activity of a run is. */
async function pendingAttempt(workflowId: string): Promise<number> {
  const { raw } = await service.gateway.client().workflow.getHandle(workflowId).describe();
  return Math.max(0, ...(raw.pendingActivities ?? []).map(({ attempt }) => attempt ?? 0));
}

const kinds: Record<string, Kind> = {
  'a creation batch that waits for the database': {
    query: 'ImportKind = "create-accounts" AND ImportStatus = "WAITING" AND ExecutionStatus = "Running"',
    details: /waits for the database.*1 account of SUPPLIER_FR:.*WAITS-1/s,
    failure: /database_unavailable.*53100/s,
    cause: async () => {
      const rejected = await requestRejected('WAITS-1', 1, '53100');
      return { ...rejected, workflowId: await onlyOpen('create-accounts') };
    },
  },
  'an account that the database rejects': {
    query: 'ImportKind = "create-account" AND ExecutionStatus = "Running"',
    details: /Correct the data and stage it again/,
    failure: /database_refuses_data.*23514/s,
    cause: async () => ({
      ...(await requestRejected('REJECTED-1', 2, '23514')),
      workflowId: workflowIds.createAccount('SUPPLIER_FR', 'REJECTED-1'),
    }),
  },
  'a payment vendor that is down': {
    query: 'ImportKind = "verify-payment-instruction" AND ExecutionStatus = "Running"',
    details: /Checks with GOCARDLESS.*choose .Reset. on it/s,
    failure: /vendor_unavailable/,
    cause: async () => {
      await tests.create('PAYS-1', []);
      await instructionCalls(service, service.token)('PAYS-1', 'MD-FAILING-999');
      return {
        workflowId: await onlyOpen('verify-payment-instruction'),
        correct: async () => vendors.of.GOCARDLESS.heal(),
        completed: () => until(async () => (await instructionsOf(service, 'PAYS-1')).length === 1),
      };
    },
  },
  'a network operator that is down': {
    query: 'NetworkOperator = "grdf"',
    details: /GRDF/,
    failure: /vendor_unavailable/,
    cause: async () => {
      service.grdf.mood('down');
      const batch = await service.populate([], points(1, 71_000_000_000_000));
      return {
        workflowId: workflowIds.lookUpSupplyPoints('grdf'),
        correct: async () => service.grdf.mood('well'),
        completed: () => service.ended(batch),
      };
    },
  },
  'lookups that keep failing': {
    query: 'NetworkOperator = "enedis"',
    details: /1 deferred: each failed alone.*retryDeferred/s,
    signal: 'retryDeferred',
    cause: async () => {
      // A run with shorter pauses between the first attempts, started before the batch.
      await service.stopWorker();
      const identifier = { ...lookupBudget.identifier, retrySeconds: 0.1 };
      const workflowId = workflowIds.lookUpSupplyPoints('enedis');
      const input = { networkOperator: 'enedis', identifier };
      const run = { workflowId, taskQueue: taskQueues.imports, args: [input] };
      const described = describeRun('look-up-supply-points', input);
      await service.gateway.client().workflow.start('lookUpSupplyPoints', { ...run, ...described });
      const batch = await service.populate(['99110500000062']);
      await service.startWorker();
      await until(async () => (await service.status(batch)).set_aside_requests?.prms[0]?.tries === 5);
      return { workflowId, correct: async () => undefined, completed: () => service.ended(batch) };
    },
  },
  'an industry switch that is down': {
    query: 'ImportKind = "request-switches" AND ExecutionStatus = "Running"',
    details: /Requests due switches.*choose .Reset. on it/s,
    failure: /vendor_unavailable/,
    attempt: 3,
    cause: async () => {
      await tests.create('MOVES-1', ['21000000000001']);
      return {
        workflowId: workflowIds.requestSwitches,
        correct: startIndustrySwitch,
        completed: () => tests.become('MOVES-1', 'COMPLETED'),
      };
    },
  },
  'a switch that failed too often in pages': {
    query: 'ImportKind = "switch-supplier" AND ImportStatus = "SENDING" AND ExecutionStatus = "Running"',
    details: /Requests the switch.*choose .Reset. on it/s,
    failure: /vendor_unavailable/,
    attempt: 3,
    cause: async () => {
      await industrySwitch?.stop();
      const number = await tests.create('MOVES-2', ['21000000000002']);
      const workflowId = workflowIds.switchSupplier(number);
      await until(async () => {
        await service.database.pool.query('update work_item set runs_alone = true where workflow_id = $1', [
          workflowId,
        ]);
        return (await tests.openRuns()).includes(workflowId);
      });
      return { workflowId, correct: startIndustrySwitch, completed: () => tests.become('MOVES-2', 'COMPLETED') };
    },
  },
  'an import job': {
    query: 'ImportKind = "import-job" AND ExecutionStatus = "Running"',
    details: /choose .Reset. on it/,
    failure: /database_unavailable.*53100/s,
    cause: async () => {
      const correct = await rejectRows('import_job_line', 'true', '53100');
      const line = domesticAccount({ import_supplier: 'SUPPLIER_FR', external_account_number: 'LINE-1' }, 8);
      const jobId = await putJob(service.database, { goal: 'STAGE', lines: [line] });
      await startJob(service.gateway, jobId);
      return { workflowId: workflowIds.importJob(jobId), correct, completed: () => untilJob(service.database, jobId) };
    },
  },
  'a receiver of events that is down': {
    query: 'ImportKind = "deliver-events" AND ExecutionStatus = "Running"',
    details: /Delivers events.*choose .Reset. on it/s,
    failure: /receiver_unavailable/,
    attempt: 3,
    cause: async () => {
      receiver.answer = () => 500;
      const endpoint = { import_supplier: 'SUPPLIER_FR', url: receiver.url };
      const { body } = await tests.operate('POST', 'event-endpoints/', endpoint);
      await tests.create('EVENT-1', []);
      return {
        workflowId: workflowIds.deliverEvents(body.endpoint_id),
        correct: async () => {
          receiver.answer = () => 204;
        },
        completed: () => until(() => receiver.taken.length > 0),
      };
    },
  },
};

test.each(Object.entries(kinds))(
  '%s is found, understood and retried',
  async (_name, kind) => {
    const stuck = await kind.cause();
    const { page } = await browser.page();
    // Temporal's web UI is a large script, and other suites use the processors.
    page.setDefaultTimeout(60_000);
    const site = `${process.env['TEST_TEMPORAL_UI']}/namespaces/${service.settings.TEMPORAL_NAMESPACE}`;
    await openRunInWebUi(page, service.gateway.client(), site, { ...kind, ...stuck });
    if (kind.signal !== undefined) {
      await signalInWebUi(page, kind.signal);
      await stuck.completed();
      return;
    }
    await until(async () => (await pendingAttempt(stuck.workflowId)) >= (kind.attempt ?? 4));
    expect(await resetInWebUi(page, page.url(), stuck.correct)).toMatch(kind.failure!);
    await stuck.completed();
  },
  180_000,
);
