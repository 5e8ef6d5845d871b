import { isDeepStrictEqual } from 'node:util';
import { findAuditEntry, findAuditPage, recordAudit, type AuditEntryView, type AuditPage } from '../../access/index.ts';
import { AUDIT_FILTERS, auditFilterIn, type AuditFilter } from '../../access/audit/audit-filter.rules.ts';
import { listAnchors, readAuditChain, viewOfAnchor } from '../../audit-chain/index.ts';
import { parisMidnight } from '../../platform/clock.ts';
import { isJsonObject } from '../../vocabulary/loose-payload.ts';
import { refuse } from '../../vocabulary/refusals.ts';
import { violation } from '../../vocabulary/violations.ts';
import { isDay } from '../../vocabulary/wire-forms.ts';
import { code, count, link, moment } from '../frame/cells.ts';
import { nextPage, pairs, table } from '../frame/parts.ts';
import { filterForm } from '../frame/forms.ts';
import { html, type Html, type Part } from '../frame/html.ts';
import { accepted, existing, page, type Download, type PageAnswer, type PageRequest } from '../frame/page.ts';
import { accountPath, addressOf, AUDIT, supplierPath } from '../frame/paths.ts';
import { readable } from '../frame/readable.ts';
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

async function readPage(request: PageRequest, filter: AuditFilter, limit: number): Promise<AuditPage> {
  const cursor = request.query.get('cursor') || undefined;
  const found = await findAuditPage(request.database.em(), { filter: inFrance(filter), limit, cursor });
  return accepted(found ?? invalidQuery('invalid', 'cursor', 'The cursor is not valid. Start at the first page.'));
}

async function showList(request: PageRequest): Promise<PageAnswer> {
  const filter = filterIn(request.query);
  const { entries, next, scannedBackTo } = await readPage(request, filter, PAGE_SIZE);
  const isCut = next !== undefined && scannedBackTo !== undefined;
  const file = (form: 'csv' | 'ndjson', words: string) =>
    html`<a download href="${addressOf(`${AUDIT}/file`, { ...filter, form })}">${words}</a>`;
  const body = html`${await chainPart(request)} ${filters(filter)} ${entriesTable(entries, filter)}
    ${isCut && html`<p>The page goes back to ${moment(scannedBackTo)}. There may be earlier entries.</p>`}
    ${nextPage(next && addressOf(AUDIT, { ...filter, cursor: next }), isCut ? 'Show earlier entries' : undefined)}
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
  const filter = filterIn(query);
  const form = query.get('form');
  if (!isExportForm(form)) return accepted(invalidQuery('invalid_choice', 'form', 'Send csv or ndjson.'));
  // Rejects an invalid cursor.
  await readPage(request, filter, 1);
  await recordAudit(database, actor, { action: 'audit.exported', subject: 'audit', after: { form, ...filter } });
  return auditFile(lists, form, { filter: inFrance(filter), cursor: query.get('cursor') || undefined });
}

const FIELDS: Record<keyof AuditFilter, { label: string; placeholder?: string }> = {
  actor: { label: 'Actor' },
  action: { label: 'Action', placeholder: 'import_supplier.changed' },
  subject: { label: 'Subject' },
  account: { label: 'Account', placeholder: 'SUPPLIER/number' },
  from: { label: 'From', placeholder: '2026-01-31' },
  to: { label: 'To', placeholder: '2026-01-31' },
};

function filters(filter: AuditFilter): Html {
  return filterForm({
    action: AUDIT,
    id: 'by',
    fields: AUDIT_FILTERS.map((name) => ({ ...FIELDS[name], name, value: filter[name], maxlength: 300 })),
    button: 'Show',
    more: Object.keys(filter).length > 0 && link(AUDIT, 'All entries'),
    look: 'labeled-row',
    search: true,
  });
}

function entriesTable(entries: readonly AuditEntryView[], filter: AuditFilter): Html {
  const narrowed = (by: AuditFilter, words: Part) => link(addressOf(AUDIT, { ...filter, ...by }), words);
  return table(
    'Audit, newest first',
    entries,
    [
      ['Time', ({ id, at }) => link(`${AUDIT}/${id}`, moment(at))],
      ['Actor', ({ actor: { name } }) => narrowed({ actor: name }, name)],
      ['Action', ({ action }) => narrowed({ action }, code(action))],
      ['Subject', ({ subject }) => narrowed({ subject }, code(subject))],
      ['Reason', ({ reason }) => reason],
    ],
    'No entry matches these filters.',
  );
}

/** One entry with each member that it changed. */
async function showEntry({ database, params: { id = '' } }: PageRequest): Promise<PageAnswer> {
  const entry = existing(await findAuditEntry(database.em(), id), 'The audit has no entry with this id.');
  const { at, actor, action, subject, before, after, reason } = entry;
  const ofSubject = pageOf(subject);
  const body = html`${pairs([
      ['Time', moment(at)],
      ['Actor', link(addressOf(AUDIT, { actor: actor.name }), actor.name)],
      ['Key', actor.key_id === null ? '–' : code(actor.key_id)],
      ['Action', link(addressOf(AUDIT, { action }), code(action))],
      [
        'Subject',
        html`${link(addressOf(AUDIT, { subject }), code(subject))}
        ${ofSubject !== undefined && html` (${link(ofSubject, 'open')})`}`,
      ],
      ['Reason', reason ?? '–'],
    ])}
    ${(before !== null || after !== null) && changesPart(before, after)}
    <p class="fine">Entry ${code(id)}</p>`;
  return { title: `Audit: ${action}`, body };
}

/** Subjects of an account. A number that contains "/" is ambiguous, so it gets no link. */
const OF_ACCOUNT =
  /^(?:accounts|account-import-processes)\/([^/]+)\/([^/]+)(?:\/(?:skip|switch-status|supply-point-claim|switch-requests|notes\/\d+\/pin))?$/;

/** The page of a subject. */
function pageOf(subject: string): string | undefined {
  const [, supplier, external] = OF_ACCOUNT.exec(subject) ?? [];
  if (supplier !== undefined && external !== undefined) return accountPath(supplier, external);
  const [, registered] = /^import-suppliers\/(.+)$/.exec(subject) ?? [];
  return registered && supplierPath(registered);
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
        ['Field', (name) => name.replaceAll('_', ' ')],
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

/** Streams audit entries as a file, newest first, one page at a time. */
function auditFile(
  lists: Database,
  form: ExportForm,
  wanted: { filter: AuditFilter; cursor: string | undefined },
): Download {
  return { download: `audit.${form}`, type: FORMS[form].type, content: linesOf(lists, form, wanted) };
}

async function* linesOf(
  lists: Database,
  form: ExportForm,
  { filter, cursor }: { filter: AuditFilter; cursor: string | undefined },
): AsyncGenerator<string> {
  const { head, entry, more } = FORMS[form];
  if (head !== '') yield head;
  let next = cursor;
  let written = 0;
  for (let pages = 0; pages < PAGES_MAX && written < EXPORTED_MAX; pages += 1) {
    const page = await findAuditPage(lists.em(), { filter, limit: FILE_PAGE_SIZE, cursor: next });
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
