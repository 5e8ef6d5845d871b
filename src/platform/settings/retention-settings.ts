import { setting } from './setting-kinds.ts';

/** How long personal data is kept, and when it is deleted. */
export const retentionSettings = {
  CREATED_PAYLOAD_KEPT_DAYS: setting.count(
    'Days after the creation of an account for which the staged payload is kept, with those that it replaced; the account itself stays.',
    90,
  ),
  FIELD_HASH_KEY: setting.secret(
    'FIELD_HASH_KEY',
    'Key of the hashes that are kept of payloads when they are deleted, by which reconciliations go on: 32 random bytes in base64. Unset, none are kept. `npm start` makes one.',
    'the output of openssl rand -base64 32',
  ),
  NEVER_CREATED_KEPT_DAYS: setting.count(
    'Days after its last change for which a staged account is kept that was never created; and days for which a market message is kept that fits no account or no state of its switch.',
    180,
  ),
  AUDIT_KEPT_DAYS: setting.count('Days for which entries of the audit are kept.', 1_095, 365),
  IDEMPOTENCY_KEYS_KEPT_DAYS: setting.count(
    'Days for which the answer to a request with an Idempotency-Key is kept.',
    30,
  ),
  RETENTION_FROM_HOUR: setting.count(
    'Hour of the day in France from which on what is kept no longer is deleted.',
    1,
    0,
    23,
  ),
  RETENTION_UNTIL_HOUR: setting.count('Hour at which that ends; the next night goes on.', 5, 1, 24),
};
