import { sql } from 'kysely';
import { kyselyOf, run, type PreparedQuery, type Queryable } from '../../platform/database/prepared-query.ts';
import { hasNotEndedSql } from '../../switching/index.ts';
import type { Path } from '../../vocabulary/violations.ts';
import { warning, WARNINGS_LISTED_MAX, type Warning } from '../../vocabulary/warnings.ts';
import type { ImportProcessTable } from '../import-process.entity.ts';
import type { AccountPayload } from '../../accounts/account-payload.schema.ts';
import { findPayloadWarnings } from '../validate/account-warnings.validation.ts';

/** Maximum number of other accounts that a warning names. */
const OTHERS_NAMED_MAX = 5;

/** A finding about the item numbered `n` of its kind. */
interface StagingWarningRow extends Record<string, unknown> {
  kind: 'contract' | 'point' | 'instruction';
  n: number;
  others: readonly (readonly [importSupplier: string, externalAccountNumber: string])[] | null;
}

/** SQL for `e.others`: the accounts from a query of account ids, except the account itself. Read for each row (decision 0037). */
const others = (ids: string) => `cross join lateral (
    select jsonb_agg(jsonb_build_array(b.import_supplier, b.external_account_number)) as others
    from (${ids} limit ${OTHERS_NAMED_MAX + 1}) x join account b on b.id = x.account_id
    where b.import_supplier <> ($1::text[])[s.account] or b.external_account_number <> ($2::text[])[s.account]) e`;

/** A few indexed lookups for each point, instruction and contract. */
const PAGE: PreparedQuery = {
  name: 'staging-warnings',
  text: `
    select 'contract' as kind, s.n::integer as n, null::jsonb as others
    from unnest($1::text[], $3::text[]) with ordinality as s (supplier, label, n)
    where s.label <> '' and (select c.id from business_contract c where c.import_supplier = s.supplier and c.identifier = s.label) is null
    union all
    select 'point', s.n::integer, e.others
    from unnest($4::integer[], $5::text[], $6::text[], $7::date[]) with ordinality as s (account, supply_type, identifier, supply_start_date, n)
      ${others(`select o.account_id from account_supply_point o
        where o.supply_point_id = (select m.id from supply_point m where m.supply_type = s.supply_type and m.identifier = s.identifier) and ${hasNotEndedSql}`)}
    where e.others is not null
    union all
    select 'instruction', s.n::integer, e.others
    from unnest($8::integer[], $9::text[], $10::text[]) with ordinality as s (account, vendor, reference, n)
      ${others(`select o.account_id from payment_instruction o join account a on a.id = o.account_id
        where hashtextextended(o.reference, 0) = hashtextextended(s.reference, 0) and o.reference = s.reference and upper(o.vendor) = upper(s.vendor)
          and o.replaced_at is null and a.import_supplier = ($1::text[])[s.account]`)}
    where e.others is not null
    order by 1, 2`,
};

/**
 * SQL: the `n` of each row of `sent` that may have warnings. May find one without warnings, never the reverse. As part of the staging
 * statement it costs 0.03 ms; finding the warnings there costs 0.13 ms of 0.32. `sent` has the columns `n` and `label` (of the contract).
 * @param supplier SQL of the import supplier
 * @param first number of its first parameter; the values come from `mayWarnValues`, after the labels
 */
export function mayWarnSql(supplier: string, first: number): string {
  const [points, types, identifiers, instructions, references] = [0, 1, 2, 3, 4].map((index) => `$${first + index}`);
  return `
      select s.n from sent s
      where s.label <> '' and (select c.id from business_contract c where c.import_supplier = ${supplier} and c.identifier = s.label) is null
      union all
      select q.n from unnest(${points}::integer[], ${types}::text[], ${identifiers}::text[]) as q (n, type, identifier)
      where (select true from supply_point m join account_supply_point o on o.supply_point_id = m.id where m.supply_type = q.type and m.identifier = q.identifier limit 1)
      union all
      select r.n from unnest(${instructions}::integer[], ${references}::text[]) as r (n, reference)
      where (select true from payment_instruction o where o.replaced_at is null and hashtextextended(o.reference, 0) = hashtextextended(r.reference, 0) limit 1)`;
}

