import { afterAll, expect, test } from '@jest/globals';
import { findAccountWarnings } from '../../../src/account-view/find-account-warnings.store.ts';
import { findAccountSql } from '../../../src/account-view/find-account.store.ts';
import { domesticAccount, meterPointNumber, supplyPoint } from '../../support/account-payload.ts';
import { startService } from '../../support/harness.ts';

const service = await startService({ worker: true });
afterAll(() => service.stop());
const token = await service.supplierToken(['SUPPLIER_FR']);

interface PlanNode {
  'Actual Rows': number;
  'Actual Loops': number;
  'Rows Removed by Filter'?: number;
  'Rows Removed by Join Filter'?: number;
  Plans?: PlanNode[];
}

/** Total of the rows that the nodes of a plan have read. */
function rowsLookedAt(node: PlanNode): number {
  const own =
    (node['Actual Rows'] + (node['Rows Removed by Filter'] ?? 0) + (node['Rows Removed by Join Filter'] ?? 0)) *
    node['Actual Loops'];
  return (node.Plans ?? []).reduce((sum, below) => sum + rowsLookedAt(below), own);
}

async function createLarge(external: string, addresses: number, from: number): Promise<void> {
  const payload = domesticAccount({ import_supplier: 'SUPPLIER_FR', external_account_number: external }, from);
  payload.supply_addresses = Array.from({ length: addresses }, (_, index) => ({
    supply_address1: `${index + 1} quai des Brumes`,
    supply_postcode: '44000',
    customer_at_supply_address_from_date: '2022-10-01',
    supply_points: [supplyPoint('ELECTRICITY', from + index)],
  }));
  payload.payment_preferences = Array.from({ length: addresses }, (_, index) => ({
    type: 'ACTIVE_EXISTING' as const,
    supply_point_identifier: meterPointNumber(2, from + index),
    instruction_reference_params: {
      vendor_name: 'SEPA_HOUSE',
      vendor_reference: index === 0 ? 'RUM-ELSEWHERE' : `RUM-${meterPointNumber(2, from + index)}`,
    },
  }));
  expect(
    (await service.call('POST', '/v1/data-import/account-import-process/create-or-update/', { token, body: payload }))
      .status,
  ).toBe(201);
  const request = {
    external_account_number: external,
    import_supplier_code: 'SUPPLIER_FR',
    operations_team_name: 'Migration',
  };
  expect(
    (await service.call('POST', '/v1/data-import/account-import-process/process/', { token, body: request })).status,
  ).toBe(201);
}

/** A setting of the service's role, which the test's own connections do not have (decision 0037). */
const PLANS_OF_THE_SERVICE = 'set local enable_seqscan = off';

async function rowsOf(external: string): Promise<number> {
  return service.database.em().transactional(async (em) => {
    await em.execute(PLANS_OF_THE_SERVICE);
    const [row] = await em.execute<{ 'QUERY PLAN': [{ Plan: PlanNode }] }[]>(
      `explain (analyze, format json) ${findAccountSql(em)}`,
      ['SUPPLIER_FR', external, '[]'],
    );
    return rowsLookedAt(row!['QUERY PLAN'][0].Plan);
  });
}

/** The same for every statement of the warnings. */
async function rowsOfWarnings(external: string): Promise<number> {
  let rows = 0;
  const client = await service.database.pool.connect();
  await client.query(`begin; ${PLANS_OF_THE_SERVICE}`);
  const counted: Pick<typeof service.database, 'run' | 'em'> = {
    em: service.database.em,
    run: async (statement, values) => {
      const {
        rows: [row],
      } = await client.query<{ 'QUERY PLAN': [{ Plan: PlanNode }] }>(
        `explain (analyze, format json) ${statement.text}`,
        [...values],
      );
      rows += rowsLookedAt(row!['QUERY PLAN'][0].Plan);
      return service.database.run(statement, values);
    },
  };
  await findAccountWarnings(counted, { import_supplier: 'SUPPLIER_FR', external_account_number: external }, 'operator');
  await client.query('rollback');
  client.release();
  return rows;
}

test('does work that is linear in the size of the account, and keeps the order', async () => {
  await createLarge('LARGE-60', 60, 100_000);
  await createLarge('LARGE-240', 240, 200_000);
  // Autovacuum may or may not have seen these rows, and plans depend on it.
  await service.database.pool.query('analyze');
  const [small, large] = [await rowsOf('LARGE-60'), await rowsOf('LARGE-240')];
  expect(large / small).toBeLessThan(5);
  expect((await rowsOfWarnings('LARGE-240')) / (await rowsOfWarnings('LARGE-60'))).toBeLessThan(5);
  const { account } = (
    await service.call('GET', '/v1/operations/accounts/SUPPLIER_FR/LARGE-240/', { token: service.operatorToken })
  ).body;
  expect(account.supply_addresses.map(({ supply_address1: line }: any) => line)).toEqual(
    Array.from({ length: 240 }, (_, index) => `${index + 1} quai des Brumes`),
  );
  for (const [index, { supply_points: points }] of account.supply_addresses.entries()) {
    const identifier = meterPointNumber(2, 200_000 + index);
    expect(points).toMatchObject([
      {
        identifier,
        look_up: null,
        agreements: [{ addons: [{ band: 'WINTER_PEAK' }, { band: 'METER_RENTAL' }] }, { addons: [] }],
        payment_schedules: [{ amount: 61.25 }, { amount: 72.4 }],
        payment_instructions: [{ reference: `RUM-${identifier}` }],
        payment_preferences: [{ unresolved: index === 0 }],
      },
    ]);
  }
});
