import { paymentBudget } from '../../../temporal.config.ts';
import { setting } from './setting-kinds.ts';

/** The payment vendors, and how payment instructions are verified with them. */
export const paymentSettings = {
  GOCARDLESS_URL: setting.address(
    'Address of GoCardless; `npm start` simulates it unless set.',
    'https://api.gocardless.com',
  ),
  GOCARDLESS_ACCESS_TOKEN: setting.secret('GOCARDLESS_ACCESS_TOKEN', 'Access token at GoCardless.', 'live_...'),
  GOCARDLESS_ACCESS_TOKEN_NEXT: setting.secret(
    'GOCARDLESS_ACCESS_TOKEN_NEXT',
    'Second access token, taken when the first is refused: both hold during a change.',
    'live_...',
  ),
  STRIPE_URL: setting.address('Address of Stripe; `npm start` simulates it unless set.', 'https://api.stripe.com'),
  STRIPE_SECRET_KEY: setting.secret(
    'STRIPE_SECRET_KEY',
    'Secret or restricted key at Stripe; it needs to read payment methods and mandates.',
    'rk_live_...',
  ),
  STRIPE_SECRET_KEY_NEXT: setting.secret(
    'STRIPE_SECRET_KEY_NEXT',
    'Second key, taken when the first is refused.',
    'rk_live_...',
  ),
  SLIMPAY_URL: setting.address('Address of SlimPay; `npm start` simulates it unless set.', 'https://api.slimpay.com'),
  SLIMPAY_CLIENT_ID: setting.text('Client id at SlimPay.', 'gangway01'),
  SLIMPAY_CLIENT_SECRET: setting.secret(
    'SLIMPAY_CLIENT_SECRET',
    'Client secret at SlimPay.',
    'kept in the secret store',
  ),
  SLIMPAY_CLIENT_SECRET_NEXT: setting.secret(
    'SLIMPAY_CLIENT_SECRET_NEXT',
    'Second client secret, taken when the first is refused.',
    'kept in the secret store',
  ),
  SLIMPAY_CREDITOR_REFERENCE: setting.text('Creditor at SlimPay whose mandates are looked up.', 'supplier-fr'),
  ADYEN_URL: setting.address(
    'Address of the Checkout API of Adyen, without its version; `npm start` simulates it unless set.',
    'https://checkout-test.adyen.com',
  ),
  ADYEN_API_KEY: setting.secret('ADYEN_API_KEY', 'API key at Adyen.', 'AQE...'),
  ADYEN_API_KEY_NEXT: setting.secret(
    'ADYEN_API_KEY_NEXT',
    'Second API key, taken when the first is refused.',
    'AQE...',
  ),
  ADYEN_MERCHANT_ACCOUNT: setting.text('Merchant account at Adyen.', 'SupplierFR'),
  PAYMENT_BUDGET_MS: setting.count(
    'Longest that a payment vendor is asked about one instruction.',
    paymentBudget.totalMs,
  ),
  PAYMENT_START_DEADLINE_MS: setting.count('Longest wait for Temporal to take a verification.', 3_000),
  PAYMENT_PATIENCE_MS: setting.count(
    'Longest wait of a request for the outcome of a verification; it goes on after it.',
    20_000,
  ),
  PAYMENT_VERIFICATIONS_PER_MINUTE: setting.count(
    'Most new verifications of payment instructions for one API key in a minute, over all processes; 429 beyond it.',
    600,
  ),
  PAYMENT_JOB_REFUSALS_PER_HOUR: setting.count(
    'Most verifications by import jobs of one API key that may be rejected in an hour, over all processes; the job waits beyond it.',
    10_000,
  ),
  PAYMENT_REFUSALS_PER_HOUR: setting.count(
    'Most verifications of one API key that may end refused in an hour, over all processes; 429 beyond it, so that references cannot be probed.',
    500,
  ),
};
