import { expressionBuilder, sql, type Expression, type Kysely, type SqlBool } from 'kysely';
import { recordAudit, type Actor } from '../access/index.ts';
import type { ImportProcessTable } from '../account-import/index.ts';
import type { AccountTables } from '../accounts/index.ts';
import type { BusinessTable } from '../businesses/index.ts';
import type { ImportJobColumns } from '../import-jobs/index.ts';
import type { PaymentInstructionTable } from '../payment-instructions/index.ts';
import { kyselyOf, type Queryable } from '../platform/database/prepared-query.ts';
import type { ImportSupplierTable } from '../suppliers/index.ts';
import type { LookupTables } from '../supply-points/index.ts';
import type { MarketMessageTable } from '../switching/index.ts';
import type { WaveColumns } from '../waves/index.ts';
import type { WithdrawalTables } from '../withdrawal/index.ts';
import type { Viewer } from '../platform/http/route.ts';
import { networkOperators } from '../vocabulary/network-operators.ts';
import type { FoundKind } from '../vocabulary/search.ts';
import { readSearched, type NameAtPlace, type SearchedFor } from './search.rules.ts';
import type { Found, SearchResult } from './search.schema.ts';

/** Most results of one query. */
const FOUND_MAX = 50;
/** Most people of one name whose addresses are compared with other words. */
const CANDIDATES_MAX = 5_000;

type Tables = AccountTables &
  BusinessTable &
  ImportJobColumns &
  ImportProcessTable &
  ImportSupplierTable &
  LookupTables &
  MarketMessageTable &
  PaymentInstructionTable &
  WaveColumns &
  WithdrawalTables;
type Row = Omit<Found, 'found_by'>;
/** A page of results, and whether more people than are compared have a searched name. */
interface Search extends SearchResult {
  tooManyOfName: boolean;
}
/** What matched, and the query for it. */
type Way = [foundBy: Found['found_by'], query: { execute(): Promise<Row[]> }];

/**
 * Finds what has a number, an identifier, an address or a name, by a few indexed queries. Records an audit entry without the search text.
 * @param typed the search text
 * @param page from 1: of results by name, company, address, email and telephone number; other results are on the first page
 * @param viewer undefined for operators, who find everything
 * @returns at most 50 results of each query; `complete` is false where there are more
 */
export async function findAnything(
  database: Queryable,
  actor: Actor,
  typed: string,
  page = 1,
  viewer?: Viewer,
): Promise<Search> {
  const found = await find(database, typed, page, viewer);
  const after = { found: found.results.length, found_by: [...new Set(found.results.map((one) => one.found_by))] };
  await recordAudit(database, actor, { action: 'operations.searched', subject: 'search', after });
  return found;
}

/** What the supplier API would return to its people: accounts by their numbers, jobs and waves. */
const FOUND_BY_SUPPLIERS: ReadonlySet<Found['found_by']> = new Set([
  'external_account_number',
  'service_account_number',
  'import_job_id',
  'import_job_name',
  'wave_id',
  'wave_name',
]);

async function find(database: Queryable, typed: string, page: number, viewer?: Viewer): Promise<Search> {
  const wanted = readSearched(typed);
  if (wanted === undefined) return { results: [], complete: true, tooManyOfName: false };
  const tables = kyselyOf<Tables>(database);
  if (viewer !== undefined) {
    const own = waysOf(tables, wanted, viewer).filter(([foundBy]) => FOUND_BY_SUPPLIERS.has(foundBy));
    const { results } = await resultsOf(page === 1 ? own : []);
    return { results: results.map(({ withdrawn: _withdrawn, ...one }) => one), complete: true, tooManyOfName: false };
  }
  const sizes = await countPeople(tables, wanted.namesAtPlaces);
  const offset = (page - 1) * FOUND_MAX;
  const { results, complete } = await resultsOf([
    ...(page === 1 ? waysOf(tables, wanted) : []),
    ...waysOfPeople(tables, wanted, offset),
    ...(wanted.company === undefined ? [] : [wayOfCompanies(tables, wanted.company, offset)]),
    ...wayOfPlaces(tables, wanted.namesAtPlaces, offset),
  ]);
  return { results, complete, tooManyOfName: hasTooMany(wanted.namesAtPlaces, sizes) };
}

/** Runs the queries one after the other. Each result is listed once, with what was found first. */
async function resultsOf(ways: readonly Way[]): Promise<SearchResult> {
  const results = new Map<string, Found>();
  let complete = true;
  for (const [foundBy, query] of ways) {
    const rows = await query.execute();
    if (rows.length > FOUND_MAX) complete = false;
    for (const row of rows.slice(0, FOUND_MAX)) {
      const operator = row.kind === 'supply_point' && row.service_number;
      const key = JSON.stringify([row.kind, row.import_supplier, row.id, operator]);
      if (!results.has(key)) results.set(key, { ...row, found_by: foundBy });
    }
  }
  return { results: [...results.values()], complete };
}

