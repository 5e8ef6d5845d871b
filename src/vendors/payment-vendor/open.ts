import { fixedSecrets, type Secrets } from '../../platform/secrets/secrets.ts';
import type { Settings } from '../../platform/settings.ts';
import { paymentVendorLimits } from '../../../temporal.config.ts';
import type { VendorHttpOptions, VendorWatch } from '../../platform/vendor-http/vendor-http.ts';
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
  const open = (
    vendor: PaymentVendor,
    address: string | undefined,
    create: (common: Omit<VendorHttpOptions, 'vendor'>) => PaymentVendorPort,
  ): PaymentVendors => {
    if (!address) return {};
    const baseUrl = address.replace(/\/+$/, '');
    return { [vendor]: create({ baseUrl, limits: paymentVendorLimits[vendor], ...watchOf(vendor) }) };
  };
  return {
    ...open('GOCARDLESS', settings.GOCARDLESS_URL, (common) =>
      createGocardlessClient({ ...common, accessToken: secrets.of('GOCARDLESS_ACCESS_TOKEN') }),
    ),
    ...open('STRIPE', settings.STRIPE_URL, (common) =>
      createStripeClient({ ...common, secretKey: secrets.of('STRIPE_SECRET_KEY') }),
    ),
    ...open('SLIMPAY', settings.SLIMPAY_URL, (common) =>
      createSlimpayClient({
        ...common,
        clientId: settings.SLIMPAY_CLIENT_ID,
        clientSecret: secrets.of('SLIMPAY_CLIENT_SECRET'),
        creditorReference: settings.SLIMPAY_CREDITOR_REFERENCE,
      }),
    ),
    ...open('ADYEN', settings.ADYEN_URL, (common) =>
      createAdyenClient({
        ...common,
        apiKey: secrets.of('ADYEN_API_KEY'),
        merchantAccount: settings.ADYEN_MERCHANT_ACCOUNT,
      }),
    ),
  };
}
