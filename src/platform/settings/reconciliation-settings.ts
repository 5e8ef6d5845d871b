import { setting } from './setting-kinds.ts';

/** By what certificates of reconciliations are signed, and how often payment vendors are asked for them. */
export const reconciliationSettings = {
  RECONCILIATION_KEY: setting.secret(
    'RECONCILIATION_KEY',
    'Private Ed25519 key in PEM form, with which certificates of reconciliations are signed; unset, they are not signed. Keys behind it are published only, so that what they have signed can be checked. `npm start` makes one.',
    '-----BEGIN PRIVATE KEY-----...',
  ),
  RECONCILIATION_VENDOR_CALLS_PER_DAY: setting.count(
    'Most questions about instructions in force to one payment vendor in a day, by all reconciliations of one import supplier; 0 asks none.',
    2_000,
    0,
  ),
};