const kind = (of: FoundKind) => sql.lit(of).$castTo<FoundKind>().as('kind');
const nothing = sql<null>`null`;

/** The import suppliers of a person. A condition of the queries, because the limit would otherwise cut their rows off behind those of others. */
const ownSuppliers = ({ importSuppliers }: Viewer) => sql<string>`any(${[...importSuppliers]}::text[])`;

function accountsIn(tables: Kysely<Tables>, viewer?: Viewer) {
  return tables
    .selectFrom('account as a')
    .select([kind('account'), 'a.import_supplier', 'a.external_account_number as id', 'a.number as service_number'])
    .$if(viewer !== undefined, (query) => query.where('a.import_supplier', '=', ownSuppliers(viewer!)))
    .limit(FOUND_MAX + 1);
}

/** Jobs or waves that the person may see. */
function namedIn(tables: Kysely<Tables>, table: 'import_job' | 'wave', viewer?: Viewer) {
  return tables
    .selectFrom(table)
    .select([kind(table), 'import_supplier', 'id', nothing.as('service_number'), 'name'])
    .$if(viewer !== undefined, (query) => query.where('import_supplier', '=', ownSuppliers(viewer!)))
    .$if(viewer?.organisation !== undefined, (query) => query.where('organisation', '=', viewer!.organisation!));
}

function waysOf(tables: Kysely<Tables>, wanted: SearchedFor, viewer?: Viewer): Way[] {
  const { externals, serviceAccountNumber, serviceBusinessId, id, supplyPoint, name } = wanted;
  const ways: Way[] = [];
  // Keys begin with the import supplier, of which there are few, and another index would cost each import.
  const anySupplier =
    viewer === undefined
      ? sql<string>`any(array(${tables.selectFrom('import_supplier').select('code')}))`
      : ownSuppliers(viewer);
  const accounts = accountsIn(tables);
  const businesses = tables
    .selectFrom('business')
    .select([kind('business'), 'import_supplier', 'external_business_identifier as id'])
    .select(sql<string>`service_business_id::text`.as('service_number'))
    .limit(FOUND_MAX + 1);
  for (const external of externals) {
    const processes = tables
      .selectFrom('import_process as p')
      .leftJoin('account as a', 'a.import_process_id', 'p.id')
      .select([kind('account'), 'p.import_supplier', 'p.external_account_number as id', 'a.number as service_number'])
      .where('p.import_supplier', '=', anySupplier)
      .where('p.external_account_number', '=', external)
      .limit(FOUND_MAX + 1);
    const named = businesses
      .where('import_supplier', '=', anySupplier)
      .where('external_business_identifier', '=', external);
    ways.push(['external_account_number', processes], ['external_business_identifier', named]);
    ways.push(...waysOfReference(tables, external));
  }
  if (name !== undefined) ways.push(...waysOfName(tables, name, viewer));
  if (serviceAccountNumber !== undefined) ways.push(...waysOfNumber(tables, serviceAccountNumber, viewer));
  if (serviceBusinessId !== undefined) {
    ways.push(['service_business_id', businesses.where('service_business_id', '=', serviceBusinessId)]);
  }
  if (id !== undefined) ways.push(...waysOfId(tables, id, viewer));
  if (supplyPoint !== undefined) {
    const having = tables
      .selectFrom('supply_point as p')
      .innerJoin('account_supply_point as s', 's.supply_point_id', 'p.id')
      .select('s.account_id')
      .where('p.supply_type', 'in', ['ELECTRICITY', 'GAS'])
      .where('p.identifier', '=', supplyPoint)
      .limit(FOUND_MAX + 1);
    const lookups = tables
      .selectFrom('look_up')
      .select([kind('supply_point'), nothing.as('import_supplier'), 'identifier as id'])
      .select('network_operator as service_number')
      .distinct()
      .where('network_operator', 'in', networkOperators)
      .where('identifier', '=', supplyPoint);
    ways.push(['supply_point_identifier', accounts.where('a.id', 'in', having)], ['supply_point_identifier', lookups]);
  }
  return ways;
}

/** The job, wave or batch with an id. */
function waysOfId(tables: Kysely<Tables>, id: string, viewer: Viewer | undefined): Way[] {
  const batch = tables
    .selectFrom('population_batch')
    .select([kind('population_batch'), nothing.as('import_supplier'), 'id', nothing.as('service_number')])
    .where('id', '=', id);
  return [
    ['import_job_id', namedIn(tables, 'import_job', viewer).where('id', '=', id)],
    ['wave_id', namedIn(tables, 'wave', viewer).where('id', '=', id)],
    ['population_batch_id', batch],
  ];
}

