import { count, moment, table } from '../frame/elements.ts';
import { html, type Html, type Part } from '../frame/html.ts';
import { textOf, type Stored } from './stored.ts';

/** Rows of a list that are shown at once: an account may have thousands of each. */
const SHOWN = 100;

/** Where each list of the page stands: those that were turned to a later part are named in the address. */
export interface ListPlace {
  /** Path of the page. */
  at: string;
  /** First row that is shown, by list. */
  turned: ReadonlyMap<string, number>;
}

const FROM = 'from-';

/** Reads from the address which lists were turned to where. */
export function listPlaceOf(query: URLSearchParams, at: string): ListPlace {
  const given = [...query].filter(([name, from]) => name.startsWith(FROM) && /^\d{1,7}$/.test(from));
  return { at, turned: new Map(given.map(([name, from]) => [name.slice(FROM.length), Number(from)])) };
}

/**
 * The part of a list that is shown, and the links to its other parts.
 * @param title of the list, once on the page; it stands in addresses, so it names nobody
 */
export function partOfList<Row>(
  title: string,
  rows: readonly Row[],
  place: ListPlace,
  most = SHOWN,
): { shown: readonly Row[]; from: number; links: Html } {
  if (rows.length <= most) return { shown: rows, from: 0, links: html`` };
  const name = anchorOf(title);
  const wanted = place.turned.get(name) ?? 0;
  const from = wanted < rows.length ? wanted : 0;
  const to = Math.min(from + most, rows.length);
  const link = (words: string, start: number) => html`<a href="${addressOf(name, start, place)}">${words}</a>`;
  const links = html`<p class="row">
    <span>${count(from + 1)} to ${count(to)} of ${count(rows.length)}</span>
    ${from > 0 && link('Previous', Math.max(0, from - most))} ${to < rows.length && link('Next', to)}
  </p>`;
  return { shown: rows.slice(from, to), from, links };
}

function addressOf(name: string, from: number, { at, turned }: ListPlace): string {
  const query = new URLSearchParams();
  for (const [list, first] of new Map([...turned, [name, from]])) query.set(FROM + list, String(first));
  return `${at}?${query}#${name}`;
}

/** What a link within the page leads to. */
function anchorOf(title: string): string {
  return title.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-');
}

/** Names and what stands for them; what there is not is left out. */
export function pairs(all: readonly (readonly [string, Part])[]): Html {
  const known = all.filter(([, value]) => value !== undefined && value !== '' && value !== false);
  return html`<dl class="pairs">
    ${known.map(
      ([name, value]) =>
        html`<dt>${name}</dt>
          <dd>${value}</dd>`,
    )}
  </dl>`;
}

/** A column of a list: a member of its rows, or a heading and what stands below it. */
type Column = string | readonly [heading: string, cell: (row: Stored) => Part];

/** Rows as a table; nothing where there are none. Members that no row has are left out. `title` is once on the page. */
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

/** An instant to the second; everything else as it is. */
function valueOf(text: string | undefined): Part {
  return text !== undefined && /^\d{4}-\d\d-\d\dT[\d:.]+Z$/.test(text) ? moment(text) : text;
}
