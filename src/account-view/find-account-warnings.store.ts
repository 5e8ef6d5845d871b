import { run, type Queryable, type PreparedQuery } from '../platform/database/prepared-query.ts';
import { contractTermFields } from '../businesses/business.schema.ts';
import { hasNotEndedSql } from '../switching/index.ts';
import type { Path } from '../vocabulary/violations.ts';
import { openableSets, paymentScheduleFrequencies, paymentScheduleMeans } from '../vocabulary/value-sets.ts';
import { warning, WARNINGS_LISTED_MAX, type Warning } from '../vocabulary/warnings.ts';
import type { AccountKey } from '../accounts/account-key.schema.ts';

/** How many other accounts a warning names. */
const OTHERS_NAMED_MAX = 5;
const from = (table: string, row: string) => `account a join ${table} ${row} on ${row}.account_id = a.id`;
const KEY = 'a.import_supplier = $1 and a.external_account_number = $2';
/** `e.others`, from a query of account ids. Laterally, so that it is looked up for each row instead of joined with the whole table. */
const others = (ids: string) => `cross join lateral (
  select jsonb_agg(jsonb_build_array(b.import_supplier, b.external_account_number)) as others from (${ids} limit ${OTHERS_NAMED_MAX}) x join account b on b.id = x.account_id) e`;

const POINTS: PreparedQuery = {
  name: 'account-warnings-points',
  text: `
    select s.address_position as address, s.position, e.others from ${from('account_supply_point', 's')}
      ${others(`select o.account_id from account_supply_point o where o.supply_point_id = s.supply_point_id and o.account_id <> s.account_id and ${hasNotEndedSql}`)}
    where ${KEY} and s.switch_status <> 'REJECTED' and e.others is not null order by s.position limit ${WARNINGS_LISTED_MAX}`,
};

/** `$3`: only accounts of this supplier. */
const INSTRUCTIONS: PreparedQuery = {
  name: 'account-warnings-instructions',
  text: `
    select i.position, i.point_position as point, i.verification_id is not null as "isLater", e.others from ${from('payment_instruction', 'i')}
      ${others(`select o.account_id from payment_instruction o join account c on c.id = o.account_id
        where hashtextextended(o.reference, 0) = hashtextextended(i.reference, 0) and o.reference = i.reference and upper(o.vendor) = upper(i.vendor) and o.replaced_at is null
          and o.account_id <> i.account_id and ($3::text is null or c.import_supplier = $3)`)}
    where ${KEY} and i.replaced_at is null and e.others is not null order by i.position limit ${WARNINGS_LISTED_MAX}`,
};

/** Where an instruction is in force that operation 7 refused for this account, as long as it is. For operators. */
const REFUSED: PreparedQuery = {
  name: 'account-warnings-refused',
  text: `
    select distinct on (v.vendor, v.reference) e.others from ${from('payment_verification', 'v')}
      ${others(`select o.account_id from payment_instruction o join account c on c.id = o.account_id
        where hashtextextended(o.reference, 0) = hashtextextended(v.reference, 0) and o.reference = v.reference and upper(o.vendor) = upper(v.vendor) and o.replaced_at is null and c.import_supplier <> $1`)}
    where ${KEY} and v.reason = 'payment_instruction_in_use' and e.others is not null order by v.vendor, v.reference limit ${WARNINGS_LISTED_MAX}`,
};

/** The instructions in force are gathered once: to look for them at each preference would cost the square of the account. */
const PREFERENCES: PreparedQuery = {
  name: 'account-warnings-preferences',
  text: `
    with in_force as materialized (
      select coalesce(jsonb_object_agg(jsonb_build_array(i.vendor, i.reference)::text, true), '{}') as names from ${from('payment_instruction', 'i')} where ${KEY} and i.replaced_at is null)
    select p.position from ${from('payment_preference', 'p')}
    where ${KEY} and p.type <> 'PASSIVE' and (select names from in_force) -> jsonb_build_array(p.vendor_name, p.vendor_reference)::text is null
    order by p.position limit ${WARNINGS_LISTED_MAX}`,
};

/** Billed days after today in France; position -1 means the account's own field. */
const BILLED_AHEAD: PreparedQuery = {
  name: 'account-warnings-billed-ahead',
  text: `
    select -1 as position from account a where ${KEY} and a.last_billed_to_date > (now() at time zone 'Europe/Paris')::date
    union all select s.position from ${from('statement', 's')} where ${KEY} and s.bill_period_to_date > (now() at time zone 'Europe/Paris')::date
    order by 1 limit ${WARNINGS_LISTED_MAX}`,
};

/** SQL: a column has a value that is in no closed set; an operator has opened the set for the import supplier. */
const isUnknownSql = (column: string, set: object) => `${column} <> all('{${Object.keys(set).join(',')}}')`;
const hasUnknownSchedule = `(${isUnknownSql('s.frequency', paymentScheduleFrequencies)} or ${isUnknownSql('s.means', paymentScheduleMeans)})`;
const isUnknownTerm = isUnknownSql('t.term_type', contractTermFields);