/** The message with an id, and the accounts that pay by a mandate or card. */
function waysOfReference(tables: Kysely<Tables>, external: string): Way[] {
  const message = tables
    .selectFrom('market_message')
    .select([kind('market_message'), 'import_supplier', 'message_id as id', nothing.as('service_number')])
    .where('message_id', '=', external);
  const instructed = tables
    .selectFrom('payment_instruction')
    .select('account_id')
    .where(sql<boolean>`hashtextextended(reference, 0) = hashtextextended(${external}, 0)`)
    .where('reference', '=', external)
    .where('replaced_at', 'is', null)
    .limit(FOUND_MAX + 1);
  const accounts = accountsIn(tables).where('a.id', '=', sql<string>`any(array(${instructed}))`);
  return [
    ['message_id', message],
    ['payment_reference', accounts],
  ];
}

/** Jobs and waves by the beginning of their name, newest first. */
function waysOfName(tables: Kysely<Tables>, name: string, viewer: Viewer | undefined): Way[] {
  const named = (table: 'import_job' | 'wave') =>
    namedIn(tables, table, viewer)
      .where('name', 'is not', null)
      .where(beginsWith(sql.ref('name'), name))
      .orderBy('id', 'desc')
      .limit(FOUND_MAX + 1);
  return [
    ['import_job_name', named('import_job')],
    ['wave_name', named('wave')],
  ];
}

/** Businesses whose name has words with these beginnings, in any order. */
function wayOfCompanies(tables: Kysely<Tables>, name: string, offset: number): Way {
  const words = sql`(select string_agg('''' || replace(replace(word, '\\', '\\\\'), '''', '''''') || ''':*', ' & ')::tsquery
    from unnest(tsvector_to_array(name_words(${name}))) word)`;
  const businesses = tables
    .selectFrom('business')
    .select([kind('business'), 'import_supplier', 'external_business_identifier as id'])
    .select(sql<string>`service_business_id::text`.as('service_number'))
    .where(sql<boolean>`name_words(company_name) @@ ${words}`)
    .orderBy('service_business_id')
    .limit(FOUND_MAX + 1)
    .offset(offset);
  return ['company_name', businesses];
}

/** The account that has a number, or had it until it was withdrawn. */
function waysOfNumber(tables: Kysely<Tables>, number: string, viewer: Viewer | undefined): Way[] {
  const withdrawn = tables
    .selectFrom('withdrawn_account as w')
    .select([kind('account'), 'w.import_supplier', 'w.external_account_number as id', 'w.number as service_number'])
    .select(
      sql<NonNullable<Found['withdrawn']>>`(
        select json_build_object('at', to_char(w.withdrawn_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'), 'by', d.requested_by, 'reason', d.reason)
        from withdrawal d where d.id = w.withdrawal_id limit 1)`.as('withdrawn'),
    )
    .where('w.number', '=', number)
    .$if(viewer !== undefined, (query) => query.where('w.import_supplier', '=', ownSuppliers(viewer!)));
  return [
    ['service_account_number', accountsIn(tables, viewer).where('a.number', '=', number)],
    ['service_account_number', withdrawn],
  ];
}

function waysOfPeople(tables: Kysely<Tables>, { email, phone, names }: SearchedFor, offset: number): Way[] {
  const way = (foundBy: Found['found_by'], isWanted: Expression<SqlBool>): Way => {
    const customers = tables
      .selectFrom('customer')
      .select(['account_id', sql<number>`row_number() over ()`.as('place')])
      .where(isWanted)
      .limit(FOUND_MAX + 1)
      .offset(offset);
    // In the order of the index, so that the pages neither repeat nor omit an account.
    const accounts = accountsIn(tables).innerJoin(customers.as('c'), 'c.account_id', 'a.id');
    return [foundBy, accounts.orderBy('c.place')];
  };
  const { eb } = expressionBuilder<Tables, 'customer'>();
  return [
    ...(email === undefined
      ? []
      : [way('email', sql<boolean>`lower(email) collate "C" = lower(${email}) collate "C"`)]),
    ...(phone === undefined
      ? []
      : [way('phone', eb('mobile_e164', '=', phone)), way('phone', eb('landline_e164', '=', phone))]),
    ...names.map(({ family, given }) =>
      way('name', given === undefined ? beginsWith(sql.ref('family_name'), family) : hasBothNames(family, given)),
    ),
  ];
}

