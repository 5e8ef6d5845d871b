import { recordAudit, type Actor } from '../access/index.ts';
import { run, type Queryable, type PreparedQuery } from '../platform/database/prepared-query.ts';
import { readSearched, type NameAtPlace, type SearchedName } from './search.rules.ts';
import type { Found, SearchResult } from './search.openapi.ts';

/** Most results of one query. */
const FOUND_MAX = 50;
/** Most people of one name whose addresses are compared with a town or postcode. */
const CANDIDATES_MAX = 1_000;

const ACCOUNT = `'account' as kind, a.import_supplier, a.external_account_number as id, a.number as service_number`;
const LIMIT = `limit ${FOUND_MAX + 1}`;

// For each import supplier, of which there are few: its key begins with the supplier, and an index more would cost each import.
const BY_EXTERNAL = query(
  'external_account_number',
  `select 'account' as kind, p.import_supplier, p.external_account_number as id, a.number as service_number
   from import_supplier s join lateral (
     select * from import_process found where found.import_supplier = s.code and found.external_account_number = $1 limit 1) p on true
   left join lateral (select number from account of_process where of_process.import_process_id = p.id limit 1) a on true ${LIMIT}`,
);

const BY_BUSINESS = query(
  'external_business_identifier',
  `select 'business' as kind, b.import_supplier, b.external_business_identifier as id, b.service_business_id::text as service_number
   from import_supplier s join lateral (
     select * from business found where found.import_supplier = s.code and found.external_business_identifier = $1 limit 1) b on true ${LIMIT}`,
);

const BY_BUSINESS_NUMBER = query(
  'service_business_id',
  `select 'business' as kind, b.import_supplier, b.external_business_identifier as id, b.service_business_id::text as service_number
   from business b where b.service_business_id = $1`,
);

const BY_NUMBER = query('service_account_number', `select ${ACCOUNT} from account a where a.number = $1`);

const BY_JOB = query(
  'import_job_id',
  `select 'import_job' as kind, j.import_supplier, j.id::text, null as service_number from import_job j where j.id = $1`,
);

const BY_BATCH = query(
  'population_batch_id',
  `select 'population_batch' as kind, null as import_supplier, b.id::text, null as service_number from population_batch b where b.id = $1`,
);

const BY_POINT = query(
  'supply_point_identifier',
  `select ${ACCOUNT} from supply_point p join lateral (
     select account_id from account_supply_point on_account where on_account.supply_point_id = p.id ${LIMIT}) s on true
     join lateral (select * from account of_point where of_point.id = s.account_id limit 1) a on true
   where p.supply_type in ('ELECTRICITY', 'GAS') and p.identifier = $1 ${LIMIT}`,
);

const BY_LOOKUP = query(
  'supply_point_identifier',
  `select distinct 'supply_point' as kind, null as import_supplier, l.identifier as id, l.network_operator as service_number
   from look_up l where l.network_operator in ('enedis', 'grdf') and l.identifier = $1`,
  'look-up',
);

const BY_EMAIL = ofPeople('email', `lower(c.email) collate "C" = lower($1) collate "C"`);
const BY_MOBILE = ofPeople('phone', 'c.mobile_e164 = $1', 'mobile');
const BY_LANDLINE = ofPeople('phone', 'c.landline_e164 = $1', 'landline');
const BY_FAMILY_NAME = ofPeople('name', beginsWith('c.family_name', '$1'));
const BY_BOTH_NAMES = ofPeople('name', hasBothNames('$1', '$2'), 'both');

const PEOPLE_BY_NAMES = query(
  'name',
  `select c.account_id, wanted.number::integer
    from unnest($1::text[], $2::text[]) with ordinality wanted (family, given, number)
    join lateral (select c.account_id from customer c where ${hasBothNames('wanted.family', 'wanted.given')} limit ${CANDIDATES_MAX + 1}) c on true`,
  'people',
);

const BY_PLACE = query(
  'name',
  `select distinct ${ACCOUNT} from unnest($1::uuid[], $2::text[], $3::text[]) wanted (account_id, town, postcode)
   join lateral (select * from account of_person where of_person.id = wanted.account_id limit 1) a on true
   where exists (
     select from (
       select a.billing_postcode, concat_ws(' ', a.billing_address1, a.billing_address2, a.billing_address3, a.billing_address4)
       union all
       select s.supply_postcode, concat_ws(' ', s.supply_address1, s.supply_address2, s.supply_address3, s.supply_address4)
       from supply_address s where s.account_id = wanted.account_id) place (postcode, lines)
     where wanted.postcode in ('', place.postcode) and position(fold_name(wanted.town) in fold_name(place.lines)) > 0) ${LIMIT}`,
  'place',
);

