import { recordAudit } from '../../access/index.ts';
import { cursorIn, listOrderOf } from '../../account-view/account-filter.rules.ts';
import type { AccountFilter, ListedAccount } from '../../account-view/account-list.schema.ts';
import { listAccounts, accountFilters, filterInFrance, readAccountFilter } from '../../account-view/index.ts';
import { findJobsWithCause } from '../../import-jobs/index.ts';
import type { Queryable } from '../../platform/database/prepared-query.ts';
import { supplierCodes } from '../../suppliers/index.ts';
import { importStatuses, type ImportStatus } from '../../vocabulary/account-list.ts';
import { switchStatuses } from '../../vocabulary/switch-statuses.ts';
import { switchBadge } from '../account/account-supply.ts';
import { csvHead, csvLine } from '../../foundation/csv.ts';
import { badge, buttonLink, code, count, link, moment } from '../frame/cells.ts';
import { table } from '../frame/parts.ts';
import { filterForm, type Field } from '../frame/forms.ts';
import { html, type Html, type Part } from '../frame/html.ts';
import { accepted, page, type PageAnswer, type PageRequest } from '../frame/page.ts';
import { accountPath, addressOf, jobPath } from '../frame/paths.ts';
import { recordsPath } from '../jobs/job-records.page.ts';

const PATH = '/accounts';
const FILE = `${PATH}.csv`;
const PAGE_SIZE = 50;

/** The list of accounts with its filters, and its download. */
export const accountListPages = [page(PATH, showList), page(FILE, download, { isLong: true })];

async function showList(request: PageRequest): Promise<PageAnswer> {
  const { filter, after } = accepted(readAccountFilter(request.query));
  const limits = { after, limit: PAGE_SIZE };
  const { accounts, nextCursor } = await listAccounts(request.database, filterInFrance(filter), limits);
  const body = html`${await filters(filter, request)} ${accountsTable(accounts, nextCursor !== undefined)}
    <p class="row">
      ${after !== undefined && buttonLink(addressOf(PATH, filter), 'First page')}
      ${nextCursor !== undefined && buttonLink(addressOf(PATH, { ...filter, cursor: nextCursor }), 'Next page')}
      <a class="button quiet" download href="${addressOf(FILE, filter)}">Download as CSV</a>
    </p>
    <p class="fine">
      Dates are days in France. A page scans at most 5,000 accounts, so it can be short when few of them match. The file
      has at most ${count(FILE_ACCOUNTS_MAX)} accounts.
    </p>
    ${after === undefined && (await rejectedInJobs(filter, request))}`;
  return { title: 'Accounts', body };
}

/** Jobs in which records failed with a code: such records need not have been staged. */
async function rejectedInJobs(
  { refusal, import_supplier: importSupplier }: AccountFilter,
  { database, viewer }: PageRequest,
): Promise<Part> {
  const jobs =
    refusal === undefined ? [] : await findJobsWithCause(database, { code: refusal, importSupplier }, viewer);
  if (jobs.length === 0) return '';
  return html`<section>
    <h2>Failed in import jobs</h2>
    ${table('Import jobs with this code', jobs, [
      ['Job', ({ jobId, jobName }) => link(jobPath(jobId), jobName ?? jobId)],
      ['Import supplier', (job) => job.importSupplier],
      [
        'Records',
        ({ jobId, records }) => link(recordsPath(jobId, 'failed', { code: refusal }), count(records)),
        'number',
      ],
    ])}
  </section>`;
}

async function download({ database, lists, query, actor }: PageRequest): Promise<PageAnswer> {
  const { filter } = accepted(readAccountFilter(query));
  // Without personal data, but audited because of its size.
  await recordAudit(database, actor, { action: 'accounts.exported', subject: 'accounts', after: filter });
  return { download: 'accounts.csv', type: 'text/csv', content: accountsCsv(lists, filterInFrance(filter)) };
}

/** The label of each filter. */
const LABELS: Record<keyof AccountFilter, string> = {
  import_supplier: 'Import supplier',
  status: 'Status',
  switch_status: 'Switch status',
  refusal: 'Rejection code',
  tariff: 'Tariff',
  staged_from: 'Staged from',
  staged_to: 'Staged to',
  created_from: 'Created from',
  created_to: 'Created to',
};

