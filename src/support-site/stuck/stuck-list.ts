import { decodeTextCursor, encodeTextCursor } from '../../foundation/keyset-pages.ts';
import {
  countStuckItems,
  findStuckItems,
  sourceOfCause,
  listIdOf,
  type StuckFilter,
  type StuckItem,
  type StuckItemPosition,
} from '../../stuck/index.ts';
import { isUuid } from '../../vocabulary/wire-forms.ts';
import { buttonLink, code, count, fromNow, link, shortened } from '../frame/cells.ts';
import { supplierFilter, type Field } from '../frame/forms.ts';
import { html, type Html } from '../frame/html.ts';
import { filePage, listFilter, listPart, matchingText, pageOf, type List } from '../frame/list.ts';
import { invalid, type PageAnswer, type PageRequest } from '../frame/page.ts';
import {
  accountPath,
  batchPath,
  claimPath,
  deferredPath,
  endpointPath,
  jobPath,
  messagePath,
  STUCK,
  stuckItemPath,
} from '../frame/paths.ts';
import { causeTitle, partyTitle } from './cause-words.rules.ts';
import { bulkAddress, buttonWords, causeAdvice, groupsOf, type StuckGroup } from './stuck-groups.ts';
import { stuckTabs } from './stuck-parts.ts';

const FAILURE_LENGTH = 90;
/** Most items scanned for a page of the stuck items of a wave. */
const SCANNED_MAX = 5_000;

const AGES: readonly (readonly [seconds: string, name: string])[] = [
  ['', 'Age: all'],
  ['3600', 'over 1 hour'],
  ['7200', 'over 2 hours'],
  ['86400', 'over 1 day'],
  ['604800', 'over 1 week'],
];

/** The list of a group, with filters in the address; undefined for causes that Postgres does not know. */
export async function showGroup(request: PageRequest): Promise<PageAnswer | undefined> {
  const { query, stuck } = request;
  const cause = query.get('cause');
  const groups = groupsOf(await stuck.groups()).filter((one) => one.cause === cause);
  const source = cause === null ? undefined : sourceOfCause(cause);
  if (cause === null || source === undefined) return undefined;
  const list = await itemsOf(request, { source, cause });
  const body = html`${stuckTabs(STUCK)}
    <p>${link(STUCK, 'All stuck work')} · ${code(cause)}</p>
    <p>${causeAdvice(cause)}</p>
    ${await filters(request, groups)} ${list.summary} ${await listPart(request, list)}`;
  return { title: causeTitle(cause), body };
}

/** The file of a list of a cause that Postgres knows. */
export const stuckListPages = [
  filePage(STUCK, async (request) => {
    const cause = request.query.get('cause') ?? '';
    const source = sourceOfCause(cause) ?? invalid('There is no file of this cause.');
    return itemsOf(request, { source, cause });
  }),
];

const FILTERS = ['cause', 'party', 'import_supplier', 'older_than', 'wave'] as const;

/** The filters of an address. */
function filtersIn(query: URLSearchParams): Record<string, string | null> {
  return Object.fromEntries(FILTERS.map((name) => [name, query.get(name)]));
}

function bulkOf({ query }: PageRequest, group: Pick<StuckGroup, 'source' | 'cause'>): string {
  const { party = null, ...filter } = filtersIn(query);
  return bulkAddress({ ...group, party: party ?? '' }, { ...filter, cause: group.cause });
}

/** The filter of an address. */
function filterIn({ query, now }: PageRequest): StuckFilter {
  const given = (name: string) => query.get(name)?.replaceAll('\0', ' ') || undefined;
  const [age, waveId] = [given('older_than'), given('wave')];
  if (age !== undefined && !/^\d{1,8}$/.test(age)) invalid('The age is a number of seconds.');
  if (waveId !== undefined && !isUuid(waveId)) invalid('The wave is not valid.');
  return {
    cause: given('cause'),
    party: given('party'),
    importSupplier: given('import_supplier'),
    waveId,
    ...(age && { before: new Date(now.getTime() - Number(age) * 1_000).toISOString() }),
  };
}

const cursorOf = ({ since, id }: StuckItemPosition) => encodeTextCursor([since, id]);

function positionIn(cursor: string | undefined): StuckItemPosition | undefined {
  if (!cursor) return undefined;
  const [since = '', id, ...others] = decodeTextCursor(cursor) ?? [];
  if (id === undefined || others.length > 0 || Number.isNaN(Date.parse(since))) invalid('The cursor is not valid.');
  return { since, id };
}

