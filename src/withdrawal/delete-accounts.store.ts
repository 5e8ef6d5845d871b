import type { EntityManager } from '@mikro-orm/postgresql';
import { workflowIds } from '../../temporal.config.ts';
import { writeEventsSql } from '../events/index.ts';
import { run, type PreparedQuery } from '../platform/database/prepared-query.ts';

/** The tables with rows of an account, without the account itself. `test/database/withdrawn-tables.test.ts` compares them with the foreign keys. */
export const tablesOfAccount = [
  'customer',
  'supply_address',
  'account_supply_point',
  'agreement',
  'agreement_addon',
  'payment_schedule',
  'payment_preference',
  'payment_instruction',
  'payment_verification',
  'account_business_detail',
  'account_contract',
  'account_contract_version',
  'account_contract_term',
  'account_campaign',
  'account_metadata',
  'ledger',
  'energy_cheque',
  'note',
  'note_document',
  'transaction',
  'transaction_line_item',
  'transaction_tax_item',
  'statement',
  'switch_request',
  'switch_change',
] as const;

const MESSAGE_DETAIL = 'The account was withdrawn after this message.';

/**
 * Deletes the accounts with all their rows, keeps their numbers, and stages them again. The foreign keys are checked at the end of the
 * statement, so the order of the tables does not matter. Messages of the industry switch are dismissed, because a switch that is
 * requested after another creation must not read them.
 */
const DELETE: PreparedQuery = {
  name: 'withdrawal-delete-accounts',
  text: `
    with gone as materialized (
      select a.id, a.number, a.creation_id, a.import_process_id, a.import_supplier, a.external_account_number, a.created_at, a.business_contract_id
      from account a where a.id = any($1::uuid[])),
    numbers as (
      insert into withdrawn_account (number, creation_id, import_supplier, external_account_number, created_at, withdrawal_id)
      select number, creation_id, import_supplier, external_account_number, created_at, $2::uuid from gone),
    staged as (
      update import_process p set imported_at = null, refusal = null, workflow_id = null, withdrawn_at = now() from gone g where p.id = g.import_process_id),
    notified as (${writeEventsSql(`
      select g.import_supplier, null, 'import.account.withdrawn.v1', 'accounts/' || g.external_account_number,
        jsonb_build_object('external_account_number', g.external_account_number, 'service_account_number', g.number, 'withdrawal_id', $2::text)
      from gone g order by g.external_account_number`)}),
    businesses as (
      insert into withdrawal_business (withdrawal_id, external_business_identifier, business_id, service_business_id)
      select distinct $2::uuid, b.external_business_identifier, b.id, b.service_business_id from gone g
        cross join lateral (select business_id from business_contract where business_contract.id = g.business_contract_id offset 0) c
        cross join lateral (select * from business where business.id = c.business_id offset 0) b
      on conflict do nothing),
    dismissed as (
      update market_message m set effect = 'dismissed', effect_detail = '${MESSAGE_DETAIL}', effect_at = clock_timestamp() from gone g
      where m.import_supplier = g.import_supplier and m.external_account_number = g.external_account_number and m.effect <> 'dismissed'),
    work_item_gone as (delete from work_item w where w.workflow_id = any($3::text[]) returning 1),
    account_gone as (delete from account where id = any($1::uuid[]) returning 1),
    ${tablesOfAccount
      .map((table) => {
        const returned = table === 'account_supply_point' ? 'supply_point_id' : '1';
        return `${table}_gone as (delete from ${table} where account_id = any($1::uuid[]) returning ${returned})`;
      })
      .join(',\n    ')}
    select jsonb_build_object(${['account', 'work_item', ...tablesOfAccount]
      .map((table) => `'${table}', (select count(*) from ${table}_gone)`)
      .join(', ')}) as "deletedRows",
      array(select distinct supply_point_id from account_supply_point_gone) as "freedPoints"`,
};

/** What the deletion of accounts leaves. */
export interface DeletedAccounts {
  /** Number of deleted rows by table. */
  deletedRows: Record<string, number>;
  /** Ids of the supply points of the accounts. */
  freedPoints: string[];
}

/**
 * Deletes accounts with everything below them, and stages them again with the revision they were created from.
 * @param accounts locked, with their import processes and the work items of their switches
 */
export async function deleteAccounts(
  em: EntityManager,
  withdrawalId: string,
  accounts: readonly { id: string; number: string }[],
): Promise<DeletedAccounts> {
  const [deleted] = await run<DeletedAccounts & Record<string, unknown>>(em, DELETE, [
    accounts.map(({ id }) => id),
    withdrawalId,
    accounts.map(({ number }) => workflowIds.switchSupplier(number)),
  ]);
  return deleted!;
}