/** As a range, so that the index is used with every plan. */
function beginsWith(column: Expression<unknown>, beginning: unknown) {
  const folded = sql`fold_name(${column}) collate "C"`;
  return sql<boolean>`${folded} >= fold_name(${beginning}) collate "C" and ${folded} < (fold_name(${beginning}) || chr(1114111)) collate "C"`;
}

function hasBothNames(family: unknown, given: unknown) {
  return sql<boolean>`fold_name(family_name) collate "C" = fold_name(${family}) collate "C" and ${beginsWith(sql`coalesce(given_name, '')`, given)}`;
}

/** The names as rows, each with its words as `fold_name` folds them. A word that begins with a digit must begin a line of the address or the postcode. */
function wantedNames(names: readonly NameAtPlace[]) {
  const [families, givens] = [names.map(({ family }) => family), names.map(({ given }) => given)];
  const words = names.map((one) => one.words.join(' '));
  return sql<{ family: string; given: string; words: string[]; n: number }>`(
    select family, given, n, array(
      select case when word ~ '^[0-9]' then '|' else '' end || fold_name(word) from unnest(string_to_array(typed, ' ')) word) as words
    from unnest(${families}::text[], ${givens}::text[], ${words}::text[]) with ordinality as sent (family, given, typed, n))`.as<'wanted'>(
    sql`wanted`,
  );
}

/** People with the names of a row of `wantedNames`. */
function peopleNamed(tables: Kysely<Tables>) {
  return tables.selectFrom('customer').where(hasBothNames(sql.ref('wanted.family'), sql.ref('wanted.given')));
}

/** Counts the people of each name, up to one more than are compared. */
async function countPeople(tables: Kysely<Tables>, names: readonly NameAtPlace[]): Promise<number[]> {
  if (names.length === 0) return [];
  const people = peopleNamed(tables)
    .select('account_id')
    .limit(CANDIDATES_MAX + 1)
    .as('person');
  const counted = await tables
    .selectFrom(wantedNames(names))
    .innerJoinLateral(people, (on) => on.onTrue())
    .select([sql<number>`wanted.n::integer - 1`.as('index'), sql<number>`count(*)::integer`.as('size')])
    .groupBy('wanted.n')
    .execute();
  const sizes = names.map(() => 0);
  for (const { index, size } of counted) sizes[index] = size;
  return sizes;
}

/** Reports whether a family name has too many people, and no word of the text is the given name of few of them. */
function hasTooMany(names: readonly NameAtPlace[], sizes: readonly number[]): boolean {
  const isFew = (index: number) => sizes[index]! > 0 && sizes[index]! <= CANDIDATES_MAX;
  return names.some(
    ({ family }, index) =>
      sizes[index]! > CANDIDATES_MAX &&
      !names.some((other, at) => other.family === family && other.given !== '' && isFew(at)),
  );
}

/** Accounts of people with a searched name, if the other words are in an address or the given name. */
function wayOfPlaces(tables: Kysely<Tables>, names: readonly NameAtPlace[], offset: number): Way[] {
  if (names.length === 0) return [];
  const people = peopleNamed(tables).select(['account_id', 'given_name']).limit(CANDIDATES_MAX).as('person');
  const isAt = (postcode: string, lines: string) => {
    const address = [postcode, ...[1, 2, 3, 4].map((line) => `${lines}${line}`), 'person.given_name'].map((column) =>
      sql.ref(column),
    );
    return sql<boolean>`(
      select bool_and(position(word in folded) > 0)
      from unnest(wanted.words) word, (values (fold_name(concat_ws('|', '', ${sql.join(address)})))) text (folded))`;
  };
  const supplyAddresses = tables
    .selectFrom('supply_address as s')
    .select('s.position')
    .where('s.account_id', '=', sql<string>`person.account_id`)
    .where(isAt('s.supply_postcode', 's.supply_address'));
  // A subquery with a limit per person, so that the accounts are read by their key with every plan.
  const account = accountsIn(tables)
    .where('a.id', '=', sql<string>`person.account_id`)
    .where(({ or, exists }) => or([isAt('a.billing_postcode', 'a.billing_address'), exists(supplyAddresses)]))
    .as('found');
  const accounts = tables
    .selectFrom(wantedNames(names))
    .innerJoinLateral(people, (on) => on.onTrue())
    .innerJoinLateral(account, (on) => on.onTrue())
    .select(['found.kind', 'found.import_supplier', 'found.id', 'found.service_number'])
    .distinct()
    .orderBy('found.import_supplier')
    .orderBy('found.id')
    .limit(FOUND_MAX + 1)
    .offset(offset);
  return [['name', accounts]];
}
