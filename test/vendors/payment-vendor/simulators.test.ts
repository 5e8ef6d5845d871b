import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from '@jest/globals';
import { openPaymentVendors, type PaymentVendors } from '../../../src/vendors/payment-vendor/open.ts';
import type { PaymentVendorPort } from '../../../src/vendors/payment-vendor/payment-vendor.port.ts';
import { pino } from 'pino';
import { followSecrets } from '../../../src/platform/follow-secrets.ts';
import { readSettings } from '../../../src/platform/settings.ts';
import { simulatedParties } from '../../../src/vendors/simulators.ts';
import { paymentVendors, type PaymentInstructionType, type PaymentVendor } from '../../../src/vocabulary/value-sets.ts';
import { outcomeOf } from '../../support/canned-vendor.ts';
import { startPaymentVendors } from '../../support/payment-vendors.ts';

// The magic words of docs/running/outside-parties.md, through the real clients and with the settings of `npm start`.

const simulated = await startPaymentVendors();
const vendors: PaymentVendors = openPaymentVendors(readSettings(simulated.settings));
afterAll(async () => {
  await Promise.all(Object.values(vendors).map((vendor) => vendor.close()));
  await simulated.stop();
});

const NAMES = Object.keys(paymentVendors) as PaymentVendor[];
const REFERENCES: Record<PaymentVendor, (word: string) => string> = {
  GOCARDLESS: (word) => `MD-${word}`,
  STRIPE: (word) => `mandate_${word}`,
  SLIMPAY: (word) => `RUM/${word}`,
  ADYEN: (word) => `${word}.shopper/SEPA-1`,
};
const verifyReference = (vendor: PaymentVendor, reference: string, type: PaymentInstructionType = 'DIRECT_DEBIT') =>
  outcomeOf(vendors[vendor] as PaymentVendorPort, { reference, type });

test.each(NAMES)('%s: words with a permanent effect', async (vendor) => {
  const outcomeFor = async (word: string) => verifyReference(vendor, REFERENCES[vendor](word));
  expect(await outcomeFor('0001')).toBe('usable');
  expect(await outcomeFor('unknown')).toBe('VendorRejected not_found');
  expect(await outcomeFor('REVOKED')).toBe(
    {
      GOCARDLESS: 'VendorRejected cancelled',
      STRIPE: 'VendorRejected inactive',
      SLIMPAY: 'VendorRejected revoked',
      ADYEN: 'VendorRejected not_found',
    }[vendor],
  );
  expect(await outcomeFor('DENIED')).toBe('VendorMisconfigured');
  expect(await outcomeFor('0002')).toBe('usable');
  expect(await outcomeFor('ELSEWHERE')).toBe('VendorMisconfigured');
  for (const word of ['DOWN', 'BROKEN', 'HALF']) {
    expect({ word, said: await outcomeFor(word) }).toEqual({ word, said: 'VendorUnavailable' });
  }
  // A word inside another one has no effect.
  expect(await outcomeFor('UNKNOWNER-DOWNTOWN')).toBe('usable');
});

test.each(NAMES)('%s: words that heal after a number of calls', async (vendor) => {
  const thrice = async (word: string) => [
    await verifyReference(vendor, REFERENCES[vendor](word)),
    await verifyReference(vendor, REFERENCES[vendor](word)),
    await verifyReference(vendor, REFERENCES[vendor](word)),
  ];
  expect(await thrice('BUSY-2')).toEqual(['VendorBusy 1', 'VendorBusy 1', 'usable']);
  expect(await thrice('FAILING-2')).toEqual(['VendorUnavailable', 'VendorUnavailable', 'usable']);
  const notYet = {
    GOCARDLESS: 'not-yet pending_customer_approval',
    STRIPE: 'not-yet pending',
    SLIMPAY: 'not-yet waitingForValidation',
    ADYEN: 'usable',
  }[vendor];
  expect(await thrice('PENDING-2')).toEqual([notYet, notYet, 'usable']);
  expect(simulated.of[vendor].calls()).toBeGreaterThanOrEqual(9);
});

