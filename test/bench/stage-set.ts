import { createHash, randomBytes, randomUUID } from 'node:crypto';
import pg from 'pg';
import { idOf } from '../support/generated-ids.ts';
import { ACCOUNT_RULES_VERSION } from '../../src/account-import/validate/account-payload.validation.ts';
import { domesticAccount } from '../support/account-payload.ts';

/** The placeholder that post.lua replaces by a running number; eight digits, as in the numbers. */
export const PLACEHOLDER = 'EXT-00000000';

/** The 4 KB account that every measurement sends. */
export function benchAccount(supplier = 'BENCH'): Record<string, unknown> {
  return { ...domesticAccount({ import_supplier: supplier }, 1), external_account_number: PLACEHOLDER };
}

/** Creates supplier, team and a token for the runs; call it once for each supplier. */
export async function seed(url: string, supplier = 'BENCH'): Promise<string> {
  return withClient(url, async (client) => {
    const [organisation, key] = [randomUUID(), randomUUID()];
    const token = `gwa_${randomBytes(32).toString('base64url')}`;
    // Without the industry switch: the dispatcher would start the runs of thousands of due accounts during the
    // measurement.
    await client.query(
      `insert into import_supplier (code, name, status, options) values ($1, 'Bench', 'Ongoing', '{"industry_switch": false}') on conflict do nothing`,
      [supplier],
    );
    await client.query(`insert into operations_team (name) values ('Migration') on conflict do nothing`);
    await client.query(`insert into organisation (id, name) values ($1, $2)`, [
      organisation,
      `${supplier} ${organisation}`,
    ]);
    await client.query(
      `insert into api_key (id, organisation_id, name, role, secret_sha256, secret_start) values ($1, $2, 'bench', 'supplier', $3, 'gwk_bench')`,
      [key, organisation, randomBytes(32)],
    );
    await client.query(`insert into api_key_import_supplier (api_key_id, import_supplier) values ($1, $2)`, [
      key,
      supplier,
    ]);
    await client.query(
      `insert into access_token (sha256, api_key_id, kind, expires_at) values ($1, $2, 'access', now() + interval '1 day')`,
      [createHash('sha256').update(token).digest(), key],
    );
    return token;
  });
}

/**
 * Stages `count` copies of the account with running numbers directly in the database, as operation 2 would store
 * them.
 */
export async function stageMany(url: string, from: number, count: number, supplier = 'BENCH'): Promise<void> {
  const payload = JSON.stringify(benchAccount(supplier));
  await withClient(url, (client) =>
    client.query(
      `insert into import_process (id, import_supplier, external_account_number, payload, phone_numbers, payload_hash, validated_with)
     select ${idOf('now()', 4, 'n')}, $5, 'EXT-' || lpad(n::text, 8, '0'),
       replace(replace(replace($1, '20000000000001', '2' || lpad(n::text, 13, '0')), '30000000000001', '3' || lpad(n::text, 13, '0')),
         'EXT-00000000', 'EXT-' || lpad(n::text, 8, '0'))::jsonb,
       '[{}]', sha256('x'), $2
     from generate_series($3::integer, $4::integer) n`,
      [payload, `${ACCOUNT_RULES_VERSION}/1`, from, from + count - 1, supplier],
    ),
  );
}

/** Imported accounts with running numbers and no child rows. */
export async function insertAccounts(url: string, from: number, count: number): Promise<void> {
  await withClient(url, (client) =>
    client.query(
      `with process as (
       insert into import_process (id, import_supplier, external_account_number, payload, phone_numbers, payload_hash, validated_with, imported_at)
       select gen_random_uuid(), 'BENCH', 'EXT-' || lpad(n::text, 8, '0'), '{}', '[]', sha256('x'), 'bench', now() from generate_series($1::integer, $2::integer) n
       returning id, external_account_number)
     insert into account (id, creation_id, import_process_id, import_supplier, external_account_number, operations_team, account_type, unknown_occupier)
     select gen_random_uuid(), gen_random_uuid(), id, 'BENCH', external_account_number, 'Migration', 'DOMESTIC', false from process`,
      [from, from + count - 1],
    ),
  );
}

/** A request of operation 4 or 5 with 100 items. */
export function benchAttachments(kind: 'notes' | 'transactions'): Record<string, unknown> {
  const today = new Date().toISOString().slice(0, 10);
  const items = Array.from({ length: 100 }, (_, index) =>
    kind === 'notes'
      ? {
          body: `Call ${index}: the customer asked for a copy of the bill of last autumn.`,
          created_at: '2026-07-14T09:30:00Z',
          is_pinned: false,
        }
      : {
          transaction_id: `PAY-${index}`,
          transaction_date: today,
          amount: 61.4,
          type: 'PAYMENT',
          reason: 'ACCOUNT_CHARGE_PAYMENT',
          payment_type: 'DD_REGULAR_COLLECTION',
          reference: `RUM-${index}`,
          note: 'collected by the former supplier',
        },
  );
  return { import_supplier: 'BENCH', external_account_number: PLACEHOLDER, [kind]: items };
}

/** Number of accounts below a number, by which a measurement counts its effects. */
export async function countAccounts(url: string): Promise<number> {
  return withClient(url, async (client) => Number((await client.query('select count(*) from account')).rows[0].count));
}

export async function withClient<T>(url: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client(url);
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}
