import { expect, test } from '@jest/globals';
import { paymentBudget, paymentVendorLimits } from '../../../temporal.config.ts';
import { readSettings } from '../../../src/platform/settings.ts';

const limits = Object.entries(paymentVendorLimits);

test('gives each vendor its own slots, and each attempt its own deadline', () => {
  const slots = limits
    .map(([, { callsMax, waitingMax }]) => callsMax + waitingMax)
    .toSorted((one, other) => other - one);
  expect(paymentBudget.slots).toBeGreaterThan(slots[0]! + slots[1]!);
  expect(Number.parseInt(paymentBudget.attemptTimeout, 10) * 1_000).toBeGreaterThanOrEqual(
    paymentBudget.attemptMs + 2_000,
  );
  for (const [, { timeoutMs }] of limits) expect(timeoutMs).toBeLessThan(paymentBudget.attemptMs);
});

test('verifies for a day, and lets a caller wait for 20 s', () => {
  expect(readSettings({})).toMatchObject({ PAYMENT_BUDGET_MS: 86_400_000, PAYMENT_TIMEOUT_MS: 20_000 });
});

test('requires a valid address of a vendor, and accepts its secrets from files', () => {
  expect(() => readSettings({ STRIPE_URL: 'api.stripe.com' })).toThrow(/STRIPE_URL=api\.stripe\.com/);
  expect(() => readSettings({ ADYEN_API_KEY_FILE: '/nowhere' })).toThrow(/ADYEN_API_KEY_FILE/);
});
