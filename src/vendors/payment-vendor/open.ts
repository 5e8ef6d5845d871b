import { fixedSecrets, type Secrets } from '../../platform/secrets/secrets.ts';
import type { Settings } from '../../platform/settings.ts';
import { paymentVendorLimits } from '../../../temporal.config.ts';
import type { VendorWatch } from '../../platform/vendor-http/vendor-http.ts';
import type { PaymentVendor } from '../../vocabulary/value-sets.ts';
import { createAdyenClient } from './adyen/adyen.client.ts';
import { createGocardlessClient } from './gocardless/gocardless.client.ts';
import type { PaymentVendorPort } from './payment-vendor.port.ts';
import { createSlimpayClient } from './slimpay/slimpay.client.ts';
import { createStripeClient } from './stripe/stripe.client.ts';

/** A client of each payment vendor whose address is set. */
export type PaymentVendors = Readonly<Partial<Record<PaymentVendor, PaymentVendorPort>>>;

/**
 * Opens the clients. They connect at the first call.
 * @param watchOf receives the outcomes of a vendor's calls
 * @param secrets read before each call
 */
export function openPaymentVendors(
  settings: Settings,
  watchOf: (vendor: PaymentVendor) => VendorWatch = () => ({}),
  secrets: Secrets = fixedSecrets(settings),
): PaymentVendors {
  const common = (vendor: PaymentVendor, address: string) => ({
    baseUrl: address.replace(/\/+$/, ''),
    limits: paymentVendorLimits[vendor],
    ...watchOf(vendor),
  });
  const { GOCARDLESS_URL, STRIPE_URL, SLIMPAY_URL, ADYEN_URL } = settings;
  return {
    ...(GOCARDLESS_URL
      ? {
          GOCARDLESS: createGocardlessClient({
            ...common('GOCARDLESS', GOCARDLESS_URL),
            accessToken: secrets.of('GOCARDLESS_ACCESS_TOKEN'),
          }),
        }
      : {}),
    ...(STRIPE_URL
      ? { STRIPE: createStripeClient({ ...common('STRIPE', STRIPE_URL), secretKey: secrets.of('STRIPE_SECRET_KEY') }) }
      : {}),
    ...(SLIMPAY_URL
      ? {
          SLIMPAY: createSlimpayClient({
            ...common('SLIMPAY', SLIMPAY_URL),
            clientId: settings.SLIMPAY_CLIENT_ID,
            clientSecret: secrets.of('SLIMPAY_CLIENT_SECRET'),
            creditorReference: settings.SLIMPAY_CREDITOR_REFERENCE,
          }),
        }
      : {}),
    ...(ADYEN_URL
      ? {
          ADYEN: createAdyenClient({
            ...common('ADYEN', ADYEN_URL),
            apiKey: secrets.of('ADYEN_API_KEY'),
            merchantAccount: settings.ADYEN_MERCHANT_ACCOUNT,
          }),
        }
      : {}),
  };
}
