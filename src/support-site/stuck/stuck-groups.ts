import { actionFor } from '../../bulk-actions/index.ts';
import { findPartyStates } from '../../platform/vendor-http/party-health.store.ts';
import { tableOf } from '../../foundation/table.ts';
import { adviceForFailure, type StuckGroupRow } from '../../stuck/index.ts';
import { buttonLink, code, count, fromNow, link, moment } from '../frame/cells.ts';
import { html, type Html } from '../frame/html.ts';
import { livePart, nothing, table } from '../frame/parts.ts';
import type { PageRequest } from '../frame/page.ts';
import { addressOf, BULK_ACTIONS, STUCK } from '../frame/paths.ts';
import { adviceOnSite } from '../frame/site-advice.rules.ts';
import { blockedBy, causeTitle, partyTitle, sectionOf, type WorkSection } from './cause-words.rules.ts';

/** Stuck work with one cause that one party has to resolve. */
export interface StuckGroup extends Pick<StuckGroupRow, 'source' | 'cause' | 'party' | 'count' | 'recent' | 'oldest'> {
  kinds: string[];
  importSuppliers: string[];
}

/** Joins rows of several kinds and suppliers, the largest group first. */
export function groupsOf(rows: readonly StuckGroupRow[]): StuckGroup[] {
  const groups = new Map<string, StuckGroup>();
  for (const { kind, importSupplier, ...row } of rows) {
    const key = JSON.stringify([row.cause, row.party]);
    const found = groups.get(key);
    const group = found ?? { ...row, count: 0, recent: 0, kinds: [], importSuppliers: [] };
    group.count += row.count;
    group.recent += row.recent;
    if (row.oldest < group.oldest) group.oldest = row.oldest;
    if (!group.kinds.includes(kind)) group.kinds.push(kind);
    if (importSupplier !== null && !group.importSuppliers.includes(importSupplier)) {
      group.importSuppliers.push(importSupplier);
    }
    groups.set(key, group);
  }
  return [...groups.values()].sort((one, other) => other.count - one.count);
}

const SECTIONS: readonly (readonly [WorkSection, string])[] = [
  ['decide', 'You decide'],
  ['others', 'Waiting for others'],
  ['ours', 'Ours to correct'],
];

const SUPPLIERS_SHOWN = 3;
const BUTTONS = tableOf<string>({ dismiss: 'Dismiss all', decide: 'Decide all', retry: 'Retry all' });

/** The work list: groups by whose turn it is. Refreshes. */
export async function groupsPart(request: PageRequest): Promise<Html> {
  const groups = groupsOf(await request.stuck.groups());
  const states = await findPartyStates(request.database);
  const pauses = new Map(states.map(({ party, pausedUntil }) => [String(party), pausedUntil]));
  const sections = SECTIONS.map(([section, title]) => {
    const rows = groups.filter(({ party }) => sectionOf(party) === section);
    return (
      rows.length > 0 &&
      html`<section>
        <h2>${title} <small>${count(rows.reduce((sum, one) => sum + one.count, 0))}</small></h2>
        ${groupsTable(title, rows, pauses, request)}
      </section>`
    );
  });
  const body = html`${groups.length === 0 && nothing('Nothing is stuck: no work fails, and no decision is pending.')}
    ${sections}
    <p class="fine">As of ${moment(request.now)}.</p>`;
  return livePart({ id: 'groups', label: 'Stuck work', from: `${STUCK}/groups` }, body);
}

function groupsTable(
  title: string,
  rows: readonly StuckGroup[],
  pauses: ReadonlyMap<string, Date | null>,
  request: PageRequest,
): Html {
  return table(title, rows, [
    ['Cause', (one) => causeOf(one), 'row'],
    ['Party', ({ party }) => partyOf(party, pauses.get(party), request.now)],
    [
      'Items',
      (one) =>
        html`<strong>${count(one.count)}</strong
          >${one.recent > 0 && html`<br /><small>${count(one.recent)} in the last hour</small>`}`,
      'number',
    ],
    ['Oldest', ({ oldest }) => fromNow(oldest, request.now)],
    ['Suppliers', suppliersOf],
    ['What to do', (one) => adviceOf(one), 'advice'],
    [
      '',
      (one) =>
        request.may('bulk-action.steer') && buttonLink(bulkAddress(one), `${buttonWords(one)} ${count(one.count)}`),
    ],
  ]);
}

/** A party, and when calls to it are tried again while its circuit breaker is open. */
function partyOf(party: string, pausedUntil: Date | null | undefined, now: Date): Html {
  return html`${partyTitle(party)}${pausedUntil && html`<br /><small>next try ${fromNow(pausedUntil, now)}</small>`}`;
}

function causeOf({ cause, party }: StuckGroup): Html {
  return html`${link(addressOf(STUCK, { cause, party }), causeTitle(cause))}<br /><small>${code(cause)}</small>`;
}

function suppliersOf({ importSuppliers }: StuckGroup): string {
  const more = importSuppliers.length - SUPPLIERS_SHOWN;
  return `${importSuppliers.slice(0, SUPPLIERS_SHOWN).join(', ')}${more > 0 ? ` and ${count(more)} more` : ''}`;
}

/** What a group blocks, and what to do about it. */
function adviceOf({ cause, kinds }: StuckGroup): Html {
  const blocked = kinds.flatMap((kind) => blockedBy(kind) ?? []);
  return html`${blocked.join(' ')} ${causeAdvice(cause)}`;
}

const DEFERRED_ADVICE = 'They are requested again every hour, and end as errored after a day.';

/** What to do about a cause. */
export function causeAdvice(cause: string): string {
  if (cause === 'look_ups_set_aside') return DEFERRED_ADVICE;
  return adviceOnSite({ cause, what_to_do: adviceForFailure(cause) });
}

/** The words of the button for all items of a group. */
export function buttonWords({ source }: Pick<StuckGroup, 'source'>): string {
  return BUTTONS.get(actionFor(source)) ?? 'All';
}

/** The page that previews the action for all items of a group. */
export function bulkAddress(
  { source, cause, party }: Pick<StuckGroup, 'source' | 'cause' | 'party'>,
  filter: Readonly<Record<string, string | null>> = {},
): string {
  return addressOf(`${BULK_ACTIONS}/new`, { action: actionFor(source), cause, party, ...filter });
}
