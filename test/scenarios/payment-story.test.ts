import { Writable } from 'node:stream';
import { afterAll, expect, test } from '@jest/globals';
import { pino } from 'pino';
import { addAccounts } from '../support/attachments.ts';
import { startService } from '../support/harness.ts';
import { until } from '../support/until.ts';
import { instructionCalls, instructionsOf, startPaymentVendors } from '../support/payment-vendors.ts';

const lines: string[] = [];
const vendors = await startPaymentVendors();
const log = pino(
  { level: 'trace' },
  new Writable({
    write: (chunk, _encoding, done) => {
      lines.push(String(chunk));
      done();
    },
  }),
);
const service = await startService({
  worker: true,
  log,
  settings: { ...vendors.settings, PAYMENT_TIMEOUT_MS: '1500' },
});
const create: ReturnType<typeof instructionCalls> = instructionCalls(
  service,
  await service.supplierToken(['SUPPLIER_FR']),
);
await addAccounts(service, ['STORY']);
afterAll(async () => {
  await service.stop();
  await vendors?.stop();
});

/** The requests of a supplier for one account over time, and the outcome of each. */
const STORY: [vendor: string, type: string, reference: string, status: number][] = [
  ['GOCARDLESS', 'DIRECT_DEBIT', 'MD-UNKNOWN', 400],
  ['GOCARDLESS', 'DIRECT_DEBIT', 'MD-0001', 201],
  ['STRIPE', 'CARD', 'pm_0001', 201],
  ['GOCARDLESS', 'CARD', 'MD-0001', 400],
  ['SLIMPAY', 'DIRECT_DEBIT', 'RUM-PENDING-2', 201],
  ['ADYEN', 'CARD', 'BUSY-1/CARD-1', 201],
  ['ADYEN', 'DIRECT_DEBIT', 'FAILING-2/SEPA-1', 201],
];

/** Repeats until there is a final response, as suppliers' clients do. */
async function sendUntilCompleted([vendor, type, reference]: (typeof STORY)[number]) {
  for (;;) {
    const answer = await create('STORY', reference, { vendor, type });
    if (answer.status !== 500) return answer;
    expect(answer.body.code).toBe('payment_vendor_unavailable');
  }
}

test('gives the same responses and the same instructions in force when the story is repeated, without redundant calls or work items', async () => {
  const sendStory = async () => {
    const answers = [];
    for (const step of STORY) answers.push(await sendUntilCompleted(step));
    return answers.map(({ status, body }) => ({
      status,
      code: body.code,
      number: body.service_account_number,
      reference: body.reference,
      reason: body.reason,
    }));
  };
  const first = await sendStory();
  expect(first.map(({ status }) => status)).toEqual(STORY.map(([, , , status]) => status));
  const stored = await instructionsOf(service, 'STORY');
  // Instructions in force are returned again, without a call or a replacement.
  const inForce = STORY.filter(([, , reference]) => stored.some((one) => one.inForce && one.reference === reference));
  const callsBefore = Object.values(vendors.of).map((vendor) => vendor.calls());
  for (const step of inForce) expect((await sendUntilCompleted(step)).status).toBe(201);
  expect(await instructionsOf(service, 'STORY')).toEqual(stored);
  expect(Object.values(vendors.of).map((vendor) => vendor.calls())).toEqual(callsBefore);
  // Replaced instructions are verified again, come into force and are replaced as the first time.
  const second = await sendStory();
  expect(second).toEqual(first);
  const namesInForce = (of: typeof stored) => of.filter((one) => one.inForce).map(({ reference }) => reference);
  expect(namesInForce(await instructionsOf(service, 'STORY'))).toEqual(namesInForce(stored));
  expect(stored.map(({ reference, inForce }) => `${reference} ${inForce}`)).toEqual([
    'MD-0001 false',
    'pm_0001 false',
    'RUM-PENDING-2 false',
    'BUSY-1/CARD-1 true',
    'FAILING-2/SEPA-1 true',
  ]);
  await until(
    async () =>
      (await service.database.pool.query(`select 1 from work_item where kind = 'verify-payment-instruction'`))
        .rowCount === 0,
  );
});

test("keeps references and vendors' texts out of histories, our logs and search attributes", async () => {
  expect((await create('STORY', 'MD-DENIED-1')).status).toBe(500);
  const client = service.gateway.client();
  const texts: string[] = [];
  for await (const run of client.workflow.list({ query: `ImportKind = 'verify-payment-instruction'` })) {
    texts.push(JSON.stringify(run.typedSearchAttributes), run.workflowId);
    const { events } = await client.workflow.getHandle(run.workflowId, run.runId).fetchHistory();
    // Payloads are base64 in the history: compared in decoded form.
    texts.push(
      JSON.stringify(events, (key, value) =>
        key === 'data' && (value instanceof Uint8Array || value?.type === 'Buffer')
          ? Buffer.from(value).toString('utf8')
          : value,
      ),
    );
  }
  expect(texts.length).toBeGreaterThanOrEqual(STORY.length);
  const readable = [...texts, ...lines].join('\n');
  for (const secret of [
    'MD-0001',
    'MD-DENIED',
    'pm_0001',
    'RUM-PENDING',
    'CARD-1',
    'SEPA-1',
    'A text of the vendor',
    'let me in',
  ]) {
    expect(readable).not.toContain(secret);
  }
  expect(lines.join('\n')).not.toContain('STORY');
  expect(lines.join('\n')).toContain('verify-instruction');
  for (const there of [
    'verificationId',
    'askPaymentVendor',
    'rejects our calls (401)',
    '/v1/data-import/payment-instruction/create',
  ]) {
    expect(readable).toContain(there);
  }
});
