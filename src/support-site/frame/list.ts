import { csvHead, csvLine } from '../../foundation/csv.ts';
import { recordAudit } from '../../access/index.ts';
import { buttonLink, count, link } from './cells.ts';
import { buttonOf, filterForm, hiddenFields, inlineField, type Field, type Form } from './forms.ts';
import { element, html, type Html } from './html.ts';
import { t } from './language.ts';
import { chosenView, viewForm } from './list-view.ts';
import { page, type Page, type PageRequest } from './page.ts';
import { table, type Column } from './parts.ts';
import { addressOf } from './paths.ts';
import { isForSuppliers } from './supplier-pages.ts';

/**
 * A column of a list: its title, the content of its cells, their class, and the value in files, which is the member of the
 * column's name by default. Columns without a title hold actions: they are not in files, and cannot be hidden.
 */
export type ListColumn<Row> = readonly [
  title: string,
  cell: Column<Row>[1],
  look?: Column<Row>[2],
  value?: (row: Row) => unknown,
];

/** What a page of a list shows. */
interface ListWindow {
  /** One of `sorts`; empty if there are none. */
  sort: string;
  cursor: string | undefined;
  limit: number;
}

/** The rows of a page, and the cursor of the next one. */
interface ListRows<Row> {
  rows: readonly Row[];
  next?: string | null | undefined;
}

/** A list as data. */
export interface List<Row> {
  /** Names its file, its columns of choice, and its entry in the audit. */
  name: string;
  /** Its page; the file is at the same path with `.csv`. */
  path: string;
  label: string;
  /** By name. The first one cannot be hidden. */
  columns: Readonly<Record<string, ListColumn<Row> | false>>;
  /**
   * Columns that an index sorts, `-` before those with the highest value first; the first is the default. Only such orders: a page must not
   * read the whole table.
   */
  sorts?: readonly string[];
  /** Reads a page. */
  read: (window: ListWindow) => Promise<ListRows<Row>>;
  empty: string;
  selection?: Selection<Row> | false;
  /** The action in the audit when its file is downloaded; false without a file. */
  exported?: string | false;
}

/** Rows that can be selected, and the form for the selected ones. */
interface Selection<Row> {
  /** The name of the field with the selected values. */
  name: string;
  /** The value of a row, and its name for screen readers; false for rows that cannot be selected. */
  of(row: Row): readonly [value: string, label: string] | false;
  form: Omit<Form, 'look'>;
  /** The page that previews the action on everything that matches the filter, and its words. */
  all?: readonly [address: string, words: string] | false;
}

/** Query parameters that are not filters. */
const NOT_FILTERS = ['cursor', 'sort'];

/** The filters of an address. */
const filtersOf = ({ query }: PageRequest) =>
  Object.fromEntries([...query].filter(([name, value]) => !NOT_FILTERS.includes(name) && value !== ''));

/** The form that filters a list; it keeps the order. */
export function listFilter(request: PageRequest, path: string, fields: readonly (Field | Html | false)[]): Html {
  const names = fields.map((one) => (one !== false && 'name' in one ? one.name : ''));
  const kept = Object.entries({ ...filtersOf(request), sort: request.query.get('sort') ?? '' });
  const hidden = Object.fromEntries(kept.filter(([name, value]) => !names.includes(name) && value !== ''));
  const isFiltered = names.some((name) => request.query.get(name));
  const more = isFiltered && link(path, t('Remove filters'));
  return filterForm({
    action: path,
    id: 'filter',
    fields,
    hidden,
    button: t('Show'),
    more,
    look: 'filters',
    search: true,
  });
}

/** A page of a list, with its order, columns of choice, selection, file and links to other pages. */
export async function listPart<Row>(request: PageRequest, list: List<Row>): Promise<Html> {
  const { path, exported } = list;
  const filters = filtersOf(request);
  const view = chosenView(request, list.name);
  const { sorts = [], read } = list;
  const sort = sortIn(request, sorts);
  const cursor = request.query.get('cursor') || undefined;
  const { rows, next } = await read({ sort, cursor, limit: view.size });
  const kept = { ...filters, sort: sort === sorts[0] ? '' : sort };
  const named = Object.entries(list.columns).filter((one): one is [string, ListColumn<Row>] => one[1] !== false);
  const columns = named
    .filter(([name, [title]], place) => place === 0 || title === '' || !view.hidden.has(name))
    .map(([name, column]) => columnOf(name, column, sorts, sort, (to) => addressOf(path, { ...filters, sort: to })));
  const empty = next ? t('No row on this page matches. The list continues on the next page.') : list.empty;
  const hasFile = exported !== false && (!request.viewer || isForSuppliers({ method: 'GET', path: `${path}.csv` }));
  const file = html`<a download href="${addressOf(`${path}.csv`, kept)}">${t('Download as CSV')}</a>`;
  const titles = named.slice(1).flatMap(([name, [title]]) => (title === '' ? [] : [[name, title] as const]));
  return html`<div class="list">
    <div class="list-bar">${hasFile && file} ${viewForm(request, list.name, titles, view, addressOf(path, kept))}</div>
    ${selectable(request, list, rows, columns, empty, addressOf(path, filters))}
    ${
      (cursor !== undefined || next) &&
      html`<p class="row">
        ${cursor !== undefined && buttonLink(addressOf(path, kept), t('First page'))}
        ${next && buttonLink(addressOf(path, { ...kept, cursor: next }), t('Next page'))}
      </p>`
    }
  </div>`;
}

