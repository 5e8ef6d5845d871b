import { count, moment, table } from '../frame/elements.ts';
import { html, type Html, type Part } from '../frame/html.ts';
import { textOf, type Stored } from './stored.ts';

/** Rows of a list on one page: an account may have thousands of each. */
const SHOWN = 100;

/** The page of each list. The address can name one list that is not on its first page. */
export interface ListPlace {
  /** Path of the page. */
  at: string;
  /** Name of the list that is not on its first page. */
  list: string | null;
  /** The first row that is shown. */
  from: number;
}

export function listPlaceOf(query: URLSearchParams, at: string): ListPlace {
  const from = query.get('from') ?? '';
  return { at, list: query.get('list'), from: /^\d{1,7}$/.test(from) ? Number(from) : 0 };
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
): { shown: readonly Row[]; from: number; links: Html } {
  if (rows.length <= most) return { shown: rows, from: 0, links: html`` };
  const from = place.list === name && place.from < rows.length ? place.from : 0;
  const to = Math.min(from + most, rows.length);
  const link = (words: string, start: number) => html`<a href="${addressOf(name, start, place.at)}">${words}</a>`;
  const links = html`<p class="row">
    <span>${count(from + 1)} to ${count(to)} of ${count(rows.length)}</span>
    ${from > 0 && link('Previous', Math.max(0, from - most))} ${to < rows.length && link('Next', to)}
  </p>`;
  return { shown: rows.slice(from, to), from, links };
}

function addressOf(name: string, from: number, at: string): string {
  return `${at}?${new URLSearchParams({ list: name, from: String(from) })}#${anchorOf(name)}`;
}

function anchorOf(name: string): string {
  return name.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-');
}

/** A column of a list: a member of its rows, or a heading with a function for its cells. */
type Column = string | readonly [heading: string, cell: (row: Stored) => Part];

/** Rows as a table without the columns that no row fills; empty for no rows. `title` is unique on the page. */
export function listOf(title: string, rows: readonly Stored[], columns: readonly Column[], place: ListPlace): Html {
  if (rows.length === 0) return html``;
  const used = columns.filter((one) => typeof one !== 'string' || rows.some((row) => textOf(row, one) !== undefined));
  const heads = used.map((one) => (typeof one === 'string' ? one.replaceAll('_', ' ') : one[0]));
  const { shown, links } = partOfList(title, rows, place);
  const body = shown.map(
    (row) =>
      html`<tr>
        ${used.map((one) => html`<td>${typeof one === 'string' ? valueOf(textOf(row, one)) : one[1](row)}</td>`)}
      </tr>`,
  );
  return html`<h4 id="${anchorOf(title)}">${title}</h4>
    ${table(title, heads, body)} ${links}`;
}

/** A timestamp as local time; every other text unchanged. */
function valueOf(text: string | undefined): Part {
  return text !== undefined && /^\d{4}-\d\d-\d\dT[\d:.]+Z$/.test(text) ? moment(text) : text;
}
