import { isDeepStrictEqual } from 'node:util';
import { findAuditEntry, findAuditPage, recordAudit, type AuditEntryView, type AuditPage } from '../../access/index.ts';
import { auditFilterIn, type AuditFilter } from '../../access/audit/audit-filter.rules.ts';
import { listAnchors, readAuditChain, viewOfAnchor } from '../../audit-chain/index.ts';
import { parisDay, parisMidnight } from '../../platform/clock.ts';
import { isJsonObject } from '../../vocabulary/loose-payload.ts';
import { refuse } from '../../vocabulary/refusals.ts';
import { violation } from '../../vocabulary/violations.ts';
import { isDay } from '../../vocabulary/wire-forms.ts';
import { code, count, link, moment } from '../frame/cells.ts';
import { auditActions, auditSentence, nameOfAction, pathOfSubject } from '../frame/audit-sentence.ts';
import { auditTable, nextPage, pairs, table } from '../frame/parts.ts';
import { filterForm, type Field } from '../frame/forms.ts';
import { element, html, type Html } from '../frame/html.ts';
import { accepted, existing, page, type Download, type PageAnswer, type PageRequest } from '../frame/page.ts';
import { addressOf, AUDIT } from '../frame/paths.ts';
import { labelOf, readable } from '../frame/readable.ts';
import type { Database } from '../../platform/database/database.ts';
import { csvHead, csvLine } from '../../foundation/csv.ts';

const PAGE_SIZE = 50;