/** Labels of the contracts, followed by the parameter values of `mayWarnSql`. */
export function mayWarnValues(accounts: readonly AccountPayload[]): unknown[] {
  const { points, instructions } = itemsOf(accounts);
  return [
    accounts.map(labelOf),
    points.map(({ account }) => account + 1),
    points.map(({ type }) => type),
    points.map(({ identifier }) => identifier),
    instructions.map(({ account }) => account + 1),
    instructions.map(({ reference }) => reference),
  ];
}

/**
 * Finds the warnings that need the database: points and instructions on other accounts, and missing business contracts. One statement for
 * all accounts. Skips the account itself, so it works before and after creation.
 * @returns the warnings of each account, in the order of the accounts
 */
export async function findStagingWarnings(
  database: Queryable,
  accounts: readonly AccountPayload[],
): Promise<Warning[][]> {
  const { points, instructions } = itemsOf(accounts);
  const rows = await run<StagingWarningRow>(database, PAGE, [
    accounts.map((account) => account.import_supplier),
    accounts.map((account) => account.external_account_number),
    accounts.map(labelOf),
    points.map(({ account }) => account + 1),
    points.map(({ type }) => type),
    points.map(({ identifier }) => identifier),
    points.map(({ start }) => start),
    instructions.map(({ account }) => account + 1),
    instructions.map(({ vendor }) => vendor),
    instructions.map(({ reference }) => reference),
  ]);
  const found = accounts.map((): Warning[] => []);
  for (const { kind, n, others: all } of rows) {
    if (kind === 'contract') {
      found[n - 1]!.push(warning('business_contract_not_yet_known', ['business', 'business_contract_identifier']));
      continue;
    }
    const { account, path } = (kind === 'point' ? points : instructions)[n - 1]!;
    // Accounts of other import suppliers are never named.
    const named = (all ?? []).filter(([supplier]) => supplier === accounts[account]!.import_supplier);
    const shown = named.slice(0, OTHERS_NAMED_MAX).map((other) => other.join('/'));
    const code = kind === 'point' ? 'supply_point_on_another_account' : 'payment_instruction_on_another_account';
    found[account]!.push(warning(code, path, shown.length === 0 ? '' : `It is ${shown.join(', ')}.`));
  }
  return found.map((warnings) => warnings.slice(0, WARNINGS_LISTED_MAX));
}

const labelOf = ({ business }: AccountPayload) => business?.business_contract_identifier ?? '';

/** The supply points and instructions of the accounts, with the index of their account and their path in its payload. */
function itemsOf(accounts: readonly AccountPayload[]) {
  const points = accounts.flatMap(({ supply_addresses: addresses = [] }, account) =>
    addresses.flatMap((address, a) =>
      address.supply_points.map((point, p) => {
        const path: Path = ['supply_addresses', a, 'supply_points', p];
        const { identifier, supply_type: type, supply_start_date: start, payment_instructions: below = [] } = point;
        return { account, path: [...path, 'identifier'], type, identifier, start, above: path, below };
      }),
    ),
  );
  const instructions = points.flatMap(({ account, above, below }) =>
    below.map(({ vendor, reference }, i) => {
      return { account, path: [...above, 'payment_instructions', i, 'reference'], vendor, reference };
    }),
  );
  return { points, instructions };
}

/**
 * Finds the warnings of accounts that are already staged, as at staging, except those about dropped members, which are not stored.
 * @param today the calendar day in France
 * @param pause yields to the event loop between two accounts
 * @returns warnings by external account number, without accounts that are no longer staged
 */
export async function findWarningsOfStaged(
  database: Queryable,
  { importSupplier, externalAccountNumbers }: { importSupplier: string; externalAccountNumbers: readonly string[] },
  today: string,
  pause: () => Promise<void>,
): Promise<Map<string, Warning[]>> {
  const rows = await kyselyOf<ImportProcessTable>(database)
    .selectFrom('import_process')
    .select(['external_account_number as key', sql<string>`payload::text`.as('payload')])
    .where('import_supplier', '=', importSupplier)
    .where('external_account_number', '=', sql<string>`any(${externalAccountNumbers}::text[])`)
    .execute();
  const accounts: AccountPayload[] = [];
  for (const { payload } of rows) {
    accounts.push(JSON.parse(payload) as AccountPayload);
    await pause();
  }
  const found = await findStagingWarnings(database, accounts);
  return new Map(
    rows.map(({ key }, index) => {
      const account = accounts[index]!;
      const ofPayload = findPayloadWarnings({ account, payloadWarnings: [] }, today);
      return [key, [...ofPayload, ...found[index]!].slice(0, WARNINGS_LISTED_MAX)];
    }),
  );
}
