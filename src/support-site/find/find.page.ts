import type { Words } from '../../vocabulary/french-site.ts';
import { findRejections, type Rejection } from '../../import-jobs/index.ts';
import {
  describeAccounts,
  findAnything,
  findCompanyNames,
  isPlainNumber,
  type FoundAccount,
} from '../../search/index.ts';
import type { Found, SearchResult } from '../../search/search.schema.ts';
import { supplierCodes } from '../../suppliers/index.ts';
import { switchBadge } from '../account/account-supply.ts';
import { statusOfImport } from '../account-list/accounts.page.ts';
import { code, link, moment } from '../frame/cells.ts';
import { nextPage, nothing, table } from '../frame/parts.ts';
import { form } from '../frame/forms.ts';
import { html, type Html, type Part } from '../frame/html.ts';
import { t, translated } from '../frame/language.ts';
import { menuFor } from '../frame/menu.ts';
import { handler, page, type PageAnswer, type PageRequest } from '../frame/page.ts';
import {
  accountPath,
  addressOf,
  batchPath,
  businessPath,
  FIND,
  jobPath,
  messagePath,
  PALETTE,
  PERSONAL_DATA,
  pointPath,
  supplierPath,
  throttlePath,
  wavePath,
} from '../frame/paths.ts';
import { rejectionsPart } from '../jobs/job-records.page.ts';

const TYPED_MAX = 255;
const PAGES_MAX = 20;

/**
 * Search by any number or name. The address of the results contains a number in plain text, so that it can be shared, and any other text
 * sealed.
 */
export const findPages = [
  page(FIND, showFound),
  handler(FIND, 'look', (request) => {
    const typed = typedIn(request);
    return {
      redirect: addressOf(FIND, isPlainNumber(typed) ? { q: typed } : { sealed: typed && request.seal(typed) }),
    };
  }),
  handler(PALETTE, 'look', async (request) => ({ fragment: await paletteResults(typedIn(request), request) })),
];

const typedIn = ({ form: sent }: PageRequest) => (sent.get('q') ?? '').trim().slice(0, TYPED_MAX);

async function showFound(request: PageRequest): Promise<PageAnswer> {
  const { database, query, actor, unseal, viewer } = request;
  const sealed = query.get('sealed');
  const typed = sealed === null ? (query.get('q') ?? '') : unseal(sealed);
  const number = Math.min(Math.max(1, Math.trunc(Number(query.get('page') ?? 1)) || 1), PAGES_MAX);
  const isTyped = typed !== undefined && typed.trim() !== '';
  const found = isTyped ? await findAnything(database, actor, typed, number, viewer) : undefined;
  const rejections = isTyped && number === 1 ? await rejectionsOf(typed.trim(), request) : [];
  const following = addressOf(FIND, { q: query.get('q'), sealed, page: String(number + 1) });
  const body = html`${searchForm(typed ?? '', request)}
  ${
    typed === undefined &&
    nothing(t('This link belongs to another session. Links never contain names or addresses, so type the text again.'))
  }
  ${found && (found.results.length > 0 || rejections.length === 0) && (await foundPart(found, typed ?? '', request))}
  ${found?.tooManyOfName && html`<p>${t('Too many people have this family name, so not all were compared. Add the first name.')}</p>`}
  ${nextPage(found?.complete === false && number < PAGES_MAX && following)} ${rejectionsPart(rejections, request)}`;
  return { title: t('Find'), body };
}

/** The rejected records with a key; for people of import suppliers theirs. */
async function rejectionsOf(key: string, { database, viewer }: PageRequest): Promise<Rejection[]> {
  if (viewer === undefined) return findRejections(database, key);
  const all = [...viewer.importSuppliers].map((one) => findRejections(database, key, one, viewer));
  return (await Promise.all(all)).flat();
}

function searchForm(typed: string, request: PageRequest): Html {
  const field = {
    label: t('Search text'),
    name: 'q',
    placeholder: '',
    type: 'search',
    maxlength: TYPED_MAX,
    autofocus: true,
  } as const;
  const fields = [{ ...field, value: typed, required: true }];
  return html`${form(request, { action: FIND, fields, button: t('Find'), look: 'row', search: true })}
    <p class="fine">
      ${request.viewer === undefined ? html`${t(FINDS)} ${t(OF_CREATED)}` : t('Finds numbers of accounts, and numbers and names of jobs and waves.')}
    </p>`;
}

const FINDS: Words =
  'Finds people by name with town, street or postcode in any order; companies by name; numbers of accounts, businesses, supply points, batches, jobs, waves, messages and mandates; names of jobs and waves; email addresses and telephone numbers.';

const OF_CREATED: Words =
  'Names, towns, email addresses and telephone numbers find created accounts only; account numbers also find staged and withdrawn ones.';

/** The sentence of a search without results; searches of people of suppliers do not read names. */
function nothingFound(typed: string, { viewer }: PageRequest): string {
  const isOfPeople = viewer === undefined && !isPlainNumber(typed);
  const advice =
    isOfPeople && t('Type the whole family name with a first name or a town, or the number of the account.');
  return [t('Nothing was found.'), advice].filter(Boolean).join(' ');
}

