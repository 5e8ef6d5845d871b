import { isDeepStrictEqual } from 'node:util';
import { findAuditEntry, findAuditPage, type AuditEntryView } from '../../access/index.ts';
import { auditFilterIn, type AuditFilter } from '../../access/audit/audit-filter.rules.ts';
import { listAnchors, readAuditChain, viewOfAnchor } from '../../audit-chain/index.ts';
import { parisDay, parisMidnight } from '../../platform/clock.ts';
import { isJsonObject } from '../../vocabulary/loose-payload.ts';
import { refuse } from '../../vocabulary/refusals.ts';
import { isDay } from '../../vocabulary/wire-forms.ts';
import { code, count, link, moment } from '../frame/cells.ts';
import { auditActions, auditSentence, nameOfAction, pathOfSubject } from '../frame/audit-sentence.ts';
import { listPages, type List } from '../frame/list.ts';
import { pairs, table } from '../frame/parts.ts';
import type { Field } from '../frame/forms.ts';
import { element, html, type Html } from '../frame/html.ts';
import { accepted, existing, invalid, page, type PageAnswer, type PageRequest } from '../frame/page.ts';
import { addressOf, AUDIT } from '../frame/paths.ts';
import { labelOf, readable } from '../frame/readable.ts';

/** The audit: a filtered list, single entries, and the list as a file. */
export const auditPages = [
  ...listPages({
    path: AUDIT,
    title: () => 'Audit',
    list: auditOf,
    body: async (request, list) => html`${await chainPart(request)} ${list}`,
  }),
  page(`${AUDIT}/anchors`, sendAnchors),
  page(`${AUDIT}/:id`, showEntry),
];

function filterIn(query: URLSearchParams): AuditFilter {
  const filter = auditFilterIn(query);
  return accepted(Array.isArray(filter) ? refuse('validation_failed', { violations: filter }) : filter);
}

/** The site filters by days in France; the operator API by days in UTC. */
function inFrance({ from, to, ...filter }: AuditFilter): AuditFilter {
  return {
    ...filter,
    ...(from === undefined ? {} : { from: isDay(from) ? parisMidnight(from).toISOString() : from }),
    ...(to === undefined ? {} : { to: isDay(to) ? parisMidnight(to, 1).toISOString() : to }),
  };
}

/** Sorted by time and id. A page scans a part of the audit. Entries that change nothing are listed on demand. */
function auditOf({ database, query }: PageRequest): List<AuditEntryView> {
  const filter = filterIn(query);
  const onlyChanges = query.get('reads') !== 'yes' && filter.action === undefined;
  return {
    name: 'audit',
    path: AUDIT,
    label: 'Audit, newest first',
    filters: filtersOf(filter, !onlyChanges),
    sorts: ['-at'],
    columns: {
      at: ['Time', ({ id, at }) => link(`${AUDIT}/${id}`, moment(at)), 'row'],
      sentence: ['What happened', (entry) => auditSentence(entry)],
    },
    file: [
      'at',
      ['actor', ({ actor }) => actor.name],
      ['key_id', ({ actor }) => actor.key_id],
      'action',
      'subject',
      'before',
      'after',
      'reason',
      'id',
    ],
    read: async ({ cursor, limit }) => {
      const found = await findAuditPage(database.em(), { filter: inFrance(filter), onlyChanges, limit, cursor });
      const { entries, next, scannedBackTo } = found ?? invalid('The cursor is not valid. Start at the first page.');
      const isCut = next !== undefined && scannedBackTo !== undefined;
      const note =
        isCut &&
        html`<p class="fine">The page goes back to ${moment(scannedBackTo)}. There may be earlier entries.</p>`;
      return { rows: entries, next, note };
    },
    empty: 'No entry matches these filters.',
    exported: 'audit.exported',
    hasJson: true,
  };
}

/** Whether the audit was changed in the database. */
async function chainPart({ database }: PageRequest): Promise<Html> {
  const {
    last_block: block,
    sealed_at: sealedAt,
    is_signed: isSigned,
    last_anchor: anchor,
    last_verification: verified,
  } = await readAuditChain(database);
  const ofVerification =
    verified === null
      ? 'not verified yet'
      : html`${moment(verified.started_at)} by ${verified.started_by}: ${count(verified.entries)} entries,
        ${verified.finding_count === 0 ? 'no difference' : html`<strong>${count(verified.finding_count)} differences</strong>`}`;
  const findings = verified?.findings ?? [];
  const state = pairs([
    [
      'Sealed',
      sealedAt === null ? '–' : html`${moment(sealedAt)}, block ${count(block)}${!isSigned && ', not signed'}`,
    ],
    [
      'Last anchor',
      anchor === null ? '–' : html`${anchor.day} <a download href="${`${AUDIT}/anchors`}">All anchors, signed</a>`,
    ],
    ['Last verification', ofVerification],
  ]);
  if (findings.length === 0) {
    return html`<details>
      <summary>Chain of hashes</summary>
      ${state}
    </details>`;
  }
  return html`<h2>The audit differs from its chain of hashes</h2>
    ${state}
    ${table('Differences, at most 100', findings, [
      ['Found', ({ kind }) => code(kind)],
      ['Day', ({ day }) => day],
      ['Block', ({ block: number }) => number],
      ['Entry', ({ entry_id: id }) => id !== null && code(id)],
      ['Detail', ({ detail }) => detail],
    ])}`;
}

