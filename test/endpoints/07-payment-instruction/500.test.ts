import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { addAccounts } from '../../support/attachments.ts';
import { startService, type Service } from '../../support/harness.ts';
import { until } from '../../support/until.ts';
import {
  instructionCalls,
  instructionsOf,
  workItemsOf,
  startPaymentVendors,
  type SimulatedVendors,
} from '../../support/payment-vendors.ts';

/** Each check queries Temporal, which costs more than its other work. */
const POLL_MS = 750;

let vendors: SimulatedVendors;
let service: Service;
let token: string;
let create: ReturnType<typeof instructionCalls>;
beforeAll(async () => {
  vendors = await startPaymentVendors(['let me in', 'NEW']);
  service = await startService({ worker: true, settings: { ...vendors.settings, PAYMENT_TIMEOUT_MS: '1000' } });
  token = await service.supplierToken(['SUPPLIER_FR']);
  create = instructionCalls(service, token);
  await addAccounts(service, ['HEALS', 'ENDED', ...FAILURES.map(([, reference]) => `T-${reference}`)]);
});
afterAll(async () => {
  await service?.stop();
  await vendors?.stop();
});

const operate = (method: string, path: string) =>
  service.call(method, `/v1/operations/${path}`, { token: service.operatorToken });
const stuck = async (account: string) =>
  (await operate('GET', `stuck/?account=${encodeURIComponent(account)}`)).body.stuck;

/**
 * One at each vendor, because the failures of one reference open its vendor's circuit breaker; other failures are
 * tested in the clients' suites.
 */
const FAILURES: [string, string, string, string][] = [
  ['GOCARDLESS', 'MD-BUSY', 'vendor_busy', 'GoCardless asks us to slow down.'],
  ['STRIPE', 'mandate_ELSEWHERE', 'vendor_misconfigured', 'Stripe sends us elsewhere (302)'],
  [
    'SLIMPAY',
    'RUM-PENDING',
    'payment_instruction_not_yet',
    'SLIMPAY has the instruction, but it is not usable yet (waitingForValidation).',
  ],
  ['ADYEN', 'FAILING/SEPA-1', 'vendor_unavailable', 'Adyen'],
];

test.each(FAILURES)(
  '%s %s: answers 500 at the timeout while the verification continues, shown in stuck as %s',
  async (vendor, reference, type, message) => {
    const external = `T-${reference}`;
    const answer = await create(external, reference, { vendor });
    expect(answer).toMatchObject({
      status: 500,
      body: {
        code: 'payment_vendor_unavailable',
        errors: [],
        error_detail: answer.body.detail,
        external_account_number: external,
        import_supplier: 'SUPPLIER_FR',
        reference,
        request_id: expect.any(String),
      },
      headers: { 'retry-after': '5' },
    });
    expect(JSON.stringify(answer.body)).not.toContain('A text of the vendor');
    await until(
      async () => (await stuck(external))[0]?.last_failure !== null && (await stuck(external)).length === 1,
      POLL_MS,
    );
    const [item] = await stuck(external);
    expect(item).toMatchObject({
      kind: 'verify-payment-instruction',
      accounts: [{ import_supplier: 'SUPPLIER_FR', external_account_number: external }],
      paused: false,
      last_failure: { type, message: expect.stringContaining(message) },
    });
    expect(item.attempt).toBeGreaterThan(0);
    expect(item.what_to_do).not.toContain('Internal error');
    expect(await workItemsOf(service, external)).toBe(1);
    expect(await instructionsOf(service, external)).toEqual([]);
  },
);

test('completes after recovery without the caller, and answers the same request immediately', async () => {
  expect((await create('HEALS', 'MD-PENDING-3')).status).toBe(500);
  await until(async () => (await instructionsOf(service, 'HEALS')).length === 1);
  expect(await create('HEALS', 'MD-PENDING-3')).toMatchObject({ status: 201, body: { reference: 'MD-PENDING-3' } });
  expect(vendors.of.GOCARDLESS.callsAbout('MD-PENDING-3')).toBe(4);
  expect(await workItemsOf(service, 'HEALS')).toBe(0);
});

test('lets an operator retry immediately, from stuck and from the web UI', async () => {
  const external = 'T-RUM-PENDING';
  const callsAbout = () => vendors.of.SLIMPAY.callsAbout('RUM-PENDING');
  const { workflowService, options } = service.gateway.client();
  const waysToRetry: ((item: { id: string; workflow_id: string }) => Promise<unknown>)[] = [
    async (item) => {
      expect((await operate('POST', `stuck/${item.id}/retry/`)).body).toMatchObject({ outcome: 'activity_reset' });
    },
    // The call of "Reset" in the web UI.
    (item) =>
      workflowService.resetActivity({
        namespace: options.namespace,
        execution: { workflowId: item.workflow_id },
        identity: 'test',
        type: 'askPaymentVendor',
      }),
  ];
  for (const retry of waysToRetry) {
    const waitsLong = async () => Date.parse((await stuck(external))[0]?.next_attempt_at ?? '') - Date.now() > 4_000;
    await until(waitsLong, POLL_MS);
    const [item] = await stuck(external);
    const before = callsAbout();
    await retry(item);
    await until(() => callsAbout() > before);
    expect(Date.now()).toBeLessThan(Date.parse(item.next_attempt_at));
  }
});

test('starts a terminated run again while its work item is pending', async () => {
  expect((await create('ENDED', 'MD-PENDING-4-ENDED')).status).toBe(500);
  const {
    rows: [row],
  } = await service.database.pool.query(
    `select workflow_id from work_item where input ->> 'externalAccountNumber' = 'ENDED'`,
  );
  await service.gateway.client().workflow.getHandle(row.workflow_id).terminate('by the test');
  await until(async () => (await stuck('ENDED'))[0]?.attempt === 0, POLL_MS);
  const [item] = await stuck('ENDED');
  expect((await operate('POST', `stuck/${item.id}/retry/`)).body).toMatchObject({ outcome: 'workflow_started' });
  await until(async () => (await instructionsOf(service, 'ENDED')).length === 1);
  expect(await workItemsOf(service, 'ENDED')).toBe(0);
});
