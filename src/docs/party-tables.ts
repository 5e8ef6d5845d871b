import { industrySwitchLimits, lookupBudget, paymentVendorLimits } from '../../temporal.config.ts';
import { settingsSchema } from '../platform/settings.ts';
import { magicPoints } from '../vendors/industry-switch/industry-switch.simulator.ts';
import { magicKinds } from '../vendors/network-operator/magic-identifier.simulator.ts';
import { ADYEN_VERSION } from '../vendors/payment-vendor/adyen/adyen.client.ts';
import { GOCARDLESS_VERSION } from '../vendors/payment-vendor/gocardless/gocardless.client.ts';
import { wordsForAlways, wordsForCalls } from '../vendors/payment-vendor/magic-reference.simulator.ts';
import { SLIMPAY_VERSION } from '../vendors/payment-vendor/slimpay/slimpay.client.ts';
import { STRIPE_VERSION } from '../vendors/payment-vendor/stripe/stripe.client.ts';
import { simulatedParties } from '../vendors/simulators.ts';
import { ownMember } from '../foundation/table.ts';
import { paymentVendors, type PaymentVendor } from '../vocabulary/value-sets.ts';
import { code, table } from './markdown.ts';

const versions: Record<PaymentVendor, string> = {
  GOCARDLESS: GOCARDLESS_VERSION,
  STRIPE: STRIPE_VERSION,
  SLIMPAY: SLIMPAY_VERSION,
  ADYEN: ADYEN_VERSION,
};

/** Table of outside parties: setting and example of the address, and further required settings. */
export function partyTable(): string {
  const rows = simulatedParties.map(({ name, address, besides }) => {
    const { examples } = ownMember(settingsSchema.properties, address) as { examples?: readonly string[] };
    return [name, code(address), code(examples?.[0] ?? ''), Object.keys(besides).map(code).join(', ')];
  });
  return table(['party', 'setting of the address', 'example', 'also needs'], rows);
}

interface Limits {
  timeoutMs: number;
  callsMax: number;
  waitingMax: number;
  failuresInARow: number;
  openMs: number;
  /** The part of import jobs. */
  ofJobs?: { callsAtOnce: number; perSecond: number };
}

/** The limits of calls to each party. */
export function limitTable(): string {
  const parties: [string, string, Limits][] = [
    ...(Object.keys(paymentVendors) as PaymentVendor[]).map((vendor): [string, string, Limits] => [
      code(vendor),
      code(versions[vendor]),
      paymentVendorLimits[vendor],
    ]),
    ['network operators, each', '', lookupBudget.call],
    ['industry switch', '', industrySwitchLimits],
  ];
  return table(
    [
      'party',
      'version',
      'timeout of a call',
      'concurrent calls',
      'waiting calls',
      'failures that open the circuit breaker',
      'open for',
      'of import jobs, for each worker',
    ],
    parties.map(([name, version, { timeoutMs, callsMax, waitingMax, failuresInARow, openMs, ofJobs }]) => [
      name,
      version,
      `${timeoutMs / 1_000} s`,
      `${callsMax}`,
      `${waitingMax}`,
      `${failuresInARow}`,
      `${openMs / 1_000} s`,
      ofJobs === undefined ? '' : `${ofJobs.callsAtOnce} at a time, ${ofJobs.perSecond} a second`,
    ]),
  );
}

/** Table of words in references, for the simulated payment vendors. */
export function magicWordTable(): string {
  return table(
    ['word', 'outcome'],
    [
      ...Object.entries(wordsForAlways).map(([word, outcome]) => [code(word), outcome]),
      ...Object.entries(wordsForCalls).map(([word, outcome]) => [code(`${word}-3`), `for 3 calls: ${outcome}`]),
    ],
  );
}

/** Table of identifier kinds, for the simulated network operators. */
export function magicKindTable(): string {
  const rows = Object.entries(magicKinds).map(([kind, outcome]) => [code(kind), outcome]);
  return table(
    ['kind', 'outcome'],
    rows.toSorted(([one], [other]) => one!.localeCompare(other!)),
  );
}

/** Table of first digits of supply points, for the simulated industry switch. */
export function magicPointTable(): string {
  return table(
    ['first digits', 'the industry switch'],
    [...magicPoints].map(([digits, { about }]) => [code(digits), about]),
  );
}
