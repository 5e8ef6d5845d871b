import { startAdyenSimulator } from '../../src/vendors/payment-vendor/adyen/adyen.simulator.ts';
import { startGocardlessSimulator } from '../../src/vendors/payment-vendor/gocardless/gocardless.simulator.ts';
import type {
  PaymentVendorSimulator,
  SimulatorOptions,
} from '../../src/vendors/payment-vendor/magic-reference.simulator.ts';
import { startSlimpaySimulator } from '../../src/vendors/payment-vendor/slimpay/slimpay.simulator.ts';
import { startStripeSimulator } from '../../src/vendors/payment-vendor/stripe/stripe.simulator.ts';
import type { PaymentVendor } from '../../src/vocabulary/value-sets.ts';
import type { Answer, Service } from './harness.ts';

export interface SimulatedVendors {
  of: Readonly<Record<PaymentVendor, PaymentVendorSimulator>>;
  /** Addresses and credentials, as settings of a process. */
  settings: Record<string, string>;
  stop(): Promise<void>;
}

const STARTS: Record<PaymentVendor, (options: SimulatorOptions) => Promise<PaymentVendorSimulator>> = {
  GOCARDLESS: startGocardlessSimulator,
  STRIPE: startStripeSimulator,
  SLIMPAY: startSlimpaySimulator,
  ADYEN: startAdyenSimulator,
};

/** Starts simulators of all four vendors; they accept only the given secrets. */
export async function startPaymentVendors(secrets: readonly string[] = ['let me in']): Promise<SimulatedVendors> {
  const started = await Promise.all(
    Object.entries(STARTS).map(async ([name, start]) => [name, await start({ secrets })] as const),
  );
  const of = Object.fromEntries(started) as Record<PaymentVendor, PaymentVendorSimulator>;
  const secret = secrets[0] as string;
  return {
    of,
    settings: {
      GOCARDLESS_URL: of.GOCARDLESS.url,
      GOCARDLESS_ACCESS_TOKEN: secret,
      STRIPE_URL: of.STRIPE.url,
      STRIPE_SECRET_KEY: secret,
      SLIMPAY_URL: of.SLIMPAY.url,
      SLIMPAY_CLIENT_ID: 'client',
      SLIMPAY_CLIENT_SECRET: secret,
      SLIMPAY_CREDITOR_REFERENCE: 'creditor',
      ADYEN_URL: of.ADYEN.url,
      ADYEN_API_KEY: secret,
      ADYEN_MERCHANT_ACCOUNT: 'Merchant',
    },
    stop: async () => {
      await Promise.all(Object.values(of).map((vendor) => vendor.stop()));
    },
  };
}

/** Sends operation 7 as a supplier's client; `vendor` is GOCARDLESS and `type` DIRECT_DEBIT by default. */
export function instructionCalls(service: Pick<Service, 'call'>, token: string) {
  return (external: string, reference: unknown, more: object = {}): Promise<Answer> =>
    service.call('POST', '/v1/data-import/payment-instruction/create/', {
      token,
      body: {
        import_supplier: 'SUPPLIER_FR',
        external_account_number: external,
        vendor: 'GOCARDLESS',
        reference,
        type: 'DIRECT_DEBIT',
        ...more,
      },
    });
}

/** Instructions of an account, oldest first. */
export async function instructionsOf(
  service: Service,
  external: string,
): Promise<{ vendor: string; reference: string; type: string; inForce: boolean; isVerified: boolean }[]> {
  const { rows } = await service.database.pool.query(
    `select i.vendor, i.reference, i.type, i.replaced_at is null as "inForce", i.verified_at is not null as "isVerified"
     from payment_instruction i join account a on a.id = i.account_id where a.external_account_number = $1 order by i.position`,
    [external],
  );
  return rows;
}

/** Pending work items of an account. */
export async function workItemsOf(service: Service, external: string): Promise<number> {
  const { rows } = await service.database.pool.query(
    `select 1 from work_item where input ->> 'externalAccountNumber' = $1`,
    [external],
  );
  return rows.length;
}
