import { run, type Queryable, type PreparedQuery } from '../platform/database/prepared-query.ts';
import { contractTermFields } from '../businesses/business.schema.ts';
import { tableOf } from '../foundation/table.ts';
import { hasNotEndedSql } from '../switching/index.ts';
import { openableSets, paymentScheduleFrequencies, paymentScheduleMeans } from '../vocabulary/value-sets.ts';
import { warning, WARNINGS_LISTED_MAX, type Warning, type WarningCode } from '../vocabulary/warnings.ts';
import type { AccountKey } from '../accounts/account-key.schema.ts';

/** How many other accounts a warning names. */
const OTHERS_NAMED_MAX = 5;
const IS_MINE = 'account_id = (select id from me)';
/** `e.others`, from a query of account ids. Laterally, so that it is looked up for each row instead of joined with the whole table. */
const others = (ids: string) => `cross join lateral (
      select jsonb_agg(jsonb_build_array(b.import_supplier, b.external_account_number)) as others from (${ids} limit ${OTHERS_NAMED_MAX}) x join account b on b.id = x.account_id) e`;
/** Accounts on which the instruction of the row `of` is in force. */
const othersWithInstruction = (of: string, isWanted: string) =>
  others(`select o.account_id from payment_instruction o join account c on c.id = o.account_id
        where hashtextextended(o.reference, 0) = hashtextextended(${of}.reference, 0) and o.reference = ${of}.reference and upper(o.vendor) = upper(${of}.vendor)
          and o.replaced_at is null and ${isWanted}`);

/** The payload counts rows anew in each row above; tables count them in the whole account. */
const numbered = (table: string, above: string) =>
  `(select t.*, t.position - min(t.position) over (partition by ${above}) as index from ${table} t where t.${IS_MINE})`;
const pathOfPoint = (position: string) => `(select paths from point) -> (${position})::text`;
const pathOfSchedule = (member: string) =>
  `${pathOfPoint('s.point_position')} || jsonb_build_array('payment_schedules', s.index, '${member}')`;

/** SQL: a column has a value that is in no closed set; an operator has opened the set for the import supplier. */
const isUnknownSql = (column: string, set: object) => `${column} <> all('{${Object.keys(set).join(',')}}')`;
const hasUnknownSchedule = `(${isUnknownSql('s.frequency', paymentScheduleFrequencies)} or ${isUnknownSql('s.means', paymentScheduleMeans)})`;
const isUnknownTerm = isUnknownSql('t.term_type', contractTermFields);
/** Billed days are compared with today in France. */
const TODAY = `(now() at time zone 'Europe/Paris')::date`;

/**
 * All warnings in one statement. `$3` is the supplier that reads them, or null for an operator. Paths, and the instructions in force, are
 * gathered once: to look for them at each row would cost the square of the account.
 */
