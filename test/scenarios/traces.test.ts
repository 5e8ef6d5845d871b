import { afterAll, expect, test } from '@jest/globals';
import { pino } from 'pino';
import { openTraces } from '../../src/platform/open-traces.ts';
import { domesticAccount } from '../support/account-payload.ts';
import { startApi } from '../support/api-process.ts';
import { startCutProxy } from '../support/cut-proxy.ts';
import { send, startService } from '../support/harness.ts';
import { instructionCalls, startPaymentVendors } from '../support/payment-vendors.ts';
import { startSpanReceiver, type ReceivedSpan } from '../support/span-receiver.ts';
import { until } from '../support/until.ts';

const V1 = '/v1/data-import';
const CALLER = { traceId: 'c'.repeat(32), spanId: 'd'.repeat(16) };
/** Values that no span may contain, wherever it is sent. */
const PLANTED = {
  number: 'TRACED-ACCOUNT-1',
  name: 'Traceline',
  email: 'traceline@example.org',
  street: '7 rue des Traces',
  reference: 'MD-TRACED-1',
  tracestate: 'traced=by-0612345678',
  request: 'traced-request-0612345678',
};

const lines: Record<string, unknown>[] = [];
const log = pino({ level: 'info' }, { write: (line: string) => void lines.push(JSON.parse(line)) });

const receiver = await startSpanReceiver();
const traces = await openTraces({ OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url, OTEL_TRACES_SAMPLER_ARG: 1 }, log, {
  process: 'test',
  version: '1.2.3',
});
const vendors = await startPaymentVendors();
const settings = { ...vendors.settings, CREATION_RUNS_IN_FLIGHT: '1', DISPATCH_EVERY_MS: '1000' };
const service = await startService({ worker: true, log, settings });
const token = await service.supplierToken(['SUPPLIER_FR']);
afterAll(async () => {
  await service.stop();
  await vendors?.stop();
  await traces?.stop();
  await receiver?.stop();
});

const numberOf = (index: number) => `TRACED-ACCOUNT-${index}`;

function account(index: number) {
  const payload = domesticAccount({ import_supplier: 'SUPPLIER_FR', external_account_number: numberOf(index) }, index);
  Object.assign(payload.customers![0]!, { family_name: PLANTED.name, email: PLANTED.email });
  payload.supply_addresses![0]!.supply_address1 = PLANTED.street;
  return payload;
}

const call = (path: string, body: unknown, headers: Record<string, string> = {}) =>
  service.call('POST', `${V1}${path}`, { token, body, headers });
const stage = (index: number) => call('/account-import-process/create-or-update/', account(index));
const create = (index: number) =>
  call('/account-import-process/process/', {
    external_account_number: numberOf(index),
    import_supplier_code: 'SUPPLIER_FR',
    operations_team_name: 'Migration',
  });

const traceOf = (headers: Record<string, string>) => headers['traceresponse']!.split('-')[1]!;
const spansOf = (traceId: string) => receiver.spans.filter((span) => span.traceId === traceId);

/** Waits until the spans of a trace arrive with these names, each below the previous one. */
async function chain(traceId: string, ...names: (string | RegExp)[]): Promise<ReceivedSpan[]> {
  let found: ReceivedSpan[] = [];
  await until(() => {
    const spans = spansOf(traceId);
    found = [];
    for (const name of names) {
      const above = found.at(-1)?.spanId;
      const next = spans.find(
        (span) =>
          (typeof name === 'string' ? span.name === name : name.test(span.name)) &&
          (above === undefined || span.parentSpanId === above),
      );
      if (next === undefined) return false;
      found.push(next);
    }
    return true;
  }, 100);
  return found;
}

test('joins the trace of the caller, and returns and logs its id', async () => {
  const answer = await call('/validate-account/', account(1), {
    traceparent: `00-${CALLER.traceId}-${CALLER.spanId}-01`,
    tracestate: PLANTED.tracestate,
    'x-request-id': PLANTED.request,
  });
  expect(answer.status).toBe(200);
  const [request] = await chain(CALLER.traceId, `POST ${V1}/validate-account`);
  expect(answer.headers['traceresponse']).toBe(`00-${CALLER.traceId}-${request!.spanId}-01`);
  expect(request).toMatchObject({
    parentSpanId: CALLER.spanId,
    attributes: { 'http.route': `${V1}/validate-account`, 'http.response.status_code': 200 },
  });
  expect(lines).toContainEqual(expect.objectContaining({ requestId: PLANTED.request, traceId: CALLER.traceId }));
  expect(receiver.bodies.join()).toContain('1.2.3');
});

test('traces a creation from the request through its run to the commit', async () => {
  const staged = await stage(1);
  expect(staged.status).toBe(201);
  await chain(traceOf(staged.headers), `POST ${V1}/account-import-process/create-or-update`, 'stage-accounts');
  const answer = await create(1);
  expect(answer.status).toBe(201);
  const traceId = traceOf(answer.headers);
  const [request, , , run] = await chain(
    traceId,
    `POST ${V1}/account-import-process/process`,
    'creation batch',
    'StartWorkflow:createAccounts',
    'RunWorkflow:createAccounts',
    'RunActivity:createFromStaged',
    'commit',
  );
  expect(request!.parentSpanId ?? '').toBe('');
  const runs = service.gateway.client().workflow.list({ query: `WorkflowType = 'createAccounts'` });
  const runIds = [];
  for await (const { runId } of runs) runIds.push(runId);
  expect(runIds).toContain(run!.attributes['temporal.run_id']);
  expect(lines).toContainEqual(expect.objectContaining({ msg: 'request', traceId, status: 201 }));
});