async function filters(request: PageRequest, groups: readonly StuckGroup[]): Promise<Html> {
  const { query } = request;
  const parties: Field = {
    label: 'Party',
    name: 'party',
    value: query.get('party'),
    options: [['', 'Party: all'], ...groups.map(({ party }) => [party, partyTitle(party)] as const)],
  };
  const age: Field = { label: 'Age', name: 'older_than', value: query.get('older_than'), options: AGES };
  return listFilter(request, STUCK, [groups.length > 1 && parties, await supplierFilter(request), age]);
}

/** Sorted by the time since when items are stuck, by the index of each source. */
async function itemsOf(
  request: PageRequest,
  { source, cause }: Pick<StuckGroup, 'source' | 'cause'>,
): Promise<List<StuckItem> & { summary: Html }> {
  const { here, now, lists } = request;
  const filter = filterIn(request);
  // The wave of each stuck item would have to be looked up, so those of a wave are counted by the preview of a bulk action only.
  const matched = filter.waveId === undefined ? (await countStuckItems(lists, source, filter)).count : undefined;
  const words = `${buttonWords({ source })} ${matched === undefined ? 'everything' : count(matched)}`;
  const isBulk = matched !== 0 && request.may('bulk-action.steer');
  const all =
    isBulk &&
    ([bulkOf(request, { source, cause }), `${words} that ${matched === undefined ? 'matches' : 'match'}`] as const);
  const canRetry = request.may('stuck.retry') && (source === 'work' || source === 'messages');
  return {
    name: 'stuck',
    path: STUCK,
    label: 'Stuck items, oldest first',
    sorts: ['since'],
    summary: html`<p class="row">
      ${matched !== undefined && html`<strong>${matchingText(matched)}</strong>`}
      ${all && !canRetry && buttonLink(...all)}
    </p>`,
    selection: canRetry && {
      name: 'id',
      of: (one) => {
        const id = listIdOf(one);
        return id !== undefined && [id, subjectOf(one)];
      },
      form: { action: `${STUCK}/retry`, hidden: { back: here }, button: 'Retry the selected items' },
      all,
    },
    columns: {
      subject: ['Subject', (one) => link(pathOf(one), code(subjectOf(one))), 'row', subjectOf],
      since: ['Stuck since', ({ since }) => fromNow(since, now)],
      kind: ['Kind'],
      party: ['Party', ({ party }) => partyTitle(party)],
      import_supplier: ['Import supplier', (one) => one.importSupplier, undefined, (one) => one.importSupplier],
      failure: ['Last failure', ({ failure }) => shortened(failure ?? '–', FAILURE_LENGTH), 'advice'],
      details: ['', (one) => one.source === 'work' && link(stuckItemPath(listIdOf(one) ?? ''), 'Details')],
    },
    read: async ({ cursor, limit }) => {
      const after = positionIn(cursor);
      const scannedMax = SCANNED_MAX;
      const { items, scannedTo } = await findStuckItems(lists, source, filter, { after, limit: limit + 1, scannedMax });
      const found = pageOf(items, limit, cursorOf);
      return { ...found, next: found.next ?? (scannedTo && cursorOf(scannedTo)) };
    },
    empty: 'No stuck work matches these filters.',
  };
}

function subjectOf({ source, id, kind, importSupplier, externalAccountNumber, input }: StuckItem): string {
  if (externalAccountNumber !== null) return `${importSupplier}/${externalAccountNumber}`;
  const { identifier } = (input ?? {}) as { identifier?: string };
  return source === 'deferred' ? (identifier ?? id) : `${kind} ${id.slice(id.indexOf('/') + 1)}`;
}

/** The page of the subject, or of the item. */
function pathOf(one: StuckItem): string {
  const { source, id, party, importSupplier, externalAccountNumber, input } = one;
  if (source === 'messages') return messagePath(id);
  if (source === 'deferred') return deferredPath(party);
  if (importSupplier !== null && externalAccountNumber !== null) {
    return (source === 'claims' ? claimPath : accountPath)(importSupplier, externalAccountNumber);
  }
  const { jobId, batchId, endpointId } = (input ?? {}) as Record<string, string | undefined>;
  if (jobId !== undefined) return jobPath(jobId);
  if (batchId !== undefined) return batchPath(batchId);
  return endpointId === undefined ? stuckItemPath(listIdOf(one) ?? '') : endpointPath(endpointId);
}