const FIND: PreparedQuery = {
  name: 'account-warnings',
  text: `
    with me as materialized (select id, last_billed_to_date from account where import_supplier = $1 and external_account_number = $2),
    point as materialized (
      select jsonb_object_agg(s.position, jsonb_build_array('supply_addresses', s.address_position, 'supply_points', s.index)) as paths
      from ${numbered('account_supply_point', 't.address_position')} s),
    in_force as materialized (
      select coalesce(jsonb_object_agg(jsonb_build_array(i.vendor, i.reference)::text, true), '{}') as names from payment_instruction i where i.${IS_MINE} and i.replaced_at is null)
    select 1 as rank, s.position::bigint as n, 'supply_point_on_another_account' as code, ${pathOfPoint('s.position')} || '"identifier"' as path, e.others from account_supply_point s
      ${others(`select o.account_id from account_supply_point o where o.supply_point_id = s.supply_point_id and o.account_id <> s.account_id and ${hasNotEndedSql}`)}
    where s.${IS_MINE} and s.switch_status <> 'REJECTED' and e.others is not null
    union all
    select 2, i.position, 'payment_instruction_on_another_account',
      case when i.verification_id is null then ${pathOfPoint('i.point_position')} || jsonb_build_array('payment_instructions', i.index, 'reference') else '[]' end, e.others
    from ${numbered('payment_instruction', 't.point_position, t.verification_id is null')} i
      ${othersWithInstruction('i', 'o.account_id <> i.account_id and ($3::text is null or c.import_supplier = $3)')}
    where i.replaced_at is null and e.others is not null
    union all
    -- Operation 7 refused it here. For operators, as long as it is in force elsewhere.
    select 3, v.n, 'payment_instruction_on_another_account', '["payment_verifications"]', e.others
    from (select vendor, reference, row_number() over (order by vendor, reference) as n from payment_verification
        where ${IS_MINE} and reason = 'payment_instruction_in_use' and $3::text is null group by vendor, reference) v
      ${othersWithInstruction('v', 'c.import_supplier <> $1')}
    where e.others is not null
    union all
    select 4, s.position, 'unknown_value', ${pathOfSchedule('frequency')}, null from ${numbered('payment_schedule', 't.point_position')} s where ${isUnknownSql('s.frequency', paymentScheduleFrequencies)}
    union all
    select 5, s.position, 'unknown_value', ${pathOfSchedule('means')}, null from ${numbered('payment_schedule', 't.point_position')} s where ${isUnknownSql('s.means', paymentScheduleMeans)}
    union all
    select 6, t.position, 'unknown_value', jsonb_build_array('account_contracts', v.contract_position, 'versions', v.index, 'terms', t.index, 'term_type'), null
    from ${numbered('account_contract_term', 't.version_position')} t join ${numbered('account_contract_version', 't.contract_position')} v on v.position = t.version_position where ${isUnknownTerm}
    union all
    select 7, p.position, 'payment_preference_unresolved', jsonb_build_array('payment_preferences', p.position, 'instruction_reference_params'), null from payment_preference p
    where p.${IS_MINE} and p.type <> 'PASSIVE' and (select names from in_force) -> jsonb_build_array(p.vendor_name, p.vendor_reference)::text is null
    union all
    select 8, -1, 'billed_date_in_future', '["last_billed_to_date"]', null from me where last_billed_to_date > ${TODAY}
    union all
    select 8, s.position, 'billed_date_in_future', jsonb_build_array('statements', s.position, 'bill_period_to_date'), null from statement s where s.${IS_MINE} and s.bill_period_to_date > ${TODAY}
    order by 1, 2 limit ${WARNINGS_LISTED_MAX}`,
};

/**
 * SQL: a supplier may have to be warned of a new account; true more often than there is something to say. Written as
 * values and not as `exists`, which the planner may turn into joins with whole tables.
 * @param id SQL of the account's id
 */
export const mayWarnSql = (id: string) => `coalesce(
      (select true from account_supply_point s where s.account_id = ${id} and (
        select true from account_supply_point o where o.supply_point_id = s.supply_point_id and o.account_id <> s.account_id and ${hasNotEndedSql} limit 1) limit 1),
      (select true from payment_instruction i where i.account_id = ${id} and (
        select true from payment_instruction o where hashtextextended(o.reference, 0) = hashtextextended(i.reference, 0) and o.reference = i.reference
          and o.replaced_at is null and o.account_id <> i.account_id limit 1) limit 1),
      (select true from payment_preference p where p.account_id = ${id} and p.type = 'ACTIVE_EXISTING' limit 1),
      (select true from payment_schedule s where s.account_id = ${id} and ${hasUnknownSchedule} limit 1),
      (select true from account_contract_term t where t.account_id = ${id} and ${isUnknownTerm} limit 1),
      (select true from statement t where t.account_id = ${id} and t.bill_period_to_date > ${TODAY} limit 1),
      (select true from account a where a.id = ${id} and a.last_billed_to_date > ${TODAY}),
      false)`;

const unknownValueNotes = tableOf<string>(openableSets);

type Others = readonly (readonly [importSupplier: string, externalAccountNumber: string])[];
interface WarningRow extends Record<string, unknown> {
  rank: number;
  n: string;
  code: WarningCode;
  path: (string | number)[];
  others: Others | null;
}

/**
 * Finds warnings about a created account, with their places in its payload. Costs a few indexed queries for each point and
 * instruction.
 * @param reader suppliers see of other suppliers' accounts only that they have the supply point
 */
export async function findAccountWarnings(
  database: Queryable,
  { import_supplier: supplier, external_account_number: external }: AccountKey,
  reader: 'supplier' | 'operator',
): Promise<Warning[]> {
  const isForSupplier = reader === 'supplier';
  const rows = await run<WarningRow>(database, FIND, [supplier, external, isForSupplier ? supplier : null]);
  return rows.map(({ code, path, others: all }) => {
    if (code === 'unknown_value') return warning(code, path, unknownValueNotes.get(String(path.at(-1))));
    const shown = (all ?? []).filter(([other]) => !isForSupplier || other === supplier).map((one) => one.join('/'));
    const named = shown.length === 0 ? '' : `It is ${shown.join(', ')}.`;
    return warning(code, path, path[0] === 'payment_verifications' ? `Operation 7 refused it here. ${named}` : named);
  });
}
