import { csvHead, csvLine } from '../../foundation/csv.ts';
import { recordAudit } from '../../access/index.ts';
import { buttonLink, count, link, moment } from './cells.ts';
import { buttonOf, filterForm, hiddenFields, inlineField, type Field, type Form, form } from './forms.ts';
import { element, html, type Html, type Part } from './html.ts';
import { t } from './language.ts';
import { invalid, page, polledPart, type Page, type PageRequest, handler, type PageAnswer } from './page.ts';
import { livePart, table, type Column } from './parts.ts';
import { addressOf, LIST_VIEW } from './paths.ts';
import { isForSuppliers } from './supplier-pages.ts';
import { pathWithin } from './form-checks.ts';

/**
 * A column of a list: its title, the content of its cells, their class, and the value in files. Content and value are the member of the
 * column's name by default. Columns without a title hold actions: they are not in files, and cannot be hidden.
 */
export type ListColumn<Row> = readonly [
  title: string,
  cell?: Column<Row>[1] | undefined,
  look?: Column<Row>[2],
  value?: (row: Row) => unknown,
];

/** A column of numbers. */
export const numbers = <Row>(title: string, of: (row: Row) => number): ListColumn<Row> => [
  title,
  (row) => count(of(row)),
  'number',
  of,
];

/** What a page of a list shows. */
interface ListWindow {
  /** One of `sorts`; empty if there are none. */
  sort: string;
  cursor: string | undefined;
  limit: number;
  /** The filters and the cursor, as calls of the operator API read them. */
  query: URLSearchParams;
}

/** The rows of a page, the cursor of the next one, and a note below them. */
interface ListRows<Row> {
  rows: readonly Row[];
  next?: string | null | undefined;
  note?: Part;
}

