import { findAnything } from '../../search/index.ts';
import type { Found, SearchResult } from '../../search/search.schema.ts';
import { accountPath } from '../account/account.page.ts';
import { nothing, table } from '../frame/elements.ts';
import { html, type Html } from '../frame/html.ts';
import { batchPath, pointPath } from '../supply-points/paths.ts';
import type { Page, SiteDeps } from '../frame/page.ts';

/** One field for everything that has a number or a name; what was found is listed without personal data. */
export function findPages(deps: SiteDeps): Page[] {
  return [
    {
      method: 'GET',
      path: '/find',
      action: 'look',
      menu: 'Find',
      show: async ({ query, actor }) => {
        const typed = query.get('q') ?? '';
        const found = typed.trim() === '' ? undefined : await findAnything(deps.database, actor, typed);
        return { title: 'Find', body: html`${field(typed)} ${found && foundPart(found)}` };
      },
    },
  ];
}

function field(typed: string): Html {
  return html`<form class="row" method="get" action="/find" role="search">
      <input type="search" name="q" value="${typed}" maxlength="255" aria-label="What to find" autofocus required />
      <button>Find</button>
    </form>
    <p class="fine">
      Service account number, external number, PRM or PCE, business, id of a batch or job, name, e-mail address,
      telephone number.
    </p>`;
}

function foundPart({ results, complete }: SearchResult): Html {
  if (results.length === 0) return nothing('Nothing was found.');
  return html`${!complete && html`<p>There are more: type more of it.</p>`}
  ${table('What was found', ['What', 'Import supplier', 'Number', 'Our number', 'Found by'], results.map(rowOf))}`;
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

/** The page that shows all of it. */
function pathOf({ kind, import_supplier: supplier, id, service_number: number }: Found): string {
  if (kind === 'account') return accountPath(supplier ?? '', id);
  if (kind === 'business') return `/businesses/${number ?? ''}`;
  if (kind === 'import_job') return `/jobs/${encodeURIComponent(id)}`;
  return kind === 'population_batch' ? batchPath(id) : pointPath(number ?? '', id);
}
