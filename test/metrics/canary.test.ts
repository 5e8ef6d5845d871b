import { afterAll, expect, test } from '@jest/globals';
import { pino } from 'pino';
import { reservePort } from '../support/test-port.ts';
import { createLog } from '../../src/platform/log.ts';
import { openMetrics } from '../../src/platform/metrics/metrics.ts';
import { domesticAccount } from '../support/account-payload.ts';
import { startService } from '../support/harness.ts';
import { until } from '../support/until.ts';

/** Personal values in the payloads below, which only the database may contain. */
const CANARY = {
  name: 'Canarietta',
  family: 'Serinova',
  email: 'canarietta.serinova@example.org',
  mobile: '+33698765432',
  street: '13 impasse du Serin',
  reference: 'FR7630006000011234567890189',
  note: 'She keeps a yellow bird',
  birth: '1951-03-17',
};
const NUMBER = 'CANARY-ACCOUNT-0001';
const POISONED = 'CANARY-ACCOUNT-0002';

const lines: string[] = [];

const port = await reservePort();
const metrics = await openMetrics(
  { METRICS_PORT: port, METRICS_HOST: '127.0.0.1' },
  createLog({ level: 'silent', process: 'test' }),
  '0.1.0-test',
);
const log = pino(
  { level: 'trace' },
  {
    write: (line: string) => {
      lines.push(line);
    },
  },
);
const settings = {
  CREATION_TIMEOUT_MS: '3000',
  DISPATCH_EVERY_MS: '1000',
  // At night, whenever the test runs.
  RETENTION_FROM_HOUR: '0',
  RETENTION_UNTIL_HOUR: '24',
};
const service = await startService({ worker: true, log, metrics, settings });
const token = await service.supplierToken(['SUPPLIER_FR']);
afterAll(async () => {
  await service.stop();
  await metrics.stop();
});

function account(externalAccountNumber: string, sequence: number, campaign: string) {
  const payload = domesticAccount(
    {
      import_supplier: 'SUPPLIER_FR',
      external_account_number: externalAccountNumber,
      account_campaigns: [{ slug: campaign, campaign_note: CANARY.note }],
    },
    sequence,
  );
  const [customer] = payload.customers!;
  Object.assign(customer!, {
    given_name: CANARY.name,
    family_name: CANARY.family,
    email: CANARY.email,
    mobile: CANARY.mobile,
    date_of_birth: CANARY.birth,
  });
  const [address] = payload.supply_addresses!;
  address!.supply_address1 = CANARY.street;
  const [point] = address!.supply_points;
  point!.payment_instructions![0]!.reference = CANARY.reference;
  payload.payment_preferences = [];
  payload.notes = [{ body: CANARY.note }];
  return payload;
}

const stage = (payload: unknown) =>
  service.call('POST', '/v1/data-import/account-import-process/create-or-update/', { token, body: payload });
const create = (external: string) =>
  service.call('POST', '/v1/data-import/account-import-process/process/', {
    token,
    body: { external_account_number: external, import_supplier_code: 'SUPPLIER_FR', operations_team_name: 'Migration' },
  });
const readMetrics = async () => (await fetch(`http://127.0.0.1:${port}/metrics`)).text();

test('keeps personal values of created, rejected and invalid accounts out of logs, metrics, histories and search attributes', async () => {
  await service.database.pool.query(`alter table account_campaign add constraint no_poison check (slug <> 'poison')`);
  expect((await stage(account(NUMBER, 1, 'fine'))).status).toBe(201);
  expect((await stage(account(POISONED, 2, 'poison'))).status).toBe(201);
  expect(
    (
      await stage({
        ...account('CANARY-ACCOUNT-0003', 3, 'fine'),
        import_supplier: CANARY.name,
        last_billed_to_date: CANARY.note,
      })
    ).status,
  ).toBe(400);
  expect((await stage(`{"customers": [{"email": "${CANARY.email}" "x"}]}`)).status).toBe(400);
  expect((await create(NUMBER)).status).toBe(201);
  expect((await create(POISONED)).body.code).toBe('account_quarantined');

  await until(async () => (await allHistories()).includes('23514'));
  const histories = await allHistories();
  const sources = { log: lines.join('\n'), metrics: await readMetrics(), histories };
  expect(sources.log).toContain('create-or-update');
  expect(sources.histories).toContain(POISONED);
  expect(sources.histories).toContain('23514');
  for (const [place, text] of Object.entries(sources)) {
    for (const [kind, value] of Object.entries(CANARY)) {
      expect(`${kind} in ${place}: ${text.includes(value)}`).toBe(`${kind} in ${place}: false`);
    }
  }
  for (const external of [NUMBER, POISONED]) {
    expect(sources.metrics).not.toContain(external);
    // The id of a failed run contains its account number: it leads to the run in the web UI.
    expect(sources.log).not.toContain(external);
  }
});

