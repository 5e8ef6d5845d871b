import { findAuditPage, recordAudit, type AuditEntryView, type AuditPage } from '../../access/index.ts';
import { AUDIT_FILTERS, auditFilterIn, type AuditFilter } from '../../access/audit/audit-filter.rules.ts';
import { parisMidnight } from '../../platform/clock.ts';
import { isDay } from '../../vocabulary/wire-forms.ts';
import { isRefused, refuse, type Refused } from '../../vocabulary/refusals.ts';
import { violation } from '../../vocabulary/violations.ts';
import { addressOf } from '../frame/paths.ts';
import { count, moment, nothing, table } from '../frame/elements.ts';
import { html, type Html } from '../frame/html.ts';
import type { Page, PageAnswer, PageRequest, SiteDeps } from '../frame/page.ts';
import { auditFile, EXPORTED_MAX, isExportForm } from './audit-export.ts';
import { showEntry } from './one-entry.ts';

const PATH = '/audit';
const PAGE_SIZE = 50;

/** The audit: a filtered list, single entries, and the list as a file. */
export function auditPages(deps: SiteDeps): Page[] {
  return [
    { method: 'GET', path: PATH, action: 'look', menu: 'Audit', show: (request) => showList(deps, request) },
    { method: 'GET', path: `${PATH}/file`, action: 'look', isLong: true, show: (request) => download(deps, request) },
    { method: 'GET', path: `${PATH}/:id`, action: 'look', show: ({ params }) => showEntry(deps, params['id'] ?? '') },
  ];
}

function filterIn(query: URLSearchParams): AuditFilter | Refused {
  const filter = auditFilterIn(query);
  return Array.isArray(filter) ? refuse('validation_failed', { violations: filter }) : filter;
}

/** The site filters by days in France; the operator API by days in UTC. */
function inFrance({ from, to, ...filter }: AuditFilter): AuditFilter {
  return {
    ...filter,
    ...(from === undefined ? {} : { from: isDay(from) ? parisMidnight(from).toISOString() : from }),
    ...(to === undefined ? {} : { to: isDay(to) ? parisMidnight(to, 1).toISOString() : to }),
  };
}

function invalidCursor(): Refused {
  const detail = 'The cursor is not valid. Start at the first page.';
  return refuse('validation_failed', { violations: [violation('invalid', ['cursor'], detail)] });
}

async function showList({ database }: SiteDeps, { query }: PageRequest): Promise<PageAnswer> {
  const filter = filterIn(query);
  if (isRefused(filter)) return filter;
  const cursor = query.get('cursor') || undefined;
  const page = await findAuditPage(database.em(), { filter: inFrance(filter), limit: PAGE_SIZE, cursor });
  if (page === undefined) return invalidCursor();
  return { title: 'Audit', body: html`${filterForm(filter)} ${listPart(page, filter)} ${pageLinks(page, filter)}` };
}

async function download({ database, lists }: SiteDeps, { query, actor }: PageRequest): Promise<PageAnswer> {
  const filter = filterIn(query);
  if (isRefused(filter)) return filter;
  const form = query.get('form');
  if (!isExportForm(form)) {
    return refuse('validation_failed', { violations: [violation('invalid_choice', ['form'], 'Send csv or ndjson.')] });
  }
  const cursor = query.get('cursor') || undefined;
  const isPlace = (await findAuditPage(database.em(), { filter: inFrance(filter), limit: 1, cursor })) !== undefined;
  if (!isPlace) return invalidCursor();
  await recordAudit(database, actor, { action: 'audit.exported', subject: 'audit', after: { form, ...filter } });
  return auditFile(lists, form, { filter: inFrance(filter), cursor });
}

const LABELS: Record<keyof AuditFilter, string> = {
  actor: 'Actor',
  action: 'Action',
  subject: 'Subject',
  account: 'Account',
  from: 'From',
  to: 'To',
};

const HINTS: Partial<Record<keyof AuditFilter, string>> = {
  action: 'import_supplier.changed',
  account: 'SUPPLIER/number',
  from: '2026-01-31',
  to: '2026-01-31',
};

function filterForm(filter: AuditFilter): Html {
  return html`<form class="row" method="get" action="${PATH}" role="search">
    ${AUDIT_FILTERS.map(
      (name) =>
        html`<label for="by-${name}">${LABELS[name]}</label>
          <input
            id="by-${name}"
            name="${name}"
            value="${filter[name]}"
            maxlength="300"
            placeholder="${HINTS[name]}"
          />`,
    )}
    <button>Show</button>
    ${Object.keys(filter).length > 0 && html`<a href="${PATH}">All entries</a>`}
  </form>`;
}

function listPart({ entries }: AuditPage, filter: AuditFilter): Html {
  if (entries.length === 0) return nothing('No entry matches these filters.');
  const rows = entries.map((entry) => rowOf(entry, filter));
  return table('Audit, newest first', ['Time', 'Actor', 'Action', 'Subject', 'Reason'], rows);
}

function rowOf({ id, at, actor, action, subject, reason }: AuditEntryView, filter: AuditFilter): Html {
  return html`<tr>
    <td><a href="${PATH}/${id}">${moment(at)}</a></td>
    <td><a href="${addressOf(PATH, { ...filter, actor: actor.name })}">${actor.name}</a></td>
    <td>
      <a href="${addressOf(PATH, { ...filter, action })}"><code>${action}</code></a>
    </td>
    <td>
      <a href="${addressOf(PATH, { ...filter, subject })}"><code>${subject}</code></a>
    </td>
    <td>${reason}</td>
  </tr>`;
}

function pageLinks({ next, scannedBackTo }: AuditPage, filter: AuditFilter): Html {
  return html`${
      next !== undefined &&
      scannedBackTo !== undefined &&
      html`<p>The page goes back to ${moment(scannedBackTo)}. There may be earlier entries.</p>`
    }
    ${
      next !== undefined &&
      html`<p>
        <a class="button quiet" href="${addressOf(PATH, { ...filter, cursor: next })}">
          ${scannedBackTo === undefined ? 'Next page' : 'Show earlier entries'}
        </a>
      </p>`
    }
    <p class="fine">
      Download the newest ${count(EXPORTED_MAX)} matching entries:
      <a download href="${addressOf(`${PATH}/file`, { ...filter, form: 'csv' })}">CSV</a>,
      <a download href="${addressOf(`${PATH}/file`, { ...filter, form: 'ndjson' })}">JSON lines</a>. The last line of
      the file says whether there are older entries. Times in the file are in UTC.
    </p>`;
}
