import { createHash, randomBytes, randomUUID } from 'node:crypto';

/** The database that stores keys. */
interface KeyStore {
  query(text: string, values: unknown[]): Promise<unknown>;
}

/**
 * Creates a key of a new organisation, and a token of it that is valid for an hour.
 * @param codes import suppliers of the key
 */
export async function issueToken(store: KeyStore, role: 'operator' | 'supplier', codes: string[]): Promise<string> {
  const [organisation, key] = [randomUUID(), randomUUID()];
  const token = `gwa_${randomBytes(32).toString('base64url')}`;
  await store.query('insert into organisation (id, name) values ($1, $2)', [
    organisation,
    `organisation ${organisation}`,
  ]);
  await store.query(
    `insert into api_key (id, organisation_id, name, role, secret_sha256, secret_start) values ($1, $2, 'key of a test', $3, $4, 'gwk_test')`,
    [key, organisation, role, randomBytes(32)],
  );
  for (const code of codes) {
    await store.query('insert into api_key_import_supplier (api_key_id, import_supplier) values ($1, $2)', [key, code]);
  }
  await store.query(
    `insert into access_token (sha256, api_key_id, kind, expires_at) values ($1, $2, 'access', now() + interval '1 hour')`,
    [createHash('sha256').update(token).digest(), key],
  );
  return token;
}
