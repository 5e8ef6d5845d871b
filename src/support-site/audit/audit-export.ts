import { findAuditPage, type AuditEntryView } from '../../access/index.ts';
import type { AuditFilter } from '../../access/audit/audit-filter.rules.ts';
import type { Database } from '../../platform/database/database.ts';
import { csvHead, csvLine } from '../frame/csv.rules.ts';
import type { Download } from '../frame/page.ts';

/** Entries of one file at most, and pages scanned for it at most. */
export const EXPORTED_MAX = 200_000;
const PAGES_MAX = 2_000;
const PAGE_SIZE = 1_000;

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

export function isExportForm(name: string | null): name is ExportForm {
  return name !== null && Object.hasOwn(FORMS, name);
}

/** Streams audit entries as a file, newest first, one page at a time. */
export function auditFile(
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
    const page = await findAuditPage(lists.em(), { filter, limit: PAGE_SIZE, cursor: next });
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