async function filters(filter: AccountFilter, { suppliers }: PageRequest): Promise<Html> {
  const choices: Partial<Record<keyof AccountFilter, readonly string[]>> = {
    import_supplier: await supplierCodes(suppliers),
    status: Object.keys(importStatuses),
    switch_status: Object.keys(switchStatuses),
  };
  const names = new Map<string, string>(Object.entries(STATUS_NAMES));
  const fields = accountFilters.map((name): Field => {
    const value = filter[name];
    const field = { label: LABELS[name], name, value };
    const options = choices[name];
    const isDay = name.endsWith('_from') || name.endsWith('_to');
    if (options === undefined) return { ...field, type: isDay ? 'date' : 'text', maxlength: 255 };
    const all = new Set([...options, ...(value === undefined ? [] : [value])]);
    return { ...field, options: [['', 'any'], ...[...all].map((one) => [one, names.get(one) ?? one] as const)] };
  });
  const more = buttonLink(PATH, 'All accounts');
  return filterForm({ action: PATH, id: 'filter', fields, button: 'Show', more, look: 'filters', search: true });
}

/** The names of the statuses; the status REFUSED of the API is called rejected everywhere else. */
const STATUS_NAMES: Record<ImportStatus, string> = {
  STAGED: 'staged',
  REFUSED: 'rejected',
  SKIPPED: 'skipped',
  CREATED: 'created',
};

const TONES: Record<ImportStatus, 'plain' | 'good' | 'warn' | 'bad'> = {
  STAGED: 'plain',
  REFUSED: 'bad',
  SKIPPED: 'warn',
  CREATED: 'good',
};

/** The status of the import of an account. */
export const statusOfImport = (status: ImportStatus) => badge(STATUS_NAMES[status], TONES[status]);

function accountsTable(accounts: readonly ListedAccount[], hasMore: boolean): Html {
  return table(
    'Accounts',
    accounts,
    [
      ['Import supplier', (one) => one.import_supplier],
      [
        'External account number',
        ({ import_supplier: supplier, external_account_number: external }) =>
          link(accountPath(supplier, external), code(external)),
      ],
      ['Service account number', (one) => code(one.service_account_number)],
      ['Status', ({ status }) => statusOfImport(status)],
      ['Switch status', ({ switch_status: status }) => status && switchBadge(status)],
      ['Rejection codes', (one) => one.refusal_codes.map((refusal) => html`${code(refusal)} `)],
      ['Staged', ({ staged_at: at }) => moment(at)],
      ['Created', ({ created_at: at }) => moment(at)],
    ],
    hasMore ? 'No account on this page matches these filters.' : 'No account matches these filters.',
  );
}

/** Accounts of one file at most; a spreadsheet cannot open more lines. */
const FILE_ACCOUNTS_MAX = 1_000_000;
const FILE_PAGE_SIZE = 1_000;

const COLUMNS = [
  'import_supplier',
  'external_account_number',
  'service_account_number',
  'status',
  'switch_status',
  'refusal_codes',
  'staged_at',
  'created_at',
] as const satisfies (keyof ListedAccount)[];

/** Streams all accounts of a list as CSV, one page at a time. */
async function* accountsCsv(lists: Queryable, filter: AccountFilter): AsyncGenerator<string> {
  yield csvHead(COLUMNS);
  let cursor: string | undefined;
  for (let written = 0; written < FILE_ACCOUNTS_MAX;) {
    const after = cursor === undefined ? undefined : cursorIn(cursor, listOrderOf(filter));
    const page = await listAccounts(lists, filter, { after, limit: FILE_PAGE_SIZE });
    yield page.accounts.map(lineOf).join('');
    written += page.accounts.length;
    cursor = page.nextCursor;
    if (cursor === undefined) return;
  }
}

function lineOf(account: ListedAccount): string {
  return csvLine(COLUMNS.map((column) => (column === 'refusal_codes' ? account[column].join(' ') : account[column])));
}
