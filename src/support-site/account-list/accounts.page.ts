import { type AccountSort, cursorIn, defaultSortOf, listOrderOf } from '../../account-view/account-filter.rules.ts';
import type { AccountFilter, ListedAccount } from '../../account-view/account-list.schema.ts';
import { listAccounts, accountFilters, filterInFrance, readAccountFilter } from '../../account-view/index.ts';
import { findJobsWithCause } from '../../import-jobs/index.ts';
import { supplierCodes } from '../../suppliers/index.ts';
import { importStatuses, type ImportStatus } from '../../vocabulary/account-list.ts';
import { switchStatuses } from '../../vocabulary/switch-statuses.ts';
import { switchBadge } from '../account/account-supply.ts';
import { badge, code, count, link, moment } from '../frame/cells.ts';
import { table } from '../frame/parts.ts';
import type { Field } from '../frame/forms.ts';
import { FILE_ROWS_MAX, filePage, listFilter, listPart, type List } from '../frame/list.ts';
import { html, type Html, type Part } from '../frame/html.ts';
import { accepted, page, type PageAnswer, type PageRequest } from '../frame/page.ts';
import { accountPath, ACCOUNTS, jobPath } from '../frame/paths.ts';
import { recordsPath } from '../jobs/job-records.page.ts';

/** The list of accounts with its filters, and its file. */
export const accountListPages = [page(ACCOUNTS, showList), filePage(ACCOUNTS, accountsOf)];

async function showList(request: PageRequest): Promise<PageAnswer> {
  const { filter } = filterOf(request);
  const body = html`${await filters(filter, request)} ${await listPart(request, accountsOf(request))}
    <p class="fine">
      Dates are days in France. A page scans at most 5,000 accounts, so it can be short when few of them match. The file
      has at most ${count(FILE_ROWS_MAX)} accounts.
    </p>
    ${!request.query.get('cursor') && (await rejectedInJobs(filter, request))}`;
  return { title: 'Accounts', body };
}

const filterOf = ({ query }: PageRequest) => accepted(readAccountFilter(query, query.get('sort') ?? undefined));

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

async function filters(filter: AccountFilter, request: PageRequest): Promise<Html> {
  const choices: Partial<Record<keyof AccountFilter, readonly string[]>> = {
    import_supplier: await supplierCodes(request.suppliers),
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
  return listFilter(request, ACCOUNTS, fields);
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

const SORTS: readonly AccountSort[] = ['external_account_number', '-created_at', '-staged_at'];

/** Sorted by the keys of accounts and import processes, and by their time-ordered ids. */
function accountsOf(request: PageRequest): List<ListedAccount> {
  const { filter } = filterOf(request);
  const first = defaultSortOf(filter);
  return {
    name: 'accounts',
    path: ACCOUNTS,
    label: 'Accounts',
    sorts: filter.tariff === undefined ? [first, ...SORTS.filter((sort) => sort !== first)] : [first],
    columns: {
      import_supplier: ['Import supplier', (one) => one.import_supplier],
      external_account_number: [
        'External account number',
        ({ import_supplier: supplier, external_account_number: external }) =>
          link(accountPath(supplier, external), code(external)),
      ],
      service_account_number: ['Service account number', (one) => code(one.service_account_number)],
      status: ['Status', ({ status }) => statusOfImport(status)],
      switch_status: ['Switch status', ({ switch_status: status }) => status && switchBadge(status)],
      refusal_codes: ['Rejection codes', (one) => one.refusal_codes.map((refusal) => html`${code(refusal)} `)],
      staged_at: ['Staged', ({ staged_at: at }) => moment(at)],
      created_at: ['Created', ({ created_at: at }) => moment(at)],
    },
    read: async ({ sort, cursor, limit }) => {
      const after = cursor === undefined ? undefined : cursorIn(cursor, listOrderOf(filter, sort));
      const found = await listAccounts(request.database, filterInFrance(filter), { after, limit, sort });
      return { rows: found.accounts, next: found.nextCursor };
    },
    empty: 'No account matches these filters.',
    exported: 'accounts.exported',
  };
}
