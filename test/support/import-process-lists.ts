import { randomBytes } from 'node:crypto';
import { v7 as uuidv7 } from 'uuid';
import type { Answer, Service } from './harness.ts';

export interface ListItem {
  external_account_number: string;
  service_account_number: string | null;
  account_created_at: string | null;
}

export type ProcessState = 'staged' | 'imported' | 'skipped';

/** Inserts rows like staging and creation. */
export async function insertProcesses(
  database: { pool: { query(text: string, values: unknown[]): Promise<unknown> } },
  supplier: string,
  numbers: readonly string[],
  state: ProcessState,
): Promise<void> {
  const ids = numbers.map(() => uuidv7());
  await database.pool.query(
    `insert into import_process (id, import_supplier, external_account_number, payload, phone_numbers, payload_hash, validated_with, imported_at, skipped_at)
      select id, $3, number, '{}', '[]', $4, 'test', case when $5 = 'imported' then now() end, case when $5 = 'skipped' then now() end from unnest($1::uuid[], $2::text[]) as n (id, number)`,
    [ids, numbers, supplier, randomBytes(32), state],
  );
  if (state !== 'imported') return;
  await database.pool.query(
    `insert into account (id, creation_id, import_process_id, import_supplier, external_account_number, operations_team, account_type, unknown_occupier, created_at)
      select gen_random_uuid(), gen_random_uuid(), id, $3, number, 'Migration', 'DOMESTIC', false, '2026-03-29T01:30:15.987+02:00' from unnest($1::uuid[], $2::text[]) as n (id, number)`,
    [ids, numbers, supplier],
  );
}

/** Follows `Link: rel="next"` from the first page to the end. */
export async function followPages(service: Service, token: string, path: string): Promise<Answer[]> {
  const pages: Answer[] = [];
  for (let next: string | undefined = path; next !== undefined;) {
    const page = await service.call('GET', next, { token });
    pages.push(page);
    next = /^<([^>]+)>; rel="next"$/.exec(page.headers['link'] ?? '')?.[1];
  }
  return pages;
}

/** Orders codes like the database: by code point, which differs from JavaScript's order outside the basic plane. */
export function byCodePoint(one: string, other: string): number {
  return Buffer.compare(Buffer.from(one), Buffer.from(other));
}
