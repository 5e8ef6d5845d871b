import { type PreparedQuery, type Queryable, run } from '../platform/database/prepared-query.ts';
import { compileOperatorBody } from '../platform/validation/compile-payload.ts';
import { type Refused, isRefused, refuse } from '../vocabulary/refusals.ts';
import { violation } from '../vocabulary/violations.ts';
import { dayInRange } from '../vocabulary/wire-forms.ts';
import {
  type AccountCursor,
  type ListOrder,
  cursorIn,
  cursorOf,
  idsBetween,
  isById,
  listOrderOf,
  momentsOf,
} from './account-filter.rules.ts';
import { type AccountFilter, type ListedAccount, accountFilterSchema } from './account-list.schema.ts';

/** How many rows a page scans; if few of them match the filters, the page is short and the next one continues after them. */
const LOOKED_AT_MAX = 5_000;
/** Behind every text. */
const LAST_TEXT = String.fromCodePoint(0x10ffff);

/** What each order goes along, at most LOOKED_AT_MAX rows from the cursor on: `process_id` and the key, `k1` alone or `k1` and `k2`. */
const LOOKED_AT: Record<ListOrder, string> = {
  'by-tariff': byId('agreement', 'account_id', 'null::uuid', 'tariff_code collate "C" = $3 and'),
  'by-day-created': byId('account', 'id', 'import_process_id'),
  'by-day-staged': byId('import_process', 'id', 'id'),
  refused: processesByNumber('and imported_at is null and refusal is not null'),
  skipped: processesByNumber('and imported_at is null and skipped_at is not null'),
  staged: processesByNumber('and imported_at is null'),
  all: processesByNumber(''),
  'by-switch-status': accountsByNumber('and switch_status collate "C" = $4'),
  created: accountsByNumber(''),
};

/** An account has several agreements of a tariff. */
const ACCOUNTS_OF_TARIFF = `
  select of_tariff.import_process_id as process_id, g.k1
  from (select distinct on (k1) k1 from (${LOOKED_AT['by-tariff']}) agreed order by k1 desc) g
  join lateral (select import_process_id from account where id = g.k1 limit 1) of_tariff on true`;

function byId(table: string, id: string, processId: string, narrowed = ''): string {
  return `
    select ${processId} as process_id, ${id} as k1 from ${table} where ${narrowed} ${id} < $1 and ${id} > $2
    order by ${id} desc limit ${LOOKED_AT_MAX}`;
}

function processesByNumber(narrowed: string): string {
  return byNumber('import_process', 'id', narrowed);
}

function accountsByNumber(narrowed: string): string {
  return byNumber('account', 'import_process_id', narrowed);
}

function byNumber(table: string, processId: string, narrowed: string): string {
  return `
    select ${processId} as process_id, import_supplier as k1, external_account_number as k2 from ${table}
    where (import_supplier, external_account_number) > ($1, $2) and import_supplier <= $3 ${narrowed}
    order by import_supplier, external_account_number limit ${LOOKED_AT_MAX}`;
}

const instant = (column: string) => `to_char(${column} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"')`;
const STATUS = `case when a.id is not null then 'CREATED' when p.skipped_at is not null then 'SKIPPED' when p.refusal is not null then 'REFUSED' else 'STAGED' end`;
/** As causes of staged accounts name them: those of its faults, or that of the refusal where it names no place. */
const REFUSAL_CODES = `case when p.refusal is null then '[]' when p.refusal ->> 'code' = 'creation_failed' then '["quarantined"]'
  when coalesce(p.refusal -> 'errors', '[]') = '[]' then jsonb_build_array(p.refusal ->> 'code') else jsonb_path_query_array(p.refusal, '$.errors[*].code') end`;

/** A page, each row found by the key of its order; the limits make the planner use keys for the other tables. */
function pageQuery(order: ListOrder): PreparedQuery {
  const own = ownParameters(order);
  const given = (place: number, type: string, fits: (parameter: string) => string) => {
    const parameter = `$${own + place}::${type}`;
    return `(${parameter} is null or ${fits(parameter)})`;
  };
  return {
    name: `list-accounts-${order}`,
    text: `
      select p.import_supplier, p.external_account_number, a.number as service_account_number, ${STATUS} as status, a.switch_status,
        ${REFUSAL_CODES} as refusal_codes, ${instant('p.staged_at')} as staged_at, ${instant('a.created_at')} as created_at, d.k1${isById(order) ? '' : ', d.k2'}
      from (${order === 'by-tariff' ? ACCOUNTS_OF_TARIFF : LOOKED_AT[order]}) d
        join lateral (select * from import_process found where found.id = d.process_id limit 1) p on true
        left join lateral (select * from account found where found.import_process_id = p.id limit 1) a on true
      where ${given(1, 'text', (supplier) => `p.import_supplier = ${supplier}`)} and ${given(2, 'text', (status) => `${STATUS} = ${status}`)}
        and ${given(3, 'text', (status) => `a.switch_status = ${status}`)} and ${given(4, 'text', (code) => `jsonb_exists(${REFUSAL_CODES}, ${code})`)}
        and ${given(5, 'timestamptz', (at) => `p.staged_at >= ${at}`)} and ${given(6, 'timestamptz', (at) => `p.staged_at < ${at}`)}
        and ${given(7, 'timestamptz', (at) => `a.created_at >= ${at}`)} and ${given(8, 'timestamptz', (at) => `a.created_at < ${at}`)}
      order by ${isById(order) ? 'd.k1 desc' : 'd.k1, d.k2'} limit $${own + 9}`,
  };
}

