import { Kysely, PostgresDialect, sql } from 'kysely';
import type { Pool } from 'pg';
import { digestOf, FIRST_HASH, hashOfBlock } from '../../src/audit-chain/audit-block.rules.ts';
import type { AuditChainTables } from '../../src/audit-chain/audit-chain.entity.ts';
import { HASHED_ENTRY, timestampOf } from '../../src/audit-chain/hashed-entry.store.ts';
import type { CertificateKeys } from '../../src/reconciliation/certificate-key.client.ts';

/**
 * Moves the blocks of a chain into the past, with their entries, and computes the chain anew.
 * @param pool of the owner of the tables
 * @param daysAgo for each block, in order, descending
 */
export async function moveBlocksBack(
  pool: Pool,
  daysAgo: readonly number[],
  keys: CertificateKeys | undefined,
): Promise<void> {
  const { rows: blocks } = await pool.query<{ number: string; ids: string[] }>(
    'select number, ids::text[] from audit_block order by number',
  );
  let previous: Buffer = FIRST_HASH;
  for (const [index, { number, ids }] of blocks.entries()) {
    await pool.query(
      // At noon, so that a test at midnight sees the same days.
      `update audit_entry set at = case $1::integer when 0 then now()
         else ((now() at time zone 'UTC')::date - $1::integer + time '12:00') at time zone 'UTC' end - make_interval(secs => $2)
       where id = any ($3::uuid[])`,
      [daysAgo[index], 2 * (blocks.length - index), ids],
    );
    const rows = await new Kysely<AuditChainTables>({ dialect: new PostgresDialect({ pool }) })
      .selectFrom('audit_entry as e')
      .select([...HASHED_ENTRY, timestampOf(sql`(e.at + interval '1 second')`).as('sealedAt')])
      .where('e.id', 'in', ids)
      .orderBy('e.id')
      .execute();
    const { sealedAt } = rows[0]!;
    const day = sealedAt.slice(0, 'YYYY-MM-DD'.length);
    const digests = Buffer.concat(rows.map(digestOf));
    const hash = hashOfBlock(previous, { number, day, sealedAt, ids, digests });
    const { keyId, signature } = keys?.signBytes(hash) ?? { keyId: null, signature: null };
    await pool.query(
      `update audit_block set day = $2::date, sealed_at = $3::timestamptz, previous = $4, digests = $5, hash = $6, key_id = $7, signature = $8 where number = $1`,
      [number, day, sealedAt, previous, digests, hash, keyId, signature],
    );
    await pool.query('update audit_chain set hash = $1, sealed_at = $2::timestamptz', [hash, sealedAt]);
    previous = hash;
  }
}
