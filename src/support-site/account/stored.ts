import { calendarDay, t } from '../frame/language.ts';
import { isDay } from '../../vocabulary/wire-forms.ts';
import { euros, labelOf, readableLine } from '../frame/readable.ts';
import { link, moment } from '../frame/cells.ts';
import { table, type Column } from '../frame/parts.ts';
import { html, type Html, type Part } from '../frame/html.ts';
import type { PageRequest } from '../frame/page.ts';

/** Stored data of an account or business with numbers as text, so that they keep their digits. */
export interface Stored {
  readonly [member: string]: StoredValue;
}
type StoredValue = string | boolean | null | Stored | readonly StoredValue[];

/** A JSON string, or a number outside of strings. */
const TEXT_OR_NUMBER = /"[^"\\]*(?:\\.[^"\\]*)*"|-?\d[\d.eE+-]*/g;
const QUOTE = 34;

/** Parses JSON and keeps numbers as text. Quoting them first takes half the time of a reviver. */
export function readStored(json: string): Stored {
  const quoted = json.replace(TEXT_OR_NUMBER, (token) => (token.charCodeAt(0) === QUOTE ? token : `"${token}"`));
  return JSON.parse(quoted) as Stored;
}

/** A member as text; undefined if it is absent or empty. */
export function textOf(of: Stored | undefined, member: string): string | undefined {
  const value = of?.[member];
  if (value === null || value === undefined || value === '') return undefined;
  return typeof value === 'object' ? readableLine(value, Infinity) : String(value);
}

/** The rows of a list; empty if the member is not a list. */
export function rowsOf(of: Stored | undefined, member: string): Stored[] {
  const value = of?.[member];
  return Array.isArray(value) ? (value as Stored[]) : [];
}

/** An object member; undefined for other values. */
export function below(of: Stored | undefined, member: string): Stored | undefined {
  const value = of?.[member];
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Stored) : undefined;
}

/** Rows of a list on one page: an account may have thousands of each. */
const SHOWN = 100;

/** What all parts of the page of an account show. */
export interface ShownAccount {
  /** All that is stored. */
  view: Stored;
  /** Undefined before it is created. */
  account: Stored | undefined;
  /** The account, or its staged payload before it is created. */
  data: Stored;
  /** Path of the account. */
  at: string;
  place: ListPlace;
  request: PageRequest;
  /** Whether a supply point is also on another account. */
  isOnTwoAccounts: boolean;
}

/** The page of each list. The address can name one list that is not on its first page. */
export interface ListPlace {
  /** Path of the page. */
  at: string;
  /** Path of the account, which its forms belong to. */
  account: string;
  /** Name of the list that is not on its first page. */
  list: string | null;
  /** The first row that is shown. */
  from: number;
}

export function listPlaceOf(query: URLSearchParams, account: string, at = account): ListPlace {
  const from = query.get('from') ?? '';
  return { at, account, list: query.get('list'), from: /^\d{1,7}$/.test(from) ? Number(from) : 0 };
}

/**
 * One page of a list, with the links to its other pages.
 * @param name of the list in the address, unique on the page
 */
export function partOfList<Row>(
  name: string,
  rows: readonly Row[],
  place: ListPlace,
  most = SHOWN,
): { shown: readonly Row[]; links: Part } {
  if (rows.length <= most) return { shown: rows, links: '' };
  const from = place.list === name && place.from < rows.length ? place.from : 0;
  const to = Math.min(from + most, rows.length);
  const page = (words: string, start: number) => link(addressOf(name, start, place.at), words);
  const links = html`<p class="row">
    <span>${t('{from} to {to} of {all}', { from: from + 1, to, all: rows.length })}</span>
    ${from > 0 && page(t('Previous'), Math.max(0, from - most))} ${to < rows.length && page(t('Next'), to)}
  </p>`;
  return { shown: rows.slice(from, to), links };
}

function addressOf(name: string, from: number, at: string): string {
  return `${at}?${new URLSearchParams({ list: name, from: String(from) })}#${anchorOf(name)}`;
}

function anchorOf(name: string): string {
  return name.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-');
}

/** One page of a table, with the links to its other pages. @param name of the list in the address, unique on the page */
function pagedTable<Row>(
  name: string,
  label: string,
  rows: readonly Row[],
  columns: readonly Column<Row>[],
  place: ListPlace,
): Html {
  const { shown, links } = partOfList(name, rows, place);
  return html`${table(label, shown, columns)} ${links}`;
}

/** Rows as a table without the columns that no row fills; empty for no rows. `title` is unique on the page. */
export function listOf(
  title: string,
  rows: readonly Stored[],
  columns: readonly (string | Column<Stored>)[],
  place: ListPlace,
): Part {
  if (rows.length === 0) return '';
  const used = columns.filter((one) => typeof one !== 'string' || rows.some((row) => textOf(row, one) !== undefined));
  const shown = used.map((one) => (typeof one === 'string' ? memberColumn(one) : one));
  return html`<h3 id="${anchorOf(title)}">${title}</h3>
    ${pagedTable(title, title, rows, shown, place)}`;
}

/** A member of the rows by the form of its values: timestamps and days as people write them, amounts in euros. */
function memberColumn(member: string): Column<Stored> {
  const isAmount = /(?:^|_)amount$/.test(member);
  return [labelOf(member), (row) => shownValue(textOf(row, member), isAmount), isAmount ? 'number' : undefined];
}

/** A stored value for people. */
export function shownValue(text: string | undefined, isAmount = false): Part {
  if (text === undefined) return undefined;
  if (isAmount) return euros(text);
  if (isDay(text)) return calendarDay(text);
  return /^\d{4}-\d\d-\d\dT[\d:.]+Z$/.test(text) ? moment(text) : text;
}
