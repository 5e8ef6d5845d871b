import type { Settings } from '../platform/settings.ts';
import { startDocumentStoreSimulator } from './document-store/document-store.simulator.ts';
import { startAdyenSimulator } from './payment-vendor/adyen/adyen.simulator.ts';
import { startGocardlessSimulator } from './payment-vendor/gocardless/gocardless.simulator.ts';
import { startSlimpaySimulator } from './payment-vendor/slimpay/slimpay.simulator.ts';
import { startStripeSimulator } from './payment-vendor/stripe/stripe.simulator.ts';
import { startIndustrySwitchSimulator } from './industry-switch/industry-switch.simulator.ts';
import { startAdictSimulator } from './network-operator/adict.simulator.ts';
import { startDataConnectSimulator } from './network-operator/data-connect.simulator.ts';
import { startSgeSimulator } from './network-operator/sge.simulator.ts';

/** An outside party that can be simulated, with the setting of its address and the other settings of its client. */
export interface SimulatedParty {
  /** For use in sentences. */
  name: string;
  address: keyof Settings;
  /** Address of the party that is used instead of this one if it is set; only one of the two is simulated. */
  alternative?: keyof Settings;
  /** Settings that the client needs besides the address; used if they are unset. */
  besides: Partial<Settings>;
  start(options: { host: string; port: number; dataDir?: string }): Promise<{ url: string; stop(): Promise<void> }>;
}

/** The parties that `up` simulates unless a setting contains the address of the real one. Of two alternatives it simulates the first. */
export const simulatedParties: readonly SimulatedParty[] = [
  {
    name: 'document store',
    address: 'DOCUMENT_STORE_ENDPOINT',
    besides: { DOCUMENT_STORE_ACCESS_KEY_ID: 'simulated', DOCUMENT_STORE_SECRET_ACCESS_KEY: 'simulated' },
    start: startDocumentStoreSimulator,
  },
  {
    name: 'GoCardless',
    address: 'GOCARDLESS_URL',
    besides: { GOCARDLESS_ACCESS_TOKEN: 'simulated' },
    start: startGocardlessSimulator,
  },
  { name: 'Stripe', address: 'STRIPE_URL', besides: { STRIPE_SECRET_KEY: 'simulated' }, start: startStripeSimulator },
  {
    name: 'SlimPay',
    address: 'SLIMPAY_URL',
    besides: {
      SLIMPAY_CLIENT_ID: 'simulated',
      SLIMPAY_CLIENT_SECRET: 'simulated',
      SLIMPAY_CREDITOR_REFERENCE: 'simulated',
    },
    start: startSlimpaySimulator,
  },
  {
    name: 'Adyen',
    address: 'ADYEN_URL',
    besides: { ADYEN_API_KEY: 'simulated', ADYEN_MERCHANT_ACCOUNT: 'simulated' },
    start: startAdyenSimulator,
  },
  {
    name: 'industry switch',
    address: 'INDUSTRY_SWITCH_URL',
    besides: { INDUSTRY_SWITCH_CREDENTIAL: 'simulated' },
    start: startIndustrySwitchSimulator,
  },
  {
    name: 'Enedis SGE',
    address: 'ENEDIS_SGE_URL',
    alternative: 'ENEDIS_DATA_CONNECT_URL',
    besides: { ENEDIS_SGE_LOGIN: 'simulated@gangway.example' },
    start: startSgeSimulator,
  },
  {
    name: 'Enedis Data Connect',
    address: 'ENEDIS_DATA_CONNECT_URL',
    alternative: 'ENEDIS_SGE_URL',
    besides: { ENEDIS_DATA_CONNECT_CLIENT_ID: 'simulated', ENEDIS_DATA_CONNECT_CLIENT_SECRET: 'simulated' },
    start: startDataConnectSimulator,
  },
  {
    name: 'GRDF ADICT',
    address: 'GRDF_URL',
    besides: { GRDF_CLIENT_ID: 'simulated', GRDF_CLIENT_SECRET: 'simulated' },
    start: startAdictSimulator,
  },
];