/** Anchors in the file; those of decades. */
const ANCHORS_MAX = 10_000;

async function sendAnchors({ database }: PageRequest): Promise<PageAnswer> {
  const anchors = await listAnchors(database, undefined, ANCHORS_MAX);
  const content = anchors.map((anchor) => `${JSON.stringify(viewOfAnchor(anchor))}\n`).join('');
  return { download: 'audit-anchors.ndjson', type: 'application/x-ndjson', content };
}

function filtersOf(filter: AuditFilter, isWithRoutine: boolean): (Field | Html)[] {
  const day = (name: 'from' | 'to', label: string): Field => ({
    label,
    name,
    type: 'date',
    value: dayOfBound(filter[name], name === 'to'),
  });
  const box = element('input', { type: 'checkbox', name: 'reads', value: 'yes', checked: isWithRoutine });
  return [
    { label: 'Action', name: 'action', value: filter.action, options: [['', 'all'], ...actionChoices(filter.action)] },
    { label: 'Person or key', name: 'actor', value: filter.actor, maxlength: 300 },
    { label: 'Account', name: 'account', value: filter.account, placeholder: 'SUPPLIER/number', maxlength: 300 },
    { label: 'Subject', name: 'subject', value: filter.subject, maxlength: 300 },
    day('from', 'From'),
    day('to', 'To, inclusive'),
    html`<label class="check">${box} Also reads, searches, tokens and received messages</label>`,
  ];
}

/** The known actions, and the one of the address if it is another. */
function actionChoices(chosen: string | undefined): readonly (readonly [string, string])[] {
  const isKnown = chosen === undefined || auditActions().some(([action]) => action === chosen);
  return isKnown ? auditActions() : [[chosen, nameOfAction(chosen)], ...auditActions()];
}

/** The day in France of a bound; links of the API may name a time instead, whose end is exclusive. */
function dayOfBound(bound: string | undefined, isEnd: boolean): string | undefined {
  return bound === undefined || isDay(bound) ? bound : parisDay(new Date(Date.parse(bound) - (isEnd ? 1 : 0)));
}

/** One entry with each member that it changed. */
async function showEntry({ database, params: { id = '' } }: PageRequest): Promise<PageAnswer> {
  const entry = existing(await findAuditEntry(database.em(), id), 'The audit has no entry with this id.');
  const { at, actor, action, subject, before, after, reason } = entry;
  const ofSubject = pathOfSubject(subject);
  const body = html`<p>${auditSentence(entry)}</p>
    ${pairs([
      ['Time', moment(at)],
      ['Actor', link(addressOf(AUDIT, { actor: actor.name, reads: 'yes' }), actor.name)],
      ['Key', actor.key_id === null ? '–' : code(actor.key_id)],
      ['Action', html`${link(addressOf(AUDIT, { action }), nameOfAction(action))} <small>${code(action)}</small>`],
      [
        'Subject',
        html`${link(addressOf(AUDIT, { subject, reads: 'yes' }), code(subject))}
        ${ofSubject !== undefined && html` (${link(ofSubject, 'open')})`}`,
      ],
      ['Reason', reason ?? '–'],
    ])}
    ${(before !== null || after !== null) && changesPart(before, after)}
    <p class="fine">Entry ${code(id)}</p>`;
  return { title: nameOfAction(action), body };
}

function changesPart(before: unknown, after: unknown): Html {
  const was = isJsonObject(before) ? before : {};
  const is = isJsonObject(after) ? after : {};
  const names = Object.keys({ ...was, ...is }).filter(
    (name) => before === null || after === null || !isDeepStrictEqual(was[name], is[name]),
  );
  const side = (members: Record<string, unknown>) => (name: string) =>
    Object.hasOwn(members, name) && readable(members[name]);
  return html`${
      names.length > 0 &&
      table('Changes', names, [
        ['Field', (name) => labelOf(name)],
        ['Before', side(was)],
        ['After', side(is)],
      ])
    }
    <details>
      <summary>The whole entry</summary>
      ${readable({ before, after })}
    </details>`;
}