test('traces a verification to the vendor, with its name', async () => {
  const answer = await instructionCalls(service, token)(numberOf(1), PLANTED.reference);
  expect(answer.status).toBe(201);
  const [, , , , vendor] = await chain(
    traceOf(answer.headers),
    `POST ${V1}/payment-instruction/create`,
    'StartWorkflow:verifyPaymentInstruction',
    'RunWorkflow:verifyPaymentInstruction',
    'RunActivity:askPaymentVendor',
    'GoCardless',
  );
  expect(vendor!.attributes).toMatchObject({ 'peer.service': 'GoCardless', 'http.response.status_code': 200 });
});

test('traces a run to its request that the dispatcher starts because Temporal was down', async () => {
  const temporal = await startCutProxy(`tcp://${process.env['TEST_TEMPORAL_ADDRESS']}`);
  const api = await startApi(service, {
    ...vendors.settings,
    PAYMENT_TIMEOUT_MS: '500',
    TEMPORAL_ADDRESS: new URL(temporal.url).host,
    OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url,
    OTEL_TRACES_SAMPLER_ARG: '1',
  });
  temporal.cut();
  const answer = await instructionCalls({ call: (...args) => send(api.url, ...args) }, token)(numberOf(1), 'MD-LATE');
  expect(answer).toMatchObject({ status: 500, body: { code: 'payment_vendor_unavailable' } });
  await service.database.pool.query('update work_item set start_at = now()');
  await chain(
    traceOf(answer.headers),
    `POST ${V1}/payment-instruction/create`,
    'dispatch',
    'StartWorkflow:verifyPaymentInstruction',
    'RunWorkflow:verifyPaymentInstruction',
    'RunActivity:askPaymentVendor',
    'GoCardless',
  );
  await api.kill();
  await temporal.stop();
});

test('puts a run for several requests into the trace of one, with links to those of the others', async () => {
  const indices = [2, 3, 4, 5, 6, 7];
  for (const index of indices) await stage(index);
  const answers = await Promise.all(indices.map(create));
  expect(answers.map(({ status }) => status)).toEqual(indices.map(() => 201));
  const traceIds = answers.map(({ headers }) => traceOf(headers));
  expect(new Set(traceIds).size).toBe(indices.length);
  const ofThese = () => receiver.spans.filter(({ traceId }) => traceIds.includes(traceId));
  await until(() => {
    const batches = ofThese().filter(({ name }) => name === 'creation batch');
    const accounts = batches.reduce((sum, { attributes }) => sum + Number(attributes['gangway.accounts']), 0);
    return (
      accounts === indices.length && ofThese().filter(({ name }) => name.startsWith('POST ')).length === indices.length
    );
  }, 100);
  const shared = ofThese().find(({ name, links }) => name === 'creation batch' && links.length > 0)!;
  expect(shared.links.length).toBe(Number(shared.attributes['gangway.accounts']) - 1);
  for (const { traceId, spanId } of shared.links) {
    const request = receiver.spans.find((span) => span.spanId === spanId)!;
    expect(request).toMatchObject({ traceId, name: `POST ${V1}/account-import-process/process` });
    expect(request.links).toContainEqual(expect.objectContaining({ traceId: shared.traceId, spanId: shared.spanId }));
  }
});

test('lets a caller decline to be recorded', async () => {
  const traceId = 'e'.repeat(32);
  const answer = await call('/validate-account/', account(1), { traceparent: `00-${traceId}-${'f'.repeat(16)}-00` });
  expect(answer.headers['traceresponse']).toMatch(new RegExp(`^00-${traceId}-[0-9a-f]{16}-00$`));
  const after = await call('/validate-account/', account(1), { traceparent: 'of no form' });
  await chain(traceOf(after.headers), `POST ${V1}/validate-account`);
  expect(spansOf(traceId)).toEqual([]);
});

test('puts no supplier data into spans', async () => {
  const status = await service.call('GET', `${V1}/account-transfer-status/SUPPLIER_FR/${PLANTED.number}/`, { token });
  const nowhere = await service.call('GET', `${V1}/${PLANTED.name}/?email=${PLANTED.email}`, { token });
  await chain(traceOf(status.headers), /account-transfer-status\/:supplier\/:external$/);
  await chain(traceOf(nowhere.headers), 'GET none');
  const all = receiver.bodies.join();
  for (const value of [...Object.values(PLANTED), encodeURIComponent(PLANTED.street), '0612345678', 'TRACED-ACCOUNT']) {
    expect(`${value}: ${all.includes(value)}`).toBe(`${value}: false`);
  }
});

test('neither stops nor delays anything while the collector is down, and logs it once', async () => {
  await receiver.stop();
  const warnings = () => lines.filter(({ msg }) => String(msg).startsWith('traces do not reach the collector'));
  expect((await call('/validate-account/', account(1))).status).toBe(200);
  await until(() => warnings().length === 1, 100);
  expect((await stage(8)).status).toBe(201);
  expect((await create(8)).status).toBe(201);
  expect(warnings().length).toBe(1);
});