/** Where a page ended that looked at as many as it may; nothing where the list ended before. */
function endQuery(order: ListOrder): PreparedQuery {
  const inOrder = isById(order) ? 'k1 desc' : 'k1, k2';
  return {
    name: `list-accounts-${order}-end`,
    text: `select * from (${LOOKED_AT[order]}) d order by ${inOrder} offset ${LOOKED_AT_MAX - 1} limit 1`,
  };
}

/** How many parameters its keys take. */
function ownParameters(order: ListOrder): number {
  return Math.max(...[...LOOKED_AT[order].matchAll(/\$(\d)/g)].map(([, place]) => Number(place)));
}

const QUERIES = new Map<ListOrder, { page: PreparedQuery; end: PreparedQuery }>();

function queriesOf(order: ListOrder) {
  let queries = QUERIES.get(order);
  if (queries === undefined) QUERIES.set(order, (queries = { page: pageQuery(order), end: endQuery(order) }));
  return queries;
}

type Key = { k1: string; k2?: string };

export interface AccountPage {
  accounts: ListedAccount[];
  /** Where the next page begins; undefined when the list has ended. */
  nextCursor: string | undefined;
}

/**
 * Lists accounts, created or not, in pages. A page scans a limited number of rows along the index of its order (`listOrderOf`). If
 * few of them match the other filters it is short or even empty, with a cursor to continue.
 */
export async function listAccounts(
  database: Queryable,
  filter: AccountFilter,
  { after, limit, sort }: { after: AccountCursor | undefined; limit: number; sort?: string },
): Promise<AccountPage> {
  const order = listOrderOf(filter, sort);
  const queries = queriesOf(order);
  const from = beginningOf(order, filter, after);
  const staged = momentsOf(filter.staged_from, filter.staged_to);
  const created = momentsOf(filter.created_from, filter.created_to);
  const { import_supplier: supplier, status, switch_status: switchStatus, refusal } = filter;
  const narrowed = [supplier, status, switchStatus, refusal].map((value) => value ?? null);
  const rows = await run<ListedAccount & Key>(database, queries.page, [
    ...from,
    ...narrowed,
    ...staged,
    ...created,
    limit + 1,
  ]);
  const page = rows.slice(0, limit);
  const last = rows.length > limit ? page.at(-1) : (await run<Key>(database, queries.end, from))[0];
  return { accounts: page.map(withoutKey), nextCursor: last === undefined ? undefined : cursorOf(keyOf(last)) };
}

/** The parameters of its keys: where the page begins, and where the list ends. */
function beginningOf(order: ListOrder, filter: AccountFilter, after: AccountCursor | undefined): unknown[] {
  if (isById(order)) {
    const { created_from: createdFrom, created_to: createdTo, staged_from: stagedFrom, staged_to: stagedTo } = filter;
    const moments = order === 'by-day-staged' ? momentsOf(stagedFrom, stagedTo) : momentsOf(createdFrom, createdTo);
    const [first, last] = idsBetween(moments);
    return [after?.[0] ?? last, first, ...(order === 'by-tariff' ? [filter.tariff] : [])];
  }
  const [supplier, external] = after ?? [filter.import_supplier ?? '', ''];
  const bounds = [supplier, external, filter.import_supplier ?? LAST_TEXT];
  return order === 'by-switch-status' ? [...bounds, filter.switch_status] : bounds;
}

function keyOf({ k1, k2 }: Key): AccountCursor {
  return k2 === undefined ? [k1] : [k1, k2];
}

function withoutKey({ k1: _k1, k2: _k2, refusal_codes: codes, ...listed }: ListedAccount & Key): ListedAccount {
  return { ...listed, refusal_codes: [...new Set(codes)] };
}

const check = compileOperatorBody<AccountFilter>(accountFilterSchema);

/** Names of the filters, in the order in which they are shown. */
export const accountFilters = Object.keys(accountFilterSchema.properties) as (keyof AccountFilter)[];

const isDayFilter = (name: string) => name.endsWith('_from') || name.endsWith('_to');

/** Reads filters and cursor of a query; other parameters are left to others. @returns a refusal with every fault */
export function readAccountFilter(
  query: URLSearchParams,
  sort?: string,
): { filter: AccountFilter; after: AccountCursor | undefined } | Refused {
  const sent = accountFilters.flatMap((name) => {
    const value = query.get(name)?.trim();
    return value ? [[name, isDayFilter(name) ? dayInRange(value) : value]] : [];
  });
  const filter = check(Object.fromEntries(sent));
  if (isRefused(filter)) return filter;
  const cursor = query.get('cursor') || undefined;
  const after = cursor === undefined ? undefined : cursorIn(cursor, listOrderOf(filter, sort));
  if (cursor !== undefined && after === undefined) {
    const detail = 'The cursor is not valid. Use the one of the previous page, with the same filters.';
    return refuse('validation_failed', { violations: [violation('invalid', ['cursor'], detail)] });
  }
  return { filter, after };
}