/** A list as data. */
export interface List<Row> {
  /** Names its file, its columns of choice, its live part, and its entry in the audit. */
  name: string;
  /** The path of its page with names of parameters, if it has some. */
  route?: string;
  /** Its page; the file is at the same path with `.csv`, the live part at `/list` below it. */
  path: string;
  label: string;
  /** The fields of the form that filters it. */
  filters?: readonly (Field | Html | false)[] | false;
  /** By name. The first one cannot be hidden. */
  columns: Readonly<Record<string, ListColumn<Row> | false>>;
  /**
   * Columns that an index sorts, `-` before those with the highest value first; the first is the default. Only such orders: a page must not
   * read the whole table.
   */
  sorts?: readonly string[];
  /** The form of its cursors, if `read` does not check them. */
  cursors?: RegExp;
  /** Reads a page. */
  read: (window: ListWindow) => Promise<ListRows<Row>>;
  empty: string;
  selection?: Selection<Row> | false;
  /** The columns of its file, if they are others than those of the page: members of the rows, and names with their values. */
  file?: readonly ((keyof Row & string) | readonly [name: string, value: (row: Row) => unknown])[];
  /** The action in the audit when its file is downloaded; false without a file. */
  exported?: string | false;
  /** Whether its rows can also be downloaded as JSON lines. */
  hasJson?: boolean;
  /** Whether its rows refresh. Selected rows would not stay selected. */
  isLive?: boolean;
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
const filtersOf = ({ query }: Pick<PageRequest, 'query'>) =>
  Object.fromEntries([...query].filter(([name, value]) => !NOT_FILTERS.includes(name) && value !== ''));

/** The pages of a list. */
interface ListPages<Row> {
  path: string;
  title: (request: PageRequest, list: List<Row>) => string;
  list: (request: PageRequest) => List<Row> | Promise<List<Row>>;
  isLive?: boolean;
  /** What the page shows around the list. */
  body?: (request: PageRequest, list: Html) => Html | Promise<Html>;
}

/** The page of a list, its live part, and its file. */
export function listPages<Row>({
  path,
  title,
  list,
  isLive = false,
  body = (_, shown) => shown,
}: ListPages<Row>): Page[] {
  const read = async (request: PageRequest) => ({ ...(await list(request)), isLive, route: path });
  const show = async (request: PageRequest) => {
    const one = await read(request);
    return { title: title(request, one), body: await body(request, await listPart(request, one)) };
  };
  const refresh = polledPart(`${path}/list`, async (request) => rowsPart(request, await read(request)));
  // The file comes first, because a page with parameters may match its path too.
  return [filePage(path, list), page(path, show), ...(isLive ? [refresh] : [])];
}

/** The form that filters a list; it keeps the order. On a phone it is folded until a filter is set, so that the list is not below it. */
export function listFilter(request: PageRequest, path: string, fields: readonly (Field | Html | false)[]): Html {
  const names = fields.map((one) => (one !== false && 'name' in one ? one.name : ''));
  const kept = Object.entries({ ...filtersOf(request), sort: request.query.get('sort') ?? '' });
  const hidden = Object.fromEntries(kept.filter(([name, value]) => !names.includes(name) && value !== ''));
  // The query names an import supplier that a person did not choose, if the person may see only one.
  const open = Object.keys(filtersOf({ query: new URL(request.here, 'http://site.invalid').searchParams })).length > 0;
  const form = { action: path, id: 'filter', fields, hidden, button: t('Show') } as const;
  const more = open && link(path, t('Remove filters'));
  const content = filterForm({ ...form, more, look: 'filters', search: true });
  return element(
    'details',
    { class: 'filtering', open },
    html`<summary>${t('Filters')}</summary>
      ${content}`,
  );
}

/** A page of a list, with its filters, order, columns of choice, selection, files and links to other pages. */
export async function listPart<Row>(request: PageRequest, list: List<Row>): Promise<Html> {
  const { path, route = path, exported, filters, hasJson } = list;
  const kept = keptIn(request, list);
  const hasFile = exported !== false && (!request.viewer || isForSuppliers({ method: 'GET', path: `${route}.csv` }));
  const file = (form: string, words: string) =>
    html`<a download href="${addressOf(`${path}.csv`, { ...kept, form })}">${words}</a>`;
  return html`${filters && listFilter(request, path, filters)}
    <div class="list">
      <div class="list-bar">
        ${hasFile && file('', t('Download as CSV'))} ${hasFile && hasJson && file('ndjson', t('JSON lines'))}
        ${viewForm(request, list.name, titledOf(list).slice(1), addressOf(path, kept))}
      </div>
      ${await rowsPart(request, list)}
    </div>`;
}

/** The filters of a list, and its order if it is not the default. */
function keptIn<Row>(request: PageRequest, { sorts = [] }: List<Row>): Record<string, string> {
  const sort = sortIn(request, sorts);
  return { ...filtersOf(request), sort: sort === sorts[0] ? '' : sort };
}

function columnsOf<Row>({ columns }: Pick<List<Row>, 'columns'>): [string, ListColumn<Row>][] {
  return Object.entries(columns).filter((one): one is [string, ListColumn<Row>] => one[1] !== false);
}

/** The columns with a title. */
const titledOf = <Row>(list: List<Row>) => columnsOf(list).filter(([, [title]]) => title !== '');

/** Rows with the columns of a list, on the page of something else. */
export function listTable<Row>(label: string, rows: readonly Row[], columns: List<Row>['columns'], empty?: string) {
  const shown = columnsOf({ columns }).map(([name, column]) => columnOf(name, column, [], '', () => ''));
  return table(label, rows, shown, empty);
}

function windowOf<Row>(request: PageRequest, list: List<Row>, limit: number, cursor?: string): ListWindow {
  const { sorts = [], cursors } = list;
  if (cursor !== undefined && cursors?.test(cursor) === false) invalid('The cursor is not valid.');
  const query = new URLSearchParams({ ...filtersOf(request), ...(cursor && { cursor }) });
  return { sort: sortIn(request, sorts), cursor, limit, query };
}

/** The rows of a page with the links to other pages; refreshes if the list does. */
async function rowsPart<Row>(request: PageRequest, list: List<Row>): Promise<Html> {
  const { path, sorts = [], name } = list;
  const filters = filtersOf(request);
  const { size, hidden } = chosenView(request, name);
  const cursor = request.query.get('cursor') || undefined;
  const window = windowOf(request, list, size, cursor);
  const { rows, next, note } = await list.read(window);
  const kept = keptIn(request, list);
  const columns = columnsOf(list)
    .filter(([column, [title]], place) => place === 0 || title === '' || !hidden.has(column))
    .map(([column, shown]) =>
      columnOf(column, shown, sorts, window.sort, (to) => addressOf(path, { ...filters, sort: to })),
    );
  const empty = next ? t('No row on this page matches. The list continues on the next page.') : list.empty;
  const body = html`${selectable(request, list, rows, columns, empty, addressOf(path, filters))}
  ${
    (cursor !== undefined || next) &&
    html`<p class="row">
      ${cursor !== undefined && buttonLink(addressOf(path, kept), t('First page'))}
      ${next && buttonLink(addressOf(path, { ...kept, cursor: next }), t('Next page'))}
    </p>`
  }
  ${note} ${list.isLive && html`<p class="fine">${t('As of {time}.', { time: moment(request.now) })}</p>`}`;
  if (!list.isLive) return body;
  return livePart({ id: name, label: list.label, from: addressOf(`${path}/list`, { ...kept, cursor }) }, body);
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
  return [title, cell ?? ((row) => memberOf(row, name) as Part), look, { to: to && addressBy(to), sorted }];
}

const memberOf = <Row>(row: Row, name: string): unknown => (row as Record<string, unknown>)[name];

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

/** Rows of a file at most; a spreadsheet cannot open more. */
export const FILE_ROWS_MAX = 1_000_000;
const FILE_PAGE_SIZE = 1_000;

/** The file of a list: all of its columns, or its rows as JSON lines, with the filters and the order of the page. Audited, because it is large. */
export function filePage<Row>(path: string, listOf: (request: PageRequest) => List<Row> | Promise<List<Row>>): Page {
  return page(
    `${path}.csv`,
    async (request) => {
      const list = await listOf({ ...request, database: request.lists });
      const readPage = (cursor?: string) => list.read(windowOf(request, list, FILE_PAGE_SIZE, cursor));
      const format = formatIn(request.query.get('form') || 'csv', list);
      // The first page rejects invalid filters.
      const first = await readPage(request.query.get('cursor') || undefined);
      const action = list.exported || 'list.exported';
      await recordAudit(request.database, request.actor, { action, subject: list.name, after: filtersOf(request) });
      const content = linesOf(format, first, readPage);
      return { download: `${list.name}.${format.form}`, type: format.type, content };
    },
    { isLong: true },
  );
}

const jsonLine = (value: unknown): string => `${JSON.stringify(value)}\n`;

/** How a file is written: as JSON lines or CSV, and the line after which more rows follow. */
function formatIn<Row>(form: string, list: List<Row>) {
  if (form === 'ndjson' && list.hasJson) {
    const more = (cursor: string) => jsonLine({ next_cursor: cursor });
    return { form, type: 'application/x-ndjson', head: '', line: jsonLine, more } as const;
  }
  if (form !== 'csv') invalid('There is no file of this form.');
  const columns =
    list.file?.map((one) => (typeof one === 'string' ? ([one, undefined] as const) : one)) ??
    titledOf(list).map(([name, { 3: value }]) => [name, value] as const);
  const line = (row: Row) =>
    csvLine(columns.map(([name, value]) => csvCellOf(value ? value(row) : memberOf(row, name))));
  const more = (cursor: string) => csvLine([`There are more rows. Download them with cursor=${cursor}`]);
  return { form, type: 'text/csv', head: csvHead(columns.map(([name]) => name)), line, more } as const;
}

async function* linesOf<Row>(
  { head, line, more }: ReturnType<typeof formatIn<Row>>,
  first: ListRows<Row>,
  read: (cursor: string) => Promise<ListRows<Row>>,
): AsyncGenerator<string> {
  if (head !== '') yield head;
  let found = first;
  for (let written = 0; ; found = await read(found.next)) {
    yield found.rows.map(line).join('');
    written += found.rows.length;
    if (!found.next) return;
    if (written >= FILE_ROWS_MAX) return yield more(found.next);
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

/** A page of rows, of which one more was read to know whether there is a next page. */
export function pageOf<Row>(found: readonly Row[], limit: number, cursorOf: (row: Row) => string): ListRows<Row> {
  const rows = found.slice(0, limit);
  return { rows, next: found.length > limit ? cursorOf(rows.at(-1)!) : undefined };
}

/** A page of rows that are all in memory; the cursor is a position. */
export function pageIn<Row>(rows: readonly Row[], { cursor = '0', limit }: ListWindow): ListRows<Row> {
  const from = Number(cursor);
  return pageOf(rows.slice(from, from + limit + 1), limit, () => String(from + limit));
}

/** The form of cursors that are positions or numbered keys, and of those that are ids. */
export const NUMBERS = /^\d{1,18}$/;
export const IDS = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/;

/** Rows per page to choose from. */
const SIZES = ['25', '50', '100', '200'] as const;
const DEFAULT_SIZE = '50';
const NAME = /^[a-z][a-z0-9_-]{0,60}$/;

/** Stores the choice of a person in a cookie of their browser. */
export const listViewPages = [handler(LIST_VIEW, 'look', saveView)];

/** The choice of a person for a list. */
interface ListView {
  size: number;
  hidden: ReadonlySet<string>;
}

/** Reads the choice of the person. */
function chosenView({ savedView }: PageRequest, list: string): ListView {
  const [size, ...hidden] = (savedView(list) ?? '').split('.');
  return { size: Number(SIZES.find((one) => one === size) ?? DEFAULT_SIZE), hidden: new Set(hidden) };
}

/** The form with the columns of a list that can be hidden, and the rows per page. @param back the address to return to */
function viewForm(
  request: PageRequest,
  list: string,
  columns: readonly (readonly [name: string, column: readonly [title: string, ...unknown[]]])[],
  back: string,
): Html {
  const { size, hidden } = chosenView(request, list);
  const boxes = columns.map(([name, [title]]) => {
    const box = element('input', { type: 'checkbox', name: 'column', value: name, checked: !hidden.has(name) });
    return html`<label class="check">${box} ${title}</label>`;
  });
  return html`<details class="view">
    <summary>${t('Columns and rows')}</summary>
    ${form(request, {
      action: LIST_VIEW,
      id: `view-${list}`,
      hidden: { list, back, all: columns.map(([name]) => name).join(' ') },
      fields: [...boxes, { label: t('Rows per page'), name: 'size', value: String(size), options: SIZES }],
      button: t('Apply'),
      look: 'plain',
    })}
  </details>`;
}

function saveView({ form: sent }: PageRequest): PageAnswer {
  const list = sent.get('list') ?? '';
  const all = (sent.get('all') ?? '').split(' ').filter((name) => name !== '');
  const size = SIZES.find((one) => one === sent.get('size')) ?? DEFAULT_SIZE;
  if (![list, ...all].every((name) => NAME.test(name))) invalid('Reload the page and choose the columns again.');
  const shown = new Set(sent.getAll('column'));
  const hidden = all.filter((name) => !shown.has(name)).slice(0, 30);
  return { redirect: pathWithin(sent.get('back')), view: { list, value: [size, ...hidden].join('.') } };
}
