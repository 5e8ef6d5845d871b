import { expect, test } from '@jest/globals';
import { paymentBudget, paymentVendorLimits } from '../../../temporal.config.ts';
import { readSettings } from '../../../src/platform/settings.ts';

const limits = Object.entries(paymentVendorLimits);

test('a slow vendor takes no place that another one needs, and an attempt tells its own end', () => {
  const places = limits
    .map(([, { callsMax, waitingMax }]) => callsMax + waitingMax)
    .toSorted((one, other) => other - one);
  expect(paymentBudget.slots).toBeGreaterThan(places[0]! + places[1]!);
  expect(Number.parseInt(paymentBudget.askTimeout, 10) * 1_000).toBeGreaterThanOrEqual(paymentBudget.askMs + 2_000);
  for (const [, { timeoutMs }] of limits) expect(timeoutMs).toBeLessThan(paymentBudget.askMs);
});

test('a vendor is asked for a day, a caller waits for 20 s', () => {
  expect(readSettings({})).toMatchObject({ PAYMENT_BUDGET_MS: 86_400_000, PAYMENT_PATIENCE_MS: 20_000 });
});

test("a vendor's address has to be one, and its secrets may come by file", () => {
  expect(() => readSettings({ STRIPE_URL: 'api.stripe.com' })).toThrow(/STRIPE_URL=api\.stripe\.com/);
  expect(() => readSettings({ ADYEN_API_KEY_NEXT_FILE: '/nowhere' })).toThrow(/ADYEN_API_KEY_NEXT_FILE/);
});