test('counts requests by route, creations by outcome, batches, queue, pools, process and work items in metrics', async () => {
  await service.database.pool.query(
    `insert into work_item (workflow_id, kind, input, start_at) values ('switch-supplier/METRICS', 'switch-supplier', '{}', now() - interval '5 minutes')`,
  );
  await service.database.pool.query(
    `insert into party_health (party, answered_at, rests_until) values ('STRIPE', now(), now() + interval '1 hour')`,
  );
  await service.database.pool.query(`update api_key set expires_at = '2099-01-01T00:00:00Z' where role = 'supplier'`);
  await service.database.pool.query('insert into creation_slot (creation_id) values (gen_random_uuid())');
  await until(async () => /^work_items_oldest_due_age\{kind="switch-supplier"\} 3\d\d/m.test(await readMetrics()), 250);
  await until(async () => /^credentials_expire_time/m.test(await readMetrics()), 250);
  const text = await readMetrics();
  for (const line of [
    /^http_server_request_duration_count\{.*http_request_method="POST",http_route="\/v1\/data-import\/account-import-process\/process",http_response_status_code="201"/m,
    /^http_server_request_duration_count\{.*http_response_status_code="400",error_type="account_failed_validation"/m,
    /^import_accounts_total\{supplier="SUPPLIER_FR",outcome="created"\} 1$/m,
    /^import_accounts_total\{supplier="SUPPLIER_FR",outcome="account_quarantined"\} 1$/m,
    /^import_accounts_batch_size_count \d/m,
    /^import_queue_waiting 0$/m,
    /^import_queue_open_runs \d/m,
    /^db_client_connection_count\{db_client_connection_pool_name="worker",db_client_connection_state="idle"\} \d/m,
    /^db_client_connection_pending_requests\{db_client_connection_pool_name="http"\} 0$/m,
    /^build_info\{build_id="0.1.0-test"\} 1$/m,
    /^process_memory_usage \d/m,
    /^dependency_ready\{dependency="database"\} 1$/m,
    /^dependency_ready\{dependency="temporal"\} 1$/m,
    /^partner_resting\{partner="STRIPE"\} 1$/m,
    /^partner_last_answer_age\{partner="STRIPE"\} \d/m,
    /^look_ups_usable_rate\{network_operator="enedis"\} \d/m,
    /^credentials_expire_time\{credential="API key"\} 4070908800$/m,
    /^work_items_due\{kind="switch-supplier"\} \d/m,
    /^work_items_oldest_due_age\{kind="switch-supplier"\} 3\d\d/m,
    /^creation_slots_held 1$/m,
  ]) {
    expect(text).toMatch(line);
  }
});

test('deletes data after its retention at night, and reports it in metrics and audit', async () => {
  const { pool } = service.database;
  await pool.query(
    `update import_process set imported_at = now() - interval '91 days' where external_account_number = $1`,
    [NUMBER],
  );
  await pool.query(
    `update retention set started_at = now() - interval '2 days', completed_at = now() - interval '1 day'`,
  );
  await until(async () => /^retention_deleted_total\{class="created_payload"\} 1$/m.test(await readMetrics()), 250);
  await until(
    async () => (await pool.query(`select 1 from audit_entry where action = 'retention.ended'`)).rowCount === 1,
  );
  const account = await service.call('GET', `/v1/operations/accounts/SUPPLIER_FR/${NUMBER}/`, {
    token: service.operatorToken,
  });
  expect(account.body.import_process).toMatchObject({ payload: null, payload_deleted_at: expect.any(String) });
  expect(account.body.account.customers[0].given_name).toBe(CANARY.name);
  expect((await pool.query('select 1 from work_item where kind = $1', ['retention'])).rowCount).toBe(0);
  expect(await readMetrics()).toMatch(/^retention_last_completed_age\{class="audit"\} \d/m);
});

/** All runs of the test's namespace with readable payloads, including search attributes and memos. */
async function allHistories(): Promise<string> {
  const client = service.gateway.client();
  const ids = async () => {
    const found: { workflowId: string; runId: string }[] = [];
    for await (const { workflowId, runId } of client.workflow.list()) found.push({ workflowId, runId });
    return found;
  };
  await until(async () => (await ids()).some(({ workflowId }) => workflowId.endsWith(POISONED)));
  const histories = [];
  for (const { workflowId, runId } of await ids()) {
    const handle = client.workflow.getHandle(workflowId, runId);
    histories.push(await handle.fetchHistory(), (await handle.describe()).raw);
  }
  return JSON.stringify(histories, (_key, value: unknown) =>
    isBytes(value) ? Buffer.from(value as never).toString('utf8') : value,
  );
}

function isBytes(value: unknown): boolean {
  const shape = value as { type?: unknown; data?: unknown } | null;
  return (
    value instanceof Uint8Array || (typeof value === 'object' && shape?.type === 'Buffer' && Array.isArray(shape.data))
  );
}