function sortIn({ query }: PageRequest, sorts: readonly string[]): string {
  const sent = query.get('sort');
  return sorts.find((one) => one === sent) ?? sorts[0] ?? '';
}

const columnIn = (sort: string) => sort.replace(/^-/, '');

/** The column with its head, which sorts by a click: first in its first order, then in the other one. */
function columnOf<Row>(
  name: string,
  [title, cell, look]: ListColumn<Row>,
  sorts: readonly string[],
  sort: string,
  addressBy: (sort: string) => string,
): Column<Row> {
  const own = sorts.filter((one) => columnIn(one) === name);
  const isSorted = own.includes(sort);
  const to = isSorted ? own.find((one) => one !== sort) : own[0];
  const sorted = isSorted ? (sort.startsWith('-') ? 'descending' : 'ascending') : undefined;
  return [to === undefined ? title : link(addressBy(to), title), cell, look, { title, sorted }];
}

/** The table, in a form if rows can be selected. The script counts the selected rows, and keeps them on other pages of the list. */
function selectable<Row>(
  { formToken }: PageRequest,
  { label, selection }: List<Row>,
  rows: readonly Row[],
  columns: readonly Column<Row>[],
  empty: string,
  marks: string,
): Html {
  if (!selection || rows.length === 0) return table(label, rows, columns, empty);
  const { name, of, form: spec, all } = selection;
  const box = (row: Row) => {
    const [value, described] = of(row) || [];
    const attributes = { type: 'checkbox', name, value, 'aria-label': t('Select {row}', { row: described ?? '' }) };
    return value !== undefined && element('input', attributes);
  };
  const whole = html`<input type="checkbox" data-marks-all="${name}" aria-label="${t('Select all on this page')}" />`;
  return html`<form method="post" action="${spec.action}" data-marks="${marks}">
    ${formToken}${hiddenFields(spec.hidden)} ${table(label, rows, [[whole, box], ...columns], empty)}
    <p class="row marks">
      <output data-marked></output> ${(spec.fields ?? []).map(inlineField)} ${buttonOf(spec)}
      ${all && buttonLink(...all)}
    </p>
  </form>`;
}

function valueOf<Row>(row: Row, name: string, column: ListColumn<Row> | false): unknown {
  if (column === false || column[0] === '') return undefined;
  return column[3] === undefined ? (row as Record<string, unknown>)[name] : column[3](row);
}

/** Rows of a file at most; a spreadsheet cannot open more. */
export const FILE_ROWS_MAX = 1_000_000;
const FILE_PAGE_SIZE = 1_000;

/** The file of a list: all of its columns, with the filters and the order of the page. Audited, because it is large. */
export function filePage<Row>(path: string, listOf: (request: PageRequest) => List<Row> | Promise<List<Row>>): Page {
  return page(
    `${path}.csv`,
    async (request) => {
      const list = await listOf({ ...request, database: request.lists });
      const { sorts = [], read } = list;
      const sort = sortIn(request, sorts);
      const readPage = (cursor: string | undefined) => read({ sort, cursor, limit: FILE_PAGE_SIZE });
      // The first page rejects invalid filters.
      const first = await readPage(undefined);
      const action = list.exported || 'list.exported';
      await recordAudit(request.database, request.actor, { action, subject: list.name, after: filtersOf(request) });
      return { download: `${list.name}.csv`, type: 'text/csv', content: linesOf(list, first, readPage) };
    },
    { isLong: true },
  );
}

async function* linesOf<Row>(
  { columns }: List<Row>,
  first: ListRows<Row>,
  read: (cursor: string) => Promise<ListRows<Row>>,
): AsyncGenerator<string> {
  const named = Object.entries(columns).filter(([, column]) => column !== false && column[0] !== '');
  yield csvHead(named.map(([name]) => name));
  let found = first;
  for (let written = 0; ; found = await read(found.next)) {
    yield found.rows
      .map((row) => csvLine(named.map(([name, column]) => csvCellOf(valueOf(row, name, column)))))
      .join('');
    written += found.rows.length;
    if (!found.next || written >= FILE_ROWS_MAX) return;
  }
}

function csvCellOf(value: unknown): string | number | null {
  if (value === null || value === undefined) return null;
  if (Array.isArray(value)) return value.join(' ');
  if (value instanceof Date) return value.toISOString();
  return typeof value === 'number' || typeof value === 'string' ? value : JSON.stringify(value);
}

/** The number of matching rows in words. */
export function matchingText(matched: number): string {
  return `${count(matched)} ${matched === 1 ? 'item matches' : 'items match'}`;
}
