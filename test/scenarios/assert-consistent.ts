import { expect } from '@jest/globals';
import type { CompletedRequest } from './load.ts';
import type { Stack } from './stack.ts';

/** Child rows of each account of `domesticAccount`. */
const PARTS: Record<string, number> = {
  customer: 2,
  supply_address: 1,
  account_supply_point: 2,
  agreement: 4,
  agreement_addon: 4,
  payment_schedule: 4,
  payment_instruction: 2,
  payment_preference: 2,
  statement: 2,
  ledger: 1,
  energy_cheque: 1,
  note: 2,
  note_document: 2,
  account_campaign: 1,
  account_metadata: 1,
};

/** Compares the clients' results with the database: each account exists once, completely, under the returned number. */
export async function expectEachAccountOnce(
  stack: Stack,
  numbers: readonly string[],
  completed: readonly CompletedRequest[],
): Promise<void> {
  const accounts = await stack.query<{ external: string; number: string }>(
    'select external_account_number as external, number from account where external_account_number = any($1)',
    [numbers],
  );
  expect(accounts).toHaveLength(numbers.length);
  const stored = new Map(accounts.map(({ external, number }) => [external, number]));
  expect(new Map(completed.map((one) => [one.externalAccountNumber, one.serviceAccountNumber]))).toEqual(stored);
  expect(completed).toHaveLength(numbers.length);
  for (const [table, count] of Object.entries(PARTS)) {
    const wrong = await stack.query(
      `select a.external_account_number from account a where (select count(*) from ${table} t where t.account_id = a.id) <> ${count}`,
    );
    expect({ table, wrong }).toEqual({ table, wrong: [] });
  }
  expect(
    await stack.query(
      'select 1 from import_process where (imported_at is null or refusal is not null or workflow_id is not null) and external_account_number = any($1)',
      [numbers],
    ),
  ).toEqual([]);
  // The only work item left is the switch of each account, which cannot begin here without an address of the industry
  // switch.
  expect(await stack.query(`select * from work_item where kind <> 'switch-supplier'`)).toEqual([]);
  expect(
    await stack.query(
      `select a.number from account a left join work_item w on w.workflow_id = 'switch-supplier/' || a.number where w.kind is distinct from 'switch-supplier'`,
    ),
  ).toEqual([]);
}
