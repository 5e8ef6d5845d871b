import { decodeTextCursor, encodeTextCursor } from '../foundation/keyset-pages.ts';
import { parisMidnight } from '../platform/clock.ts';
import { isDay } from '../vocabulary/wire-forms.ts';
import type { AccountFilter } from './account-list.schema.ts';

/**
 * The index that a list is read by; the other filters are applied to the rows that it returns. `by-tariff` and the two `by-day`
 * lists are sorted newest first, the others by import supplier and external number.
 */
export type ListOrder =
  | 'by-tariff'
  | 'by-day-created'
  | 'by-day-staged'
  | 'refused'
  | 'skipped'
  | 'staged'
  | 'by-switch-status'
  | 'created'
  | 'all';

/** The key of the last account of a page: import supplier and external number, or the time-ordered id. */
export type AccountCursor = readonly [importSupplier: string, external: string] | readonly [id: string];

const BY_ID: ReadonlySet<ListOrder> = new Set(['by-tariff', 'by-day-created', 'by-day-staged']);

/** Whether a list is ordered by its time-ordered ids, newest first. */
export function isById(order: ListOrder): boolean {
  return BY_ID.has(order);
}

/** How people sort a list: by import supplier and external number, or newest first. */
export type AccountSort = 'external_account_number' | '-created_at' | '-staged_at';

/** The order of a list without a choice. */
export function defaultSortOf(filter: AccountFilter): AccountSort {
  const order = listOrderOf(filter);
  if (order === 'by-tariff' || order === 'by-day-created') return '-created_at';
  return order === 'by-day-staged' ? '-staged_at' : 'external_account_number';
}

/** The index with which the fewest rows are skipped, or that of the chosen order. A list by tariff has only one order. */
export function listOrderOf(filter: AccountFilter, sort = ''): ListOrder {
  const { tariff, created_from: createdFrom, created_to: createdTo, status, refusal } = filter;
  if (tariff !== undefined) return 'by-tariff';
  if (sort === '-created_at') return 'by-day-created';
  if (sort === '-staged_at') return 'by-day-staged';
  const isByNumber = sort === 'external_account_number';
  if (!isByNumber && (createdFrom !== undefined || createdTo !== undefined)) return 'by-day-created';
  if (!isByNumber && (filter.staged_from !== undefined || filter.staged_to !== undefined)) return 'by-day-staged';
  if (status === 'SKIPPED') return 'skipped';
  if (refusal !== undefined || status === 'REFUSED') return 'refused';
  if (status === 'STAGED') return 'staged';
  if (filter.switch_status !== undefined) return 'by-switch-status';
  return status === 'CREATED' ? 'created' : 'all';
}

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

/** A cursor as text of a query parameter. */
export function cursorOf(after: AccountCursor): string {
  return encodeTextCursor(after);
}

/** The cursor in an address; undefined if no page of this order ended there. */
export function cursorIn(text: string, order: ListOrder): AccountCursor | undefined {
  const parts = decodeTextCursor(text);
  if (parts === undefined || parts.some((part) => part.includes('\0'))) return undefined;
  const after = parts as unknown as AccountCursor;
  return (isById(order) ? after.length === 1 && UUID.test(after[0]) : after.length === 2) ? after : undefined;
}

const DAY_MS = 86_400_000;
const FIRST_ID = '00000000-0000-0000-0000-000000000000';
const LAST_ID = 'ffffffff-ffff-ffff-ffff-ffffffffffff';
/** Ids use the clocks of the service, timestamps the clock of the database. */
const CLOCKS_APART_MS = 3_600_000;

/**
 * The start of the first day and the end of the last one, in UTC; null without a bound. Timestamps (`filterInFrance`) are used as
 * they are.
 */
export function momentsOf(from: string | undefined, to: string | undefined): [string | null, string | null] {
  const moment = (day: string, daysOn: number) =>
    isDay(day) ? new Date(Date.parse(day) + daysOn * DAY_MS).toISOString() : day;
  return [from === undefined ? null : moment(from, 0), to === undefined ? null : moment(to, 1)];
}

/** The range of the ids that were created between two times, with a margin of an hour on both sides. */
export function idsBetween([from, before]: readonly [string | null, string | null]): [first: string, last: string] {
  return [
    from === null ? FIRST_ID : idAt(Date.parse(from) - CLOCKS_APART_MS),
    before === null ? LAST_ID : idAt(Date.parse(before) + CLOCKS_APART_MS),
  ];
}

/** The lowest id (UUID version 7) of a time. */
function idAt(ms: number): string {
  const hex = Math.max(0, ms).toString(16).padStart(12, '0');
  return `${hex.slice(0, 8)}-${hex.slice(8)}-0000-0000-000000000000`;
}

/** The same filter with its days as days in France. */
export function filterInFrance(filter: AccountFilter): AccountFilter {
  const bound = (name: 'staged_from' | 'staged_to' | 'created_from' | 'created_to') => {
    const day = filter[name];
    return day === undefined ? {} : { [name]: parisMidnight(day, name.endsWith('_to') ? 1 : 0).toISOString() };
  };
  return {
    ...filter,
    ...bound('staged_from'),
    ...bound('staged_to'),
    ...bound('created_from'),
    ...bound('created_to'),
  };
}