test.each<[PaymentVendor, PaymentInstructionType, string, string]>([
  ['GOCARDLESS', 'DIRECT_DEBIT', 'BA-1', 'usable'],
  ['STRIPE', 'CARD', 'pm_1', 'usable'],
  ['STRIPE', 'DIRECT_DEBIT', 'pm_sepa_1', 'usable'],
  ['STRIPE', 'CARD', 'pm_sepa_1', 'VendorRejected wrong_type'],
  ['ADYEN', 'CARD', 'anybody/CARD-1', 'usable'],
  ['ADYEN', 'CARD', 'anybody/ONCE-1', 'VendorRejected not_reusable'],
  ['ADYEN', 'CARD', 'CARD-1', 'usable'],
])('%s knows as %s: %s', async (vendor, type, reference, outcome) => {
  expect(await verifyReference(vendor, reference, type)).toBe(outcome);
});

test('aborts a call to a slow vendor', async () => {
  expect(await verifyReference('GOCARDLESS', 'MD-SLOW')).toBe('VendorUnavailable');
});

test('reports rejected credentials as our fault, also when requesting a token', async () => {
  const settings = {
    ...simulated.settings,
    GOCARDLESS_ACCESS_TOKEN: 'wrong',
    STRIPE_SECRET_KEY: 'wrong',
    SLIMPAY_CLIENT_SECRET: 'wrong',
    ADYEN_API_KEY: 'wrong',
  };
  const refused = openPaymentVendors(readSettings(settings));
  for (const vendor of NAMES) {
    expect({
      vendor,
      said: await outcomeOf(refused[vendor] as PaymentVendorPort, { reference: REFERENCES[vendor]('1') }),
    }).toEqual({ vendor, said: 'VendorMisconfigured' });
    await refused[vendor]?.close();
  }
});

test('reads a secret that changed at the vendor again from its file before it reports it as wrong', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'gangway-secrets-'));
  const accepted = ['former'];
  const rotating = await startPaymentVendors(accepted);
  const settings = readSettings(rotating.settings);
  const names = ['GOCARDLESS_ACCESS_TOKEN', 'STRIPE_SECRET_KEY', 'SLIMPAY_CLIENT_SECRET', 'ADYEN_API_KEY'] as const;
  const files = new Map(names.map((name) => [name, join(folder, name)]));
  const write = (secret: string) => Promise.all([...files.values()].map((path) => writeFile(path, `${secret}\n`)));
  await write('former');
  // Read again after an hour, or when it is rejected.
  const secrets = followSecrets({ settings, files, log: pino({ level: 'silent' }), everyMs: 3_600_000 });
  const outcomes: string[] = [];
  const clients = openPaymentVendors(settings, () => ({ onCall: (outcome) => outcomes.push(outcome) }), secrets);
  const verify = () =>
    Promise.all(
      NAMES.map((vendor) => outcomeOf(clients[vendor] as PaymentVendorPort, { reference: REFERENCES[vendor]('1') })),
    );
  expect(new Set(await verify())).toEqual(new Set(['usable']));
  accepted.splice(0, 1, 'new');
  await write('new');
  expect(new Set(await verify())).toEqual(new Set(['usable']));
  expect(new Set(outcomes)).toEqual(new Set(['ok']));
  secrets.close();
  await Promise.all(Object.values(clients).map((client) => client.close()));
  await rotating.stop();
  await rm(folder, { recursive: true });
});

test('simulates each of them in npm start with everything that its client needs', async () => {
  for (const vendor of NAMES) {
    const party = simulatedParties.find(({ address }) => address === `${vendor}_URL`)!;
    const started = await party.start({ host: '127.0.0.1', port: 0 });
    const client = openPaymentVendors(
      readSettings({ ...(party.besides as Record<string, string>), [party.address]: started.url }),
    )[vendor] as PaymentVendorPort;
    expect({ vendor, said: await outcomeOf(client, { reference: REFERENCES[vendor]('1') }) }).toEqual({
      vendor,
      said: 'usable',
    });
    await client.close();
    await started.stop();
  }
});