/** `place` is the position of the supply point, or of contract and version; `index` that of the schedule or term in it. */
const UNKNOWN_VALUES: PreparedQuery = {
  name: 'account-warnings-unknown-values',
  text: `
    select 'frequency' as set, array[s.point_position] as place, s.position - (select min(f.position) from payment_schedule f where f.account_id = s.account_id and f.point_position = s.point_position) as index
    from ${from('payment_schedule', 's')} where ${KEY} and ${isUnknownSql('s.frequency', paymentScheduleFrequencies)}
    union all
    select 'means', array[s.point_position], s.position - (select min(f.position) from payment_schedule f where f.account_id = s.account_id and f.point_position = s.point_position)
    from ${from('payment_schedule', 's')} where ${KEY} and ${isUnknownSql('s.means', paymentScheduleMeans)}
    union all
    select 'term_type', array[v.contract_position, v.position - (select min(w.position) from account_contract_version w where w.account_id = v.account_id and w.contract_position = v.contract_position)],
      t.position - (select min(u.position) from account_contract_term u where u.account_id = t.account_id and u.version_position = t.version_position)
    from ${from('account_contract_term', 't')} join account_contract_version v on v.account_id = t.account_id and v.position = t.version_position where ${KEY} and ${isUnknownTerm}
    order by 1, 2, 3 limit ${WARNINGS_LISTED_MAX}`,
};

/** Where points and instructions begin that the payload counts anew for each address, and for each point. */
const FIRSTS: PreparedQuery = {
  name: 'account-warnings-firsts',
  text: `
    select 'address' as kind, s.address_position as of, min(s.position) as first from ${from('account_supply_point', 's')} where ${KEY} group by 2
    union all select 'point', s.position, s.address_position from ${from('account_supply_point', 's')} where ${KEY}
    union all select 'instruction', i.point_position, min(i.position) from ${from('payment_instruction', 'i')} where ${KEY} and i.verification_id is null group by 2`,
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
      (select true from statement t where t.account_id = ${id} and t.bill_period_to_date > (now() at time zone 'Europe/Paris')::date limit 1),
      (select true from account a where a.id = ${id} and a.last_billed_to_date > (now() at time zone 'Europe/Paris')::date),
      false)`;

type Others = readonly (readonly [importSupplier: string, externalAccountNumber: string])[];
interface PointRow extends Record<string, unknown> {
  address: number;
  position: number;
  others: Others;
}
interface InstructionRow extends Record<string, unknown> {
  position: number;
  point: number | null;
  isLater: boolean;
  others: Others;
}

interface UnknownValueRow extends Record<string, unknown> {
  set: 'frequency' | 'means' | 'term_type';
  place: number[];
  index: number;
}

function unknownValuePath({ set, place, index }: UnknownValueRow, pathOfPoint: (position: number) => Path): Path {
  const [first = 0, version = 0] = place;
  return set === 'term_type'
    ? ['account_contracts', first, 'versions', version, 'terms', index, set]
    : [...pathOfPoint(first), 'payment_schedules', index, set];
}

/**
 * Finds warnings about a created account, with their places in its payload. Costs a few indexed queries for each point and
 * instruction.
 * @param reader suppliers see of other suppliers' accounts only that they have the supply point
 */
export async function findAccountWarnings(
  database: Queryable,
  key: AccountKey,
  reader: 'supplier' | 'operator',
): Promise<Warning[]> {
  const place = [key.import_supplier, key.external_account_number];
  const isForSupplier = reader === 'supplier';
  const points = await run<PointRow>(database, POINTS, place);
  const instructions = await run<InstructionRow>(database, INSTRUCTIONS, [
    ...place,
    isForSupplier ? key.import_supplier : null,
  ]);
  const refused = isForSupplier ? [] : await run<{ others: Others }>(database, REFUSED, place);
  const preferences = await run<{ position: number }>(database, PREFERENCES, place);
  const billedAhead = await run<{ position: number }>(database, BILLED_AHEAD, place);
  const unknown = await run<UnknownValueRow>(database, UNKNOWN_VALUES, place);
  const pathOf =
    points.length + instructions.length + unknown.length === 0 ? undefined : await readPaths(database, place);
  const named = (of: Others) => {
    const shown = of
      .filter(([supplier]) => !isForSupplier || supplier === key.import_supplier)
      .map((one) => one.join('/'));
    return shown.length === 0 ? '' : `It is ${shown.join(', ')}.`;
  };
  return [
    ...points.map((row) =>
      warning('supply_point_on_another_account', [...pathOf!.point(row.position), 'identifier'], named(row.others)),
    ),
    ...instructions.map((row) =>
      warning(
        'payment_instruction_on_another_account',
        row.isLater ? [] : [...pathOf!.instruction(row.position, row.point), 'reference'],
        named(row.others),
      ),
    ),
    ...refused.map((row) =>
      warning(
        'payment_instruction_on_another_account',
        ['payment_verifications'],
        `Operation 7 refused it here. ${named(row.others)}`,
      ),
    ),
    ...unknown.map((row) => warning('unknown_value', unknownValuePath(row, pathOf!.point), openableSets[row.set])),
    ...preferences.map(({ position }) =>
      warning('payment_preference_unresolved', ['payment_preferences', position, 'instruction_reference_params']),
    ),
    ...billedAhead.map(({ position }) =>
      warning(
        'billed_date_in_future',
        position < 0 ? ['last_billed_to_date'] : ['statements', position, 'bill_period_to_date'],
      ),
    ),
  ].slice(0, WARNINGS_LISTED_MAX);
}

async function readPaths(
  database: Queryable,
  place: readonly string[],
): Promise<{ point(position: number): Path; instruction(position: number, point: number | null): Path }> {
  const rows = await run<{ kind: string; of: number; first: number }>(database, FIRSTS, place);
  const firsts = new Map(rows.map(({ kind, of, first }) => [`${kind} ${of}`, first]));
  const point = (position: number): Path => {
    const address = firsts.get(`point ${position}`) ?? 0;
    return ['supply_addresses', address, 'supply_points', position - (firsts.get(`address ${address}`) ?? 0)];
  };
  return {
    point,
    instruction: (position, of) => [
      ...point(of ?? 0),
      'payment_instructions',
      position - (firsts.get(`instruction ${of}`) ?? 0),
    ],
  };
}
