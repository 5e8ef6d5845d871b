import { afterAll, expect, test } from '@jest/globals';
import { paymentPageBudget, paymentVendorLimits } from '../../temporal.config.ts';
import { send } from '../support/harness.ts';
import { insertProcesses } from '../support/import-process-lists.ts';
import { startPaymentVendors } from '../support/payment-vendors.ts';
import fc from '../support/random-seed.ts';
import { until } from '../support/until.ts';
import { startStack, withoutThread } from './stack.ts';

// A job of payment instructions whose worker is killed in the middle of pages.

const LINES = Number(process.env['KILL_INSTRUCTIONS'] ?? 400);
const KILLS = 3;

const vendors = await startPaymentVendors();
const stack = await startStack({ ...withoutThread, ...vendors.settings });
afterAll(async () => {
  await stack?.stop();
  await vendors?.stop();
}, 120_000);

async function call(method: string, path: string, body?: unknown, headers = {}) {
  const answer = await send(stack.url, method, `/v1/data-import/import-jobs/${path}`, {
    token: stack.token,
    body,
    headers,
  });
  if (answer.status >= 300) throw new Error(`${path} was answered ${answer.status}: ${JSON.stringify(answer.body)}`);
  return answer.body;
}

test('verifies each instruction once, and repeats only calls in progress, when workers are killed at any moment', async () => {
  const numbers = Array.from({ length: LINES }, (_, index) => `KILLED-${index}`);
  await insertProcesses(
    { pool: { query: (text, values) => stack.query(text, values) } },
    'SUPPLIER_FR',
    numbers,
    'imported',
  );
  const { job_id: jobId } = await call('POST', '', {
    import_supplier: 'SUPPLIER_FR',
    kind: 'payment-instructions',
    goal: 'IMPORT',
  });
  const part = numbers.map((external, index) =>
    JSON.stringify({
      external_account_number: external,
      vendor: 'STRIPE',
      type: 'CARD',
      reference: `pm_${index % 40 === 20 ? 'REVOKED' : 'KILLED'}_${index}`,
    }),
  );
  await call('PUT', `${jobId}/parts/1/`, part.join('\n'), { 'content-type': 'application/x-ndjson' });
  await call('POST', `${jobId}/start/`);
  const refused = numbers.filter((_, index) => index % 40 === 20).length;
  for (const share of fc.sample(fc.double({ min: 0.02, max: 0.9, noNaN: true }), KILLS).toSorted((a, b) => a - b)) {
    await until(() => vendors.of.STRIPE.calls() >= share * LINES, 10);
    await stack.kill('worker');
    await stack.start('worker');
  }
  await until(async () => (await call('GET', `${jobId}/`)).status === 'COMPLETED', 250);
  expect((await call('GET', `${jobId}/`)).counts).toMatchObject({ succeeded: LINES - refused, failed: refused });

  const [stored] = await stack.query(
    `select count(*)::integer as verifications, count(distinct account_id)::integer as accounts,
       count(*) filter (where outcome = 'verified')::integer as verified, count(*) filter (where outcome = 'rejected')::integer as rejected,
       (select count(*)::integer from payment_instruction where replaced_at is null) as "inForce",
       (select count(*)::integer from (select type from event_outbox union all select type from event) e where type like 'payment_instruction.%') as events
     from payment_verification`,
  );
  expect(stored).toEqual({
    verifications: LINES,
    accounts: LINES,
    verified: LINES - refused,
    rejected: refused,
    inForce: LINES - refused,
    events: LINES,
  });
  // A killed page has stored none of its answers.
  const repeated = vendors.of.STRIPE.calls() - LINES;
  if (process.env['FIGURES']) process.stderr.write(`killed verifications: ${repeated} of ${LINES} calls repeated\n`);
  const { perSecond } = paymentVendorLimits.STRIPE.ofJobs;
  expect(repeated).toBeLessThanOrEqual(KILLS * perSecond * (paymentPageBudget.pageMs / 1_000));
  await until(async () => (await stack.query('select 1 from work_item')).length === 0, 500);
}, 420_000);
