import { accountPath, addressOf, batchPath, pointPath } from '../frame/paths.ts';
import { findAnything, isPlainNumber } from '../../search/index.ts';
import type { Found, SearchResult } from '../../search/search.schema.ts';
import { findRejections } from '../../import-jobs/index.ts';
import { rejectionsPart } from '../jobs/job-records.page.ts';
import { nothing, table } from '../frame/elements.ts';
import { html, type Html } from '../frame/html.ts';
import type { Page, PageAnswer, PageRequest, SiteDeps } from '../frame/page.ts';

const PATH = '/find';
const TYPED_MAX = 255;

/**
 * Search by any number or name. Results contain no personal data. The address of the results contains a number in plain text, so that it
 * can be shared, and any other text sealed.
 */
export function findPages(deps: SiteDeps): Page[] {
  return [
    { method: 'GET', path: PATH, action: 'look', menu: 'Find', show: (request) => showFound(deps, request) },
    { method: 'POST', path: PATH, action: 'look', show: async (request) => ({ redirect: addressOfSearch(request) }) },
  ];
}

function addressOfSearch({ form, seal }: PageRequest): string {
  const typed = (form.get('q') ?? '').trim().slice(0, TYPED_MAX);
  if (typed === '') return PATH;
  return addressOf(PATH, isPlainNumber(typed) ? { q: typed } : { sealed: seal(typed) });
}

async function showFound(deps: SiteDeps, request: PageRequest): Promise<PageAnswer> {
  const { database } = deps;
  const { query, actor, unseal } = request;
  const sealed = query.get('sealed');
  const typed = sealed === null ? (query.get('q') ?? '') : unseal(sealed);
  const found = typed === undefined || typed.trim() === '' ? undefined : await findAnything(database, actor, typed);
  const rejections = found === undefined ? [] : await findRejections(database, (typed ?? '').trim());
  return {
    title: 'Find',
    body: html`${field(typed ?? '', request)}
    ${typed === undefined && nothing('This link belongs to another session. Links never contain names or addresses, so type the text again.')}
    ${found && (found.results.length > 0 || rejections.length === 0) && foundPart(found)}
    ${rejectionsPart(rejections, deps)}`,
  };
}

function field(typed: string, { formToken }: PageRequest): Html {
  return html`<form class="row" method="post" action="${PATH}" role="search">
      ${formToken}<input
        type="search"
        name="q"
        value="${typed}"
        maxlength="${TYPED_MAX}"
        aria-label="Search text"
        autofocus
        required
      />
      <button>Find</button>
    </form>
    <p class="fine">
      Finds a service account number, external account number, PRM or PCE, business, batch ID, job ID, name, email
      address or telephone number.
    </p>`;
}

function foundPart({ results, complete }: SearchResult): Html {
  if (results.length === 0) return nothing('Nothing was found.');
  return html`${!complete && html`<p>There are more results. Type a longer text to narrow them down.</p>`}
  ${table('Search results', ['Kind', 'Import supplier', 'Number or ID', 'Service number', 'Found by'], results.map(rowOf))}`;
}

function rowOf(found: Found): Html {
  const { kind, import_supplier: supplier, id, service_number: number, found_by: by } = found;
  return html`<tr>
    <td>${kind.replaceAll('_', ' ')}</td>
    <td>${supplier}</td>
    <td>
      <a href="${pathOf(found)}"><code>${id}</code></a>
    </td>
    <td><code>${number}</code></td>
    <td>${by.replaceAll('_', ' ')}</td>
  </tr>`;
}

function pathOf({ kind, import_supplier: supplier, id, service_number: number }: Found): string {
  if (kind === 'account') return accountPath(supplier ?? '', id);
  if (kind === 'business') return `/businesses/${number ?? ''}`;
  if (kind === 'import_job') return `/jobs/${encodeURIComponent(id)}`;
  return kind === 'population_batch' ? batchPath(id) : pointPath(number ?? '', id);
}
