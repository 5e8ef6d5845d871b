import { afterAll, expect, test } from '@jest/globals';
import pg from 'pg';
import { dayAfter } from '../../src/platform/clock.ts';
import { openStatementPeriod } from '../../src/transactions/classify-transactions.rules.ts';
import { createTestDatabase } from '../support/test-database.ts';

const clone = await createTestDatabase();
const client: pg.Client = new pg.Client(clone.url);
await client.connect();
await client.query(`insert into import_supplier (code, name) values ('S', 'S')`);
await client.query(`insert into operations_team (name) values ('T')`);
await client.query(`
    with process as (
      insert into import_process (id, import_supplier, external_account_number, payload, phone_numbers, payload_hash, validated_with, imported_at)
      values (gen_random_uuid(), 'S', 'A', '{}', '[]', sha256('x'), 'test', now()) returning id)
    insert into account (id, creation_id, import_process_id, import_supplier, external_account_number, operations_team, account_type, unknown_occupier)
    select gen_random_uuid(), gen_random_uuid(), id, 'S', 'A', 'T', 'DOMESTIC', false from process`);
afterAll(async () => {
  await client.end();
  await clone.drop();
});

const TODAY = '2026-03-10';
const BILLED = [null, '2026-02-27', '2026-02-28', '2026-03-08', '2026-03-09', '2026-03-10', '2026-03-11'];
const DAYS = ['2026-02-27', '2026-02-28', '2026-03-01', '2026-03-08', '2026-03-09', '2026-03-10', '2026-03-11'];

/** Whether the database function that stores a request without the rule accepts a transaction of this day unchanged. */
async function isAcceptedByDatabase(billedTo: string | null, day: string): Promise<boolean> {
  await client.query('begin');
  await client.query('update account set last_billed_to_date = $1', [billedTo]);
  const sent = JSON.stringify([{ transaction_id: 'T1', amount: '1.00', type: 'CHARGE' }]);
  const { rows } = await client.query(
    `select attach_plain_transactions('S', 'A', array['T1'], $1, $2, array[$3::date], array['d'], null) as outcome`,
    [TODAY, sent, day],
  );
  await client.query('rollback');
  expect(['written', 'not-plain']).toContain(rows[0].outcome);
  return rows[0].outcome === 'written';
}

test('accepts only days inside the open period in the database, and leaves the others to the rule', async () => {
  let taken = 0;
  for (const billedTo of BILLED) {
    const { from, to } = openStatementPeriod({ lastBilledToDate: billedTo, lastStatementEnd: null, today: TODAY });
    // If today is billed already the rule still keeps today open; the database leaves that to the rule.
    const isTodayBilled = billedTo !== null && dayAfter(billedTo) > TODAY;
    for (const day of DAYS) {
      const isInside = day <= to && (from === null || day >= from);
      const isTaken = await isAcceptedByDatabase(billedTo, day);
      expect({ billedTo, day, isTaken }).toEqual({ billedTo, day, isTaken: isInside && !isTodayBilled });
      if (isTaken) taken += 1;
    }
  }
  expect(taken).toBeGreaterThan(10);
});
