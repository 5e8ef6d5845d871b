import { type AccountSort, cursorIn, defaultSortOf, listOrderOf } from '../../account-view/account-filter.rules.ts';
import type { AccountFilter, ListedAccount } from '../../account-view/account-list.schema.ts';
import { listAccounts, accountFilters, filterInFrance, readAccountFilter } from '../../account-view/index.ts';
import { findJobsWithCause } from '../../import-jobs/index.ts';
import { supplierCodes } from '../../suppliers/index.ts';
import type { Words } from '../../vocabulary/french-site.ts';
import { importStatuses, type ImportStatus } from '../../vocabulary/account-list.ts';
import { switchStatuses } from '../../vocabulary/switch-statuses.ts';
import { tableOf } from '../../foundation/table.ts';
import { switchBadge } from '../account/account-supply.ts';
import { badge, code, count, link, moment } from '../frame/cells.ts';
import { table } from '../frame/parts.ts';
import type { Field } from '../frame/forms.ts';
import { FILE_ROWS_MAX, listPages, type List } from '../frame/list.ts';
import { html, type Part } from '../frame/html.ts';
import { t, translated } from '../frame/language.ts';
import { accepted, type PageRequest } from '../frame/page.ts';
import { accountPath, ACCOUNTS, jobPath } from '../frame/paths.ts';
import { recordsPath } from '../jobs/job-records.page.ts';

/** The list of accounts with its filters, and its file. */
export const accountListPages = listPages({
  path: ACCOUNTS,
  title: () => t('Accounts'),
  list: accountsOf,
  body: async (request, list) =>
    html`${list}
      <p class="fine">
        ${t('Dates are days in France. A page scans at most {scanned} accounts, so it can be short when few of them match. The file has at most {most} accounts.', { scanned: 5_000, most: FILE_ROWS_MAX })}
      </p>
      ${!request.query.get('cursor') && (await rejectedInJobs(filterOf(request).filter, request))}`,
});

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
    <h2>${t('Failed in import jobs')}</h2>
    ${table(t('Import jobs with this code'), jobs, [
      [t('Job'), ({ jobId, jobName }) => link(jobPath(jobId), jobName ?? jobId)],
      [t('Import supplier'), (job) => job.importSupplier],
      [
        t('Records'),
        ({ jobId, records }) => link(recordsPath(jobId, 'failed', { code: refusal }), count(records)),
        'number',
      ],
    ])}
  </section>`;
}

/** The label of each filter. */
const LABELS: Record<keyof AccountFilter, Words> = {
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

async function fieldsOf(filter: AccountFilter, request: PageRequest): Promise<Field[]> {
  const choices: Partial<Record<keyof AccountFilter, readonly string[]>> = {
    import_supplier: await supplierCodes(request.suppliers),
    status: Object.keys(importStatuses),
    switch_status: Object.keys(switchStatuses),
  };
  return accountFilters.map((name): Field => {
    const value = filter[name];
    const field = { label: t(LABELS[name]), name, value };
    const options = choices[name];
    const isDay = name.endsWith('_from') || name.endsWith('_to');
    if (options === undefined) return { ...field, type: isDay ? 'date' : 'text', maxlength: 255 };
    const all = new Set([...options, ...(value === undefined ? [] : [value])]);
    // The list of a person of import suppliers shows one of them.
    const isOfOne = name === 'import_supplier' && request.viewer !== undefined;
    const any = isOfOne ? [] : [['', t('any')] as const];
    return { ...field, options: [...any, ...[...all].map((one) => [one, nameOf(one)] as const)] };
  });
}

/** The names of the statuses; the status REFUSED of the API is called rejected everywhere else. */
const STATUS_NAMES = {
  STAGED: 'staged',
  REFUSED: 'rejected',
  SKIPPED: 'skipped',
  CREATED: 'created',
} as const satisfies Record<ImportStatus, Words>;
const statusNames = tableOf<Words>(STATUS_NAMES);

function nameOf(choice: string): string {
  const name = statusNames.get(choice);
  return name === undefined ? translated(choice) : t(name);
}

const TONES: Record<ImportStatus, 'plain' | 'good' | 'warn' | 'bad'> = {
  STAGED: 'plain',
  REFUSED: 'bad',
  SKIPPED: 'warn',
  CREATED: 'good',
};

/** The status of the import of an account. */
export const statusOfImport = (status: ImportStatus) => badge(t(STATUS_NAMES[status], { count: 1 }), TONES[status]);

const SORTS: readonly AccountSort[] = ['external_account_number', '-created_at', '-staged_at'];

/** Sorted by the keys of accounts and import processes, and by their time-ordered ids. */
async function accountsOf(request: PageRequest): Promise<List<ListedAccount>> {
  const { filter } = filterOf(request);
  const first = defaultSortOf(filter);
  return {
    name: 'accounts',
    path: ACCOUNTS,
    label: t('Accounts'),
    filters: await fieldsOf(filter, request),
    sorts: filter.tariff === undefined ? [first, ...SORTS.filter((sort) => sort !== first)] : [first],
    columns: {
      import_supplier: [t('Import supplier'), (one) => one.import_supplier],
      external_account_number: [
        t('External account number'),
        ({ import_supplier: supplier, external_account_number: external }) =>
          link(accountPath(supplier, external), code(external)),
      ],
      service_account_number: [t('Service account number'), (one) => code(one.service_account_number)],
      status: [t('Status'), ({ status }) => statusOfImport(status)],
      switch_status: [t('Switch status'), ({ switch_status: status }) => status && switchBadge(status)],
      refusal_codes: [t('Rejection codes'), (one) => one.refusal_codes.map((refusal) => html`${code(refusal)} `)],
      staged_at: [t('Staged'), ({ staged_at: at }) => moment(at)],
      created_at: [t('Created'), ({ created_at: at }) => moment(at)],
    },
    read: async ({ sort, cursor, limit }) => {
      const after = cursor === undefined ? undefined : cursorIn(cursor, listOrderOf(filter, sort));
      const found = await listAccounts(request.database, filterInFrance(filter), { after, limit, sort });
      return { rows: found.accounts, next: found.nextCursor };
    },
    empty: t('No account matches these filters.'),
    exported: 'accounts.exported',
  };
}
