import { afterAll, expect, test } from '@jest/globals';
import { v7 as uuidv7 } from 'uuid';
import { findStuckItems, type StuckItemPosition } from '../../src/stuck/index.ts';
import { startService } from '../support/harness.ts';

const service = await startService();
afterAll(() => service.stop());

const [ITEMS, EVERY] = [40, 13];
const waveId = uuidv7();

/** 40 stuck creations; each thirteenth account is in the wave. */
async function fill(): Promise<void> {
  const { pool } = service.database;
  await pool.query(
    `insert into wave (id, import_supplier, organisation, api_key_id, name, operations_team)
     values ($1, 'SUPPLIER_FR', 'Supplier', gen_random_uuid(), 'Few are stuck', 'Migration')`,
    [waveId],
  );
  await pool.query(
    `insert into import_process (id, import_supplier, external_account_number, payload_hash, validated_with)
     select gen_random_uuid(), 'SUPPLIER_FR', 'STUCK-' || n, '\\x00', 'test' from generate_series(1, $1::integer) n`,
    [ITEMS],
  );
  await pool.query(
    `insert into wave_account (import_process_id, wave_id) select id, $1 from import_process
     where substring(external_account_number from '[0-9]+')::integer % $2 = 0`,
    [waveId, EVERY],
  );
  await pool.query(
    `insert into work_item (workflow_id, kind, input, cause, party, failing_since)
     select 'create-account/SUPPLIER_FR/STUCK-' || n, 'create-account',
       jsonb_build_object('importSupplier', 'SUPPLIER_FR', 'externalAccountNumber', 'STUCK-' || n),
       'database_refuses_data', 'operator', now() - n * interval '1 minute' from generate_series(1, $1::integer) n`,
    [ITEMS],
  );
}

test('finds the few stuck items of a wave in pages that scan a bounded number of items', async () => {
  await fill();
  const pages: (string | null)[][] = [];
  let after: StuckItemPosition | undefined;
  do {
    const { items, scannedTo } = await findStuckItems(
      service.database,
      'work',
      { waveId },
      { after, limit: 5, scannedMax: 10 },
    );
    pages.push(items.map(({ externalAccountNumber }) => externalAccountNumber));
    after = scannedTo;
  } while (after !== undefined);
  expect(pages).toEqual([['STUCK-39'], ['STUCK-26'], ['STUCK-13'], [], []]);
  // Bulk actions scan to the end at once.
  const { items } = await findStuckItems(service.database, 'work', { waveId }, { limit: 5 });
  expect(items.map(({ externalAccountNumber }) => externalAccountNumber)).toEqual(['STUCK-39', 'STUCK-26', 'STUCK-13']);
  // Without a wave a page ends at its limit only.
  const all = await findStuckItems(service.database, 'work', {}, { limit: 15, scannedMax: 10 });
  expect(all.items).toHaveLength(15);
  expect(all.scannedTo).toBeUndefined();
});
