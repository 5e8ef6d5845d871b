import { hash } from 'node:crypto';
import type { Statement, Transaction } from '../platform/database/database.ts';
import { relativeDocumentPath } from '../vocabulary/wire-forms.ts';
import type { NoteIdentity } from './note.rules.ts';

/** A note to be written, and how it is known again. */
export interface NewNote {
  body: string | null;
  /** An instant. */
  createdAt: string;
  isPinned: boolean;
  unpinAt: string | null;
  fingerprint: string;
  /** Relative to the document root. */
  documentPaths: readonly string[];
}

const FIND_BY_FINGERPRINT: Statement = {
  name: 'find-notes-by-fingerprint',
  text: `
    select body is not null as "hasBody", encode(fingerprint, 'hex') as fingerprint, to_char(created_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') as "createdAt"
    from note where account_id = $1 and fingerprint in (select decode(f, 'hex') from unnest($2::text[]) f) order by position`,
};

/** All notes of a request with their documents: one statement however many there are. The caller holds the account's row. */
const INSERT_NOTES: Statement = {
  name: 'insert-notes',
  text: `
    with sent as materialized (
      select n.*, n.n - 1 + (select coalesce(max(position) + 1, 0) from note where account_id = $1) as position
      from rows from (unnest($2::text[]), unnest($3::timestamptz[]), unnest($4::boolean[]), unnest($5::timestamptz[]), unnest($6::text[]))
        with ordinality as n (body, created_at, is_pinned, unpin_at, fingerprint, n)),
    documents_written as (
      insert into note_document (account_id, position, note_position, document_path)
      select $1, d.n - 1 + (select coalesce(max(position) + 1, 0) from note_document where account_id = $1), s.position, d.path
      from rows from (unnest($7::integer[]), unnest($8::text[])) with ordinality as d (note, path, n) join sent s on s.n = d.note)
    insert into note (account_id, position, body, created_at, is_pinned, unpin_at, fingerprint)
    select $1, position, body, created_at, is_pinned, unpin_at, decode(fingerprint, 'hex') from sent order by position`,
};

/** How a note is known again: by its body, or by its documents in the order of their bytes where it has none. */
export function identifyNote(body: string, documentPaths: readonly string[]): NoteIdentity {
  const text = body !== '' ? body : documentPaths.map(relativeDocumentPath).toSorted((one, other) => Buffer.compare(Buffer.from(one), Buffer.from(other))).join('\n');
  return { hasBody: body !== '', fingerprint: hash('sha256', text, 'hex') };
}

/** The notes of an account that may equal others, oldest first; instants as `instantOf` writes them. */
export async function findNotesByFingerprint(tx: Transaction, accountId: string, fingerprints: readonly string[]): Promise<(NoteIdentity & { createdAt: string })[]> {
  return tx.run(FIND_BY_FINGERPRINT, [accountId, fingerprints]);
}

/** Writes notes behind those of the account, whose row the caller holds. */
export async function insertNotes(tx: Transaction, accountId: string, notes: readonly NewNote[]): Promise<void> {
  const documents = notes.flatMap((note, index) => note.documentPaths.map((path) => ({ note: index + 1, path: relativeDocumentPath(path) })));
  await tx.run(INSERT_NOTES, [
    accountId,
    notes.map(({ body }) => body), notes.map(({ createdAt }) => createdAt), notes.map(({ isPinned }) => isPinned), notes.map(({ unpinAt }) => unpinAt),
    notes.map(({ fingerprint }) => fingerprint),
    documents.map(({ note }) => note), documents.map(({ path }) => path),
  ]);
}

/** Pins a note of ours to the account, whose row the caller holds. It is written whatever notes there are. */
export async function pinNote(tx: Transaction, accountId: string, note: { body: string; createdAt: Date }): Promise<void> {
  const { fingerprint } = identifyNote(note.body, []);
  await insertNotes(tx, accountId, [{ body: note.body, createdAt: note.createdAt.toISOString(), isPinned: true, unpinAt: null, fingerprint, documentPaths: [] }]);
}
