import { listAccounts, accountFilters, filterInFrance, readAccountFilter } from '../../account-view/index.ts';
import { cursorIn, listOrderOf } from '../../account-view/account-filter.rules.ts';
import type { Queryable } from '../../platform/database/prepared-query.ts';
import { csvHead, csvLine } from '../frame/csv.rules.ts';
import { accountPath, addressOf } from '../frame/paths.ts';
import { recordAudit } from '../../access/index.ts';
import type { AccountFilter, ListedAccount } from '../../account-view/account-list.schema.ts';
import { findJobsWithCause, type JobWithCause } from '../../import-jobs/index.ts';
import { recordsPath } from '../jobs/job-records.page.ts';
import { findAllImportSuppliers } from '../../suppliers/index.ts';
import { importStatuses, type ImportStatus } from '../../vocabulary/account-list.ts';
import { isRefused } from '../../vocabulary/refusals.ts';
import { switchStatuses } from '../../vocabulary/switch-statuses.ts';
import { switchBadge } from '../account/account-supply.ts';
import { badge, count, moment, nothing, table } from '../frame/elements.ts';
import { html, type Html } from '../frame/html.ts';
import { optionsOf } from '../frame/list-parts.ts';
import type { Page, PageAnswer, PageRequest, SiteDeps } from '../frame/page.ts';

const PATH = '/accounts';
const PAGE_SIZE = 50;

/** The list of accounts with its filters, and its download. */
export function accountListPages(deps: SiteDeps): Page[] {
  return [
    { method: 'GET', path: PATH, action: 'look', menu: 'Accounts', show: (request) => showList(deps, request) },
    { method: 'GET', path: `${PATH}.csv`, action: 'look', isLong: true, show: (request) => download(deps, request) },
  ];
}

function accountListPath(filter: AccountFilter, cursor?: string): string {
  return addressOf(PATH, { ...filter, cursor });
}

async function showList({ database }: SiteDeps, { query }: PageRequest): Promise<PageAnswer> {
  const read = readAccountFilter(query);
  if (isRefused(read)) return read;
  const { filter, after } = read;
  const suppliers = await findAllImportSuppliers(database.em());
  const { accounts, nextCursor } = await listAccounts(database, filterInFrance(filter), { after, limit: PAGE_SIZE });
  const form = filterForm(
    filter,
    suppliers.map(({ code }) => code),
  );
  const jobs =
    filter.refusal === undefined || after !== undefined
      ? []
      : await findJobsWithCause(database, { code: filter.refusal, importSupplier: filter.import_supplier });
  return {
    title: 'Accounts',
    body: html`${form} ${listPart(accounts, nextCursor)} ${wayOn({ filter, nextCursor, isFirst: after === undefined })}
    ${filter.refusal !== undefined && rejectedInJobs(jobs, filter.refusal)}`,
  };
}

/** Jobs in which records failed with a code: such records need not have been staged. */
function rejectedInJobs(jobs: readonly JobWithCause[], code: string): Html {
  if (jobs.length === 0) return html``;
  const rows = jobs.map(
    (job) =>
      html`<tr>
        <td><a href="/jobs/${job.jobId}">${job.jobName ?? job.jobId}</a></td>
        <td>${job.importSupplier}</td>
        <td class="number"><a href="${recordsPath(job.jobId, 'failed', { code })}">${count(job.records)}</a></td>
      </tr>`,
  );
  return html`<section>
    <h2>Failed in import jobs</h2>
    ${table('Import jobs with this code', ['Job', 'Import supplier', 'Records'], rows)}
  </section>`;
}

async function download({ database, lists }: SiteDeps, { query, actor }: PageRequest): Promise<PageAnswer> {
  const read = readAccountFilter(query);
  if (isRefused(read)) return read;
  // Without personal data, but audited because of its size.
  await recordAudit(database, actor, { action: 'accounts.exported', subject: 'accounts', after: read.filter });
  return { download: 'accounts.csv', type: 'text/csv', content: accountsCsv(lists, filterInFrance(read.filter)) };
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

function filterForm(filter: AccountFilter, suppliers: readonly string[]): Html {
  const choices: Partial<Record<keyof AccountFilter, readonly string[]>> = {
    import_supplier: suppliers,
    status: Object.keys(importStatuses),
    switch_status: Object.keys(switchStatuses),
  };
  return html`<form class="filters" method="get" action="${PATH}" role="search">
    ${accountFilters.map((name) => {
      const id = `filter-${name}`;
      const set = filter[name];
      const options = choices[name];
      const isDay = name.endsWith('_from') || name.endsWith('_to');
      return html`<p>
        <label for="${id}">${LABELS[name]}</label>
        ${
          options === undefined
            ? html`<input id="${id}" name="${name}" type="${isDay ? 'date' : 'text'}" value="${set}" maxlength="255" />`
            : selectOf({ id, name, options, set })
        }
      </p>`;
    })}
    <p class="row"><button>Show</button> <a class="button quiet" href="${PATH}">All accounts</a></p>
  </form>`;
}

function selectOf({ id, name, options, set }: Record<'id' | 'name', string> & Selection): Html {
  const all = [...new Set([...options, ...(set === undefined ? [] : [set])])];
  return html`<select id="${id}" name="${name}">
    <option value="">any</option>
    ${optionsOf(all, set, new Map(Object.entries(STATUS_NAMES)))}
  </select>`;
}

interface Selection {
  options: readonly string[];
  set: string | undefined;
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

function listPart(accounts: readonly ListedAccount[], nextCursor: string | undefined): Html {
  if (accounts.length === 0) {
    return nothing(
      nextCursor === undefined ? 'No account matches these filters.' : 'No account on this page matches these filters.',
    );
  }
  const rows = accounts.map((one) => {
    const { import_supplier: supplier, external_account_number: external } = one;
    return html`<tr>
      <td>${supplier}</td>
      <td>
        <a href="${accountPath(supplier, external)}"><code>${external}</code></a>
      </td>
      <td><code>${one.service_account_number}</code></td>
      <td>${badge(STATUS_NAMES[one.status], TONES[one.status])}</td>
      <td>${one.switch_status && switchBadge(one.switch_status)}</td>
      <td>${one.refusal_codes.map((code) => html`<code>${code}</code> `)}</td>
      <td>${moment(one.staged_at)}</td>
      <td>${moment(one.created_at)}</td>
    </tr>`;
  });
  const heads = [
    'Import supplier',
    'External account number',
    'Service account number',
    'Status',
    'Switch status',
    'Rejection codes',
    'Staged',
    'Created',
  ];
  return table('Accounts', heads, rows);
}

interface Place {
  filter: AccountFilter;
  nextCursor: string | undefined;
  isFirst: boolean;
}

function wayOn({ filter, nextCursor, isFirst }: Place): Html {
  return html`<p class="row">
      ${!isFirst && html`<a class="button quiet" href="${accountListPath(filter)}">First page</a>`}
      ${nextCursor !== undefined && html`<a class="button quiet" href="${accountListPath(filter, nextCursor)}">Next page</a>`}
      <a class="button quiet" download href="${addressOf(`${PATH}.csv`, { ...filter })}">Download as CSV</a>
    </p>
    <p class="fine">
      Dates are days in France. A page scans at most 5,000 accounts, so it can be short when few of them match. The file
      has at most ${count(FILE_ACCOUNTS_MAX)} accounts.
    </p>`;
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