/** The audit: a filtered list, single entries, and the list as a file. */
export const auditPages = [
  page(AUDIT, showList),
  page(`${AUDIT}/file`, download, { isLong: true }),
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

function invalidQuery(kind: 'invalid' | 'invalid_choice', name: string, detail: string) {
  return refuse('validation_failed', { violations: [violation(kind, [name], detail)] });
}

/** What a person wants to see: the filters, and whether entries that change nothing are shown too. */
interface Wanted {
  filter: AuditFilter;
  isWithRoutine: boolean;
}

function wantedIn(query: URLSearchParams): Wanted {
  const filter = filterIn(query);
  return { filter, isWithRoutine: query.get('reads') === 'yes' || filter.action !== undefined };
}

/** The query of a list, for links. */
const queryOf = ({ filter, isWithRoutine }: Wanted) => ({ ...filter, reads: isWithRoutine ? 'yes' : undefined });

async function readPage(request: PageRequest, wanted: Wanted, limit: number): Promise<AuditPage> {
  const cursor = request.query.get('cursor') || undefined;
  const found = await findAuditPage(request.database.em(), { ...selectionOf(wanted), limit, cursor });
  return accepted(found ?? invalidQuery('invalid', 'cursor', 'The cursor is not valid. Start at the first page.'));
}

function selectionOf({ filter, isWithRoutine }: Wanted) {
  return { filter: inFrance(filter), onlyChanges: !isWithRoutine };
}

async function showList(request: PageRequest): Promise<PageAnswer> {
  const wanted = wantedIn(request.query);
  const query = queryOf(wanted);
  const { entries, next, scannedBackTo } = await readPage(request, wanted, PAGE_SIZE);
  const isCut = next !== undefined && scannedBackTo !== undefined;
  const file = (form: 'csv' | 'ndjson', words: string) =>
    html`<a download href="${addressOf(`${AUDIT}/file`, { ...query, form })}">${words}</a>`;
  const body = html`${await chainPart(request)} ${filters(wanted)}
    ${auditTable('Audit, newest first', entries, 'No entry matches these filters.')}
    ${isCut && html`<p>The page goes back to ${moment(scannedBackTo)}. There may be earlier entries.</p>`}
    ${nextPage(next && addressOf(AUDIT, { ...query, cursor: next }), isCut ? 'Show earlier entries' : undefined)}
    <p class="fine">
      Download the newest ${count(EXPORTED_MAX)} matching entries: ${file('csv', 'CSV')},
      ${file('ndjson', 'JSON lines')}. The last line of the file says whether there are older entries. Times in the file
      are in UTC.
    </p>`;
  return { title: 'Audit', body };
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

async function download(request: PageRequest): Promise<PageAnswer> {
  const { database, lists, query, actor } = request;
  const wanted = wantedIn(query);
  const form = query.get('form');
  if (!isExportForm(form)) return accepted(invalidQuery('invalid_choice', 'form', 'Send csv or ndjson.'));
  // Rejects an invalid cursor.
  await readPage(request, wanted, 1);
  const after = { form, ...wanted.filter, ...(wanted.isWithRoutine ? { reads: 'yes' } : {}) };
  await recordAudit(database, actor, { action: 'audit.exported', subject: 'audit', after });
  return auditFile(lists, form, { ...selectionOf(wanted), cursor: query.get('cursor') || undefined });
}

function filters({ filter, isWithRoutine }: Wanted): Html {
  const day = (name: 'from' | 'to', label: string): Field => ({
    label,
    name,
    type: 'date',
    value: dayOfBound(filter[name], name === 'to'),
  });
  const box = element('input', { type: 'checkbox', name: 'reads', value: 'yes', checked: isWithRoutine });
  const isRoutine = html`<label class="check">${box} Also reads, searches, tokens and received messages</label>`;
  return filterForm({
    action: AUDIT,
    id: 'by',
    fields: [
      {
        label: 'Action',
        name: 'action',
        value: filter.action,
        options: [['', 'all'], ...actionChoices(filter.action)],
      },
      { label: 'Person or key', name: 'actor', value: filter.actor, maxlength: 300 },
      { label: 'Account', name: 'account', value: filter.account, placeholder: 'SUPPLIER/number', maxlength: 300 },
      { label: 'Subject', name: 'subject', value: filter.subject, maxlength: 300 },
      day('from', 'From'),
      day('to', 'To, inclusive'),
      isRoutine,
    ],
    button: 'Show',
    more: Object.keys(filter).length > 0 && link(AUDIT, 'All entries'),
    look: 'filters',
    search: true,
  });
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

/** Entries of one file at most, and pages scanned for it at most. */
const EXPORTED_MAX = 200_000;
const PAGES_MAX = 2_000;
const FILE_PAGE_SIZE = 1_000;

const COLUMNS = ['at', 'actor', 'key_id', 'action', 'subject', 'before', 'after', 'reason', 'id'];

/** How entries, and the note that older ones exist, are written in a file. */
const FORMS = {
  csv: {
    type: 'text/csv',
    head: csvHead(COLUMNS),
    entry: ({ at, actor, action, subject, before, after, reason, id }: AuditEntryView) =>
      csvLine([at, actor.name, actor.key_id, action, subject, jsonOf(before), jsonOf(after), reason, id]),
    more: (cursor: string) => csvLine([`There are older entries. Export them with cursor=${cursor}`]),
  },
  ndjson: {
    type: 'application/x-ndjson',
    head: '',
    entry: (entry: AuditEntryView) => `${JSON.stringify(entry)}\n`,
    more: (cursor: string) => `${JSON.stringify({ older_entries_by_cursor: cursor })}\n`,
  },
} as const;

type ExportForm = keyof typeof FORMS;

function isExportForm(name: string | null): name is ExportForm {
  return name !== null && Object.hasOwn(FORMS, name);
}

type Exported = ReturnType<typeof selectionOf> & { cursor: string | undefined };

/** Streams audit entries as a file, newest first, one page at a time. */
function auditFile(lists: Database, form: ExportForm, wanted: Exported): Download {
  return { download: `audit.${form}`, type: FORMS[form].type, content: linesOf(lists, form, wanted) };
}

async function* linesOf(
  lists: Database,
  form: ExportForm,
  { filter, onlyChanges, cursor }: Exported,
): AsyncGenerator<string> {
  const { head, entry, more } = FORMS[form];
  if (head !== '') yield head;
  let next = cursor;
  let written = 0;
  for (let pages = 0; pages < PAGES_MAX && written < EXPORTED_MAX; pages += 1) {
    const page = await findAuditPage(lists.em(), { filter, onlyChanges, limit: FILE_PAGE_SIZE, cursor: next });
    if (page === undefined) return;
    yield page.entries.map(entry).join('');
    written += page.entries.length;
    next = page.next;
    if (next === undefined) return;
  }
  if (next !== undefined) yield more(next);
}

function jsonOf(value: unknown): string | null {
  return value === null ? null : JSON.stringify(value);
}
