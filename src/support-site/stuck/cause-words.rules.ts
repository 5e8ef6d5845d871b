import { tableOf } from '../../foundation/table.ts';
import { networkOperatorTitles } from '../../vocabulary/network-operators.ts';

const TITLES = tableOf<string>({
  database_unavailable: 'Database unavailable',
  database_misconfigured: 'Database rejects the settings of a worker',
  database_refuses_data: 'Database rejects the data',
  database_timed_out: 'Account too large, or database slow',
  numbers_held_back: 'No account number reserved',
  timeout: 'Attempt timed out',
  vendor_unavailable: 'Outside party unavailable',
  vendor_busy: 'Outside party requests a pause',
  vendor_misconfigured: 'Outside party rejects our requests',
  receiver_unavailable: 'Receiver of events unavailable',
  receiver_unreachable: 'Receiver of events failing for a day',
  payment_instruction_not_yet: 'Payment instruction not usable yet',
  industry_switch_unreachable: 'Industry switch silent for a week',
  industry_switch_silent: 'No market message for weeks',
  supply_point_on_another_account: 'Supply point on another account',
  market_message_fits_nothing: 'Market message does not match',
  market_message_unknown_account: 'Market message for an unknown account',
  market_message_unknown_point: 'Market message for an unknown supply point',
  look_ups_set_aside: 'Lookups deferred',
  not_started: 'Not started',
  no_worker: 'No worker',
  paused: 'Paused in Temporal',
  under_way: 'In progress',
  error: 'Internal error',
});

/** The name of a cause for people. */
export function causeTitle(cause: string): string {
  return TITLES.get(cause) ?? cause.replaceAll('_', ' ');
}

const BLOCKED = tableOf<string>({
  'create-account': 'Accounts are not created.',
  'verify-payment-instruction': 'Payment instructions are not in force.',
  'switch-supplier': 'Supply points are not switched.',
  'request-switches': 'No switch is requested.',
  'market-message': 'Switches keep their status.',
  'look-up-supply-points': 'Supply points are not imported.',
  'populate-supply-points': 'Batches of supply points do not end.',
  'import-job': 'Import jobs do not continue.',
  wave: 'Waves do not continue.',
  reconcile: 'Reconciliations do not continue.',
  withdraw: 'Withdrawals do not continue.',
  retention: 'Expired data is not deleted.',
  'deliver-events': 'Suppliers receive no events.',
  'bulk-action': 'Bulk actions do not continue.',
});

/** The consequence of stuck work of a kind. */
export function blockedBy(kind: string): string | undefined {
  return BLOCKED.get(kind);
}

const PARTIES = tableOf<string>({
  ...networkOperatorTitles,
  'industry-switch': 'Industry switch',
  GOCARDLESS: 'GoCardless',
  STRIPE: 'Stripe',
  SLIMPAY: 'SlimPay',
  ADYEN: 'Adyen',
  database: 'Database',
  receiver: 'Receivers of suppliers',
  operator: 'You',
  gangway: 'gangway',
});

/** The name of a party for people. */
export function partyTitle(party: string): string {
  return PARTIES.get(party) ?? party;
}

/** Whose turn it is. */
export type WorkSection = 'decide' | 'others' | 'ours';

/** The section of the work list for a party. */
export function sectionOf(party: string): WorkSection {
  if (party === 'operator') return 'decide';
  return party === 'database' || party === 'gangway' ? 'ours' : 'others';
}
