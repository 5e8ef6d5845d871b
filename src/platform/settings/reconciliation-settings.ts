import { setting } from './setting-kinds.ts';

/** By what certificates of reconciliations are signed. */
export const reconciliationSettings = {
  RECONCILIATION_KEY: setting.secret(
    'RECONCILIATION_KEY',
    'Private Ed25519 key in PEM form, with which certificates of reconciliations are signed; unset, they are not signed. Keys behind it are published only, so that what they have signed can be checked. `npm start` makes one.',
    '-----BEGIN PRIVATE KEY-----...',
  ),
};
