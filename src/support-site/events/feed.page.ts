import { FEED } from '../frame/paths.ts';
import { readNewestEvents, type EventPage } from '../../events/index.ts';
import { supplierCodes, type SupplierDirectory } from '../../suppliers/index.ts';
import { isRefused } from '../../vocabulary/refusals.ts';
import { count, moment, nothing } from '../frame/elements.ts';
import { html, type Html } from '../frame/html.ts';
import { accountField, nextPage, optionsOf } from '../frame/list-parts.ts';
import type { Page, PageAnswer, PageRequest, SiteDeps } from '../frame/page.ts';
import { eventsTable, eventTabs } from './event-parts.ts';

/** The newest events of an import supplier, or of one of its accounts. */
export function feedPage(deps: SiteDeps, suppliers: SupplierDirectory): Page {
  return { method: 'GET', path: FEED, action: 'look', show: (request) => showFeed(deps, suppliers, request) };
}

async function showFeed(deps: SiteDeps, suppliers: SupplierDirectory, { query }: PageRequest): Promise<PageAnswer> {
  const codes = await supplierCodes(suppliers);
  const isAsked = Boolean(query.get('import_supplier'));
  const page = isAsked ? await readNewestEvents(deps, query) : undefined;
  if (isRefused(page)) return page;
  const body = html`${eventTabs(FEED)} ${filterForm(query, codes)}
  ${page === undefined ? nothing('Choose an import supplier.') : listPart(page, query, deps.settings.EVENTS_KEPT_DAYS)}`;
  return { title: 'Events', body };
}

function filterForm(query: URLSearchParams, codes: readonly string[]): Html {
  return html`<form class="row" method="get" action="${FEED}" role="search">
    <select name="import_supplier" aria-label="Import supplier" required>
      <option value="">Import supplier</option>
      ${optionsOf(codes, query.get('import_supplier'))}
    </select>
    ${accountField(query)}
    <button class="quiet">Show</button>
  </form>`;
}

function listPart(page: EventPage, query: URLSearchParams, keptDays: number): Html {
  const onward = page.next !== undefined && nextPage(`${FEED}?${page.next}`);
  return html`${
      page.events.length > 0
        ? eventsTable(page.events)
        : nothing(query.get('before') ? 'No events on this page.' : 'No events are stored.')
    }
    <p class="fine">
      Events are kept for ${count(keptDays)}
      days.${page.scannedBackTo !== undefined && html` This page goes back to ${moment(page.scannedBackTo)}.`}
    </p>
    ${onward}`;
}
