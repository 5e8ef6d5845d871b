import { findRejections } from '../../import-jobs/index.ts';
import { findAnything, isPlainNumber } from '../../search/index.ts';
import type { Found, SearchResult } from '../../search/search.schema.ts';
import { code, link, moment } from '../frame/cells.ts';
import { nothing, table } from '../frame/parts.ts';
import { form } from '../frame/forms.ts';
import { html, type Html } from '../frame/html.ts';
import { handler, page, type PageAnswer, type PageRequest } from '../frame/page.ts';
import { accountPath, addressOf, batchPath, businessPath, FIND, jobPath, pointPath } from '../frame/paths.ts';
import { rejectionsPart } from '../jobs/job-records.page.ts';

const TYPED_MAX = 255;

/**
 * Search by any number or name. Results contain no personal data. The address of the results contains a number in plain text, so that it
 * can be shared, and any other text sealed.
 */
export const findPages = [
  page(FIND, showFound),
  handler(FIND, 'look', ({ form: sent, seal }) => {
    const typed = (sent.get('q') ?? '').trim().slice(0, TYPED_MAX);
    return { redirect: addressOf(FIND, isPlainNumber(typed) ? { q: typed } : { sealed: typed && seal(typed) }) };
  }),
];

async function showFound(request: PageRequest): Promise<PageAnswer> {
  const { database, query, actor, unseal } = request;
  const sealed = query.get('sealed');
  const typed = sealed === null ? (query.get('q') ?? '') : unseal(sealed);
  const found = typed === undefined || typed.trim() === '' ? undefined : await findAnything(database, actor, typed);
  const rejections = found === undefined ? [] : await findRejections(database, (typed ?? '').trim());
  const body = html`${searchForm(typed ?? '', request)}
  ${
    typed === undefined &&
    nothing('This link belongs to another session. Links never contain names or addresses, so type the text again.')
  }
  ${found && (found.results.length > 0 || rejections.length === 0) && foundPart(found)}
  ${rejectionsPart(rejections, request)}`;
  return { title: 'Find', body };
}

function searchForm(typed: string, request: PageRequest): Html {
  const field = {
    label: 'Search text',
    name: 'q',
    placeholder: '',
    type: 'search',
    maxlength: TYPED_MAX,
    autofocus: true,
  } as const;
  const fields = [{ ...field, value: typed, required: true }];
  return html`${form(request, { action: FIND, fields, button: 'Find', look: 'row', search: true })}
    <p class="fine">
      Finds a service account number, external account number, PRM or PCE, business, batch ID, job ID, name, email
      address or telephone number.
    </p>`;
}

function foundPart({ results, complete }: SearchResult): Html {
  return html`${!complete && html`<p>There are more results. Type a longer text to narrow them down.</p>`}
  ${table(
    'Search results',
    results,
    [
      ['Kind', ({ kind }) => kind.replaceAll('_', ' ')],
      ['Import supplier', (one) => one.import_supplier],
      ['Number or ID', (one) => link(pathOf(one), code(one.id))],
      [
        'Service number',
        (one) => html`${code(one.service_number)} ${one.withdrawn && withdrawnSentence(one.withdrawn)}`,
      ],
      ['Found by', (one) => one.found_by.replaceAll('_', ' ')],
    ],
    'Nothing was found.',
  )}`;
}

function withdrawnSentence({ at, by, reason }: NonNullable<Found['withdrawn']>): Html {
  return html`<br /><small>withdrawn on ${moment(at)}, by ${by}: ${reason}</small>`;
}

function pathOf({ kind, import_supplier: supplier, id, service_number: number }: Found): string {
  if (kind === 'account') return accountPath(supplier ?? '', id);
  if (kind === 'business') return businessPath(number ?? '');
  if (kind === 'import_job') return jobPath(id);
  return kind === 'population_batch' ? batchPath(id) : pointPath(number ?? '', id);
}