type Way = PreparedQuery & { foundBy: Found['found_by'] };

function query(foundBy: Found['found_by'], text: string, more = ''): Way {
  return { foundBy, name: `search-${foundBy}${more && `-${more}`}`, text };
}

function ofPeople(foundBy: Found['found_by'], where: string, more = ''): Way {
  return query(
    foundBy,
    `select ${ACCOUNT} from (select distinct c.account_id from (select c.account_id from customer c where ${where} ${LIMIT}) c) c
     join lateral (select * from account of_customer where of_customer.id = c.account_id limit 1) a on true`,
    more,
  );
}

/** As a range, so that the index is used with every plan. */
function beginsWith(column: string, beginning: string): string {
  const folded = `fold_name(${column}) collate "C"`;
  return `${folded} >= fold_name(${beginning}) collate "C" and ${folded} < (fold_name(${beginning}) || chr(1114111)) collate "C"`;
}

function hasBothNames(family: string, given: string): string {
  return `fold_name(c.family_name) collate "C" = fold_name(${family}) collate "C" and ${beginsWith(`coalesce(c.given_name, '')`, given)}`;
}

/**
 * Finds what has a number, an identifier, an address or a name, by a few indexed queries. Records an audit entry without the search text.
 * @param typed the search text
 * @returns at most 50 results of each query; `complete` is false where there are more
 */
export async function findAnything(database: Queryable, actor: Actor, typed: string): Promise<SearchResult> {
  const found = await find(database, typed);
  const after = { found: found.results.length, found_by: [...new Set(found.results.map((one) => one.found_by))] };
  await recordAudit(database, actor, { action: 'operations.searched', subject: 'search', after });
  return found;
}

async function find(database: Queryable, typed: string): Promise<SearchResult> {
  const wanted = readSearched(typed);
  if (wanted === undefined) return { results: [], complete: true };
  const { externals, serviceAccountNumber, serviceBusinessId, id, supplyPoint, email, phone, names } = wanted;
  const people = await findPeopleAtPlaces(database, wanted.namesAtPlaces);
  const ways: [Way, unknown[]][] = [
    ...externals.flatMap((external) => waysFor(external, BY_EXTERNAL, BY_BUSINESS)),
    ...waysFor(serviceAccountNumber, BY_NUMBER),
    ...waysFor(serviceBusinessId, BY_BUSINESS_NUMBER),
    ...waysFor(id, BY_JOB, BY_BATCH),
    ...waysFor(supplyPoint, BY_POINT, BY_LOOKUP),
    ...waysFor(email, BY_EMAIL),
    ...waysFor(phone, BY_MOBILE, BY_LANDLINE),
    ...names.map(wayOfName),
    ...people.ways,
  ];
  const results = new Map<string, Found>();
  let { complete } = people;
  for (const [way, values] of ways) {
    const rows = await run<Omit<Found, 'found_by'>>(database, way, values);
    if (rows.length > FOUND_MAX) complete = false;
    for (const row of rows.slice(0, FOUND_MAX)) {
      const operator = row.kind === 'supply_point' && row.service_number;
      const key = JSON.stringify([row.kind, row.import_supplier, row.id, operator]);
      if (!results.has(key)) results.set(key, { ...row, found_by: way.foundBy });
    }
  }
  return { results: [...results.values()], complete };
}

async function findPeopleAtPlaces(
  database: Queryable,
  wanted: readonly NameAtPlace[],
): Promise<{ ways: [Way, unknown[]][]; complete: boolean }> {
  if (wanted.length === 0) return { ways: [], complete: true };
  const names = [wanted.map(({ family }) => family), wanted.map(({ given }) => given)];
  const people = await run<{ account_id: string; number: number }>(database, PEOPLE_BY_NAMES, names);
  const counts = new Map<number, number>();
  for (const { number } of people) counts.set(number, (counts.get(number) ?? 0) + 1);
  const complete = [...counts.values()].every((count) => count <= CANDIDATES_MAX);
  if (people.length === 0) return { ways: [], complete };
  const places = people.map(({ number }) => wanted[number - 1]!);
  const values = [
    people.map((person) => person.account_id),
    places.map(({ town }) => town),
    places.map(({ postcode }) => postcode),
  ];
  return { ways: [[BY_PLACE, values]], complete };
}

function waysFor(value: string | number | undefined, ...ways: Way[]): [Way, unknown[]][] {
  return value === undefined ? [] : ways.map((way) => [way, [value]]);
}

function wayOfName({ family, given }: SearchedName): [Way, unknown[]] {
  return given === undefined ? [BY_FAMILY_NAME, [family]] : [BY_BOTH_NAMES, [family, given]];
}