async function foundPart({ results }: SearchResult, typed: string, request: PageRequest): Promise<Html> {
  const { database, may } = request;
  const accounts = results.flatMap(({ kind, import_supplier: supplier, id }) =>
    kind === 'account' && supplier !== null ? [{ import_supplier: supplier, id }] : [],
  );
  const described = new Map(
    (await describeAccounts(database, accounts)).map((one) => [accountPath(one.importSupplier, one.external), one]),
  );
  const accountOf = (one: Found) => described.get(pathOf(one));
  const isOpen = may('contact-data.see');
  const businesses = results.flatMap(({ kind, service_number: number }) => (kind === 'business' ? (number ?? []) : []));
  const companies = isOpen ? await findCompanyNames(database, businesses) : new Map<string, string>();
  const nameOf = (one: Found) =>
    one.kind === 'business' ? companies.get(one.service_number ?? '') : accountOf(one)?.person;
  return html`${table(
    t('Search results'),
    results,
    [
      [t('Result'), (one) => resultCell(one, one.name ?? (isOpen ? nameOf(one) : undefined)), 'row'],
      isOpen && [t('Town'), (one) => accountOf(one)?.place],
      [t('Import supplier'), (one) => one.import_supplier],
      [t('State'), (one) => stateCell(accountOf(one))],
      [t('Service number'), (one) => one.service_number && code(one.service_number)],
      [t('Found by'), (one) => translated(one.found_by.replaceAll('_', ' '))],
    ],
    nothingFound(typed, request),
  )}
  ${!isOpen && may('look') && accounts.length > 0 && html`<p class="fine">${t('Names and towns are masked for viewers.')}</p>`}`;
}

function resultCell(one: Found, name: string | null | undefined): Html {
  const kind = one.kind === 'account' ? '' : translated(one.kind.replaceAll('_', ' '));
  const number = code(one.id);
  const known = name ? html`${link(pathOf(one), name)}<br />${number}` : link(pathOf(one), number);
  return html`${known} <small>${kind}</small> ${one.withdrawn && withdrawnSentence(one.withdrawn)}`;
}

function stateCell(account: FoundAccount | undefined): Part {
  if (account === undefined) return '';
  return account.switchStatus === null ? statusOfImport(account.status) : switchBadge(account.switchStatus);
}

function withdrawnSentence({ at, by, reason }: NonNullable<Found['withdrawn']>): Html {
  return html`<br /><small
      >${t('withdrawn on {time}, by {person}: {reason}', { time: moment(at), person: by, reason })}</small
    >`;
}

function pathOf({ kind, import_supplier: supplier, id, service_number: number }: Found): string {
  if (kind === 'account') return accountPath(supplier ?? '', id);
  if (kind === 'business') return businessPath(number ?? '');
  if (kind === 'import_job') return jobPath(id);
  if (kind === 'wave') return wavePath(id);
  if (kind === 'market_message') return messagePath(id);
  return kind === 'population_batch' ? batchPath(id) : pointPath(number ?? '', id);
}

/** What people do, with the page where they do it. */
const ACTIONS: readonly (readonly [name: Words, path: string])[] = [
  ['New import job', '/jobs/new'],
  ['Check consistency', '/stuck/check'],
  ['Start a reconciliation', '/certificates'],
  ['Change the speed of Enedis', throttlePath('enedis')],
  ['Change the speed of GRDF', throttlePath('grdf')],
  ['Erase or export a person', PERSONAL_DATA],
  ['Issue an API key', '/settings/keys'],
  ['Change the concurrency limit', '/settings/limit'],
];
/** Results of a search in the palette. */
const PALETTE_FOUND_MAX = 8;

/** Pages and actions whose name contains the text, and what has the number. */
async function paletteResults(typed: string, { database, actor, viewer, suppliers }: PageRequest): Promise<Html> {
  const wanted = typed.toLowerCase();
  const pages = [
    ...menuFor(viewer).flatMap(({ name: group, entries }) =>
      entries.map(({ name, path }) => [t(name), path, t(group)] as const),
    ),
    ...(viewer === undefined ? ACTIONS : []).map(([name, path]) => [t(name), path, t('Action')] as const),
    ...(await supplierCodes(suppliers)).map((one) => [one, supplierPath(one), t('Import supplier')] as const),
    // Addresses have other words for the same, such as throttle for speed.
  ].filter(([name, path]) => `${name} ${path}`.toLowerCase().includes(wanted));
  const found = isPlainNumber(typed) ? (await findAnything(database, actor, typed, 1, viewer)).results : [];
  const all = [
    ...found.slice(0, PALETTE_FOUND_MAX).map((one) => [one.id, pathOf(one), one.import_supplier ?? one.kind] as const),
    ...pages,
  ];
  if (all.length === 0) return nothing(t('No page and no number matches. Search with Enter.'));
  return html`<ul>
    ${all.map(
      ([name, path, note]) =>
        html`<li>
          <a href="${path}">${name} <small>${note}</small></a>
        </li>`,
    )}
  </ul>`;
}
