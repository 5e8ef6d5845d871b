import { setting } from './setting-kinds.ts';

/** Data protection: retention periods, and signing and hashing keys. */
export const dataProtectionSettings = {
  CREATED_PAYLOAD_KEPT_DAYS: setting.count(
    'Days after the creation of an account for which the staged payload is kept, with those that it replaced; the account itself stays.',
    90,
  ),
  NEVER_CREATED_KEPT_DAYS: setting.count(
    'Days after its last change for which a staged account that was never created is kept; also days for which a market message that fits no account or no state of its switch is kept.',
    180,
  ),
  AUDIT_KEPT_DAYS: setting.count('Days for which entries of the audit are kept.', 1_095, 365),
  IDEMPOTENCY_KEYS_KEPT_DAYS: setting.count(
    'Days for which the answer to a request with an Idempotency-Key is kept.',
    30,
  ),
  EVENTS_KEPT_DAYS: setting.count('Days for which events can be read and are delivered.', 30),
  JOB_PAUSED_DAYS: setting.count(
    'Days after which a paused import job expires; its uploads and results are then kept as after any other end.',
    30,
    1,
    365,
  ),
  JOB_PARTS_KEPT_DAYS: setting.count(
    'Days after the end of an import job for which its uploads are kept; the results contain their records until then.',
    7,
  ),
  JOB_RESULTS_KEPT_DAYS: setting.count(
    'Days after the end of an import job for which its results are kept; counts and causes stay.',
    30,
  ),
  RETENTION_FROM_HOUR: setting.count(
    'Hour of the day in France at which the deletion of expired data begins.',
    1,
    0,
    23,
  ),
  RETENTION_UNTIL_HOUR: setting.count('Hour at which it ends; it continues in the next night.', 5, 1, 24),
  FIELD_HASH_KEY: setting.secret(
    'FIELD_HASH_KEY',
    'Key of the hashes that are kept of deleted payloads, so that reconciliations still work: 32 random bytes in base64. Unset, none are kept. `npm start` makes one.',
    'the output of openssl rand -base64 32',
  ),
  RECONCILIATION_KEY: setting.secret(
    'RECONCILIATION_KEY',
    'Private Ed25519 key (PEM) that signs certificates of reconciliations; unset, they are not signed. Further keys after it are only published, so that certificates they signed can be checked. `npm start` makes one.',
    '-----BEGIN PRIVATE KEY-----...',
  ),
};
