import type { EntityManager } from '@mikro-orm/postgresql';
import { run, type Queryable, type PreparedQuery } from '../platform/database/prepared-query.ts';
import { relativeDocumentPath } from '../vocabulary/wire-forms.ts';
import type { ComparedNote } from './note.rules.ts';

/** A note to be written, and how it is known again. */
export interface NewNote {
  body: string | null;
  /** An instant. */
  createdAt: string;
  isPinned: boolean;
  unpinAt: string | null;
  /** What it is known again by: see `identityOf`. */
  identity: string;
  /** Relative to the document root. */
  documentPaths: readonly string[];
}

const FIND_BY_IDENTITY: PreparedQuery = {
  name: 'find-notes-by-identity',
  text: `
    with wanted as materialized (select i.identity, sha256(convert_to(i.identity, 'UTF8')) as fingerprint from unnest($2::text[]) as i (identity)),
    -- By the note's position: read once, however many notes are found.
    documents as materialized (
      select coalesce(jsonb_object_agg(position::text, found), '{}') as paths from (
        select d.note_position as position, jsonb_agg(d.document_path) as found from note_document d where d.account_id = $1 group by d.note_position) by_note)
    select t.body is not null as "hasBody", w.identity, to_char(t.created_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') as "createdAt",
      coalesce((select paths from documents) -> t.position::text, '[]') as "documentPaths"
    from note t join wanted w on w.fingerprint = t.fingerprint
    where t.account_id = $1 and t.fingerprint = any (array(select fingerprint from wanted)) order by t.position`,
};

/** The functions are defined in insert-notes.sql and attach-unknown-notes.sql. */
const INSERT_NOTES: PreparedQuery = {
  name: 'insert-notes',
  text: 'select insert_notes($1, $2, $3, $4, $5, $6, $7, $8, $9)',
};

const ATTACH_UNKNOWN: PreparedQuery = {
  name: 'attach-unknown-notes',
  text: 'select attach_unknown_notes($1, $2, $3, $4, $5, $6, $7, $8, $9, $10) as outcome',
};

/** What a note is known again by: its body, or its documents in the order of their bytes where it has none. */
export function identityOf(body: string, documentPaths: readonly string[]): string {
  if (body !== '') return body;
  return documentPaths
    .map(relativeDocumentPath)
    .toSorted((one, other) => Buffer.compare(Buffer.from(one), Buffer.from(other)))
    .join('\n');
}

/** The notes of an account that may equal others, oldest first; instants as `instantOf` writes them. */
export async function findNotesByIdentity(
  em: EntityManager,
  accountId: string,
  identities: readonly string[],
): Promise<(ComparedNote & { createdAt: string })[]> {
  return run(em, FIND_BY_IDENTITY, [accountId, identities]);
}

/** Writes notes behind those of the account, whose row the caller holds. */
export async function insertNotes(
  em: EntityManager,
  accountId: string,
  documentRoot: string | null,
  notes: readonly NewNote[],
): Promise<void> {
  await run(em, INSERT_NOTES, [accountId, documentRoot, ...columnsOf(notes)]);
}

/**
 * Writes notes if the account has none that may equal one of them, in one statement and one autocommit.
 * @returns `some-known` if it has: then nothing was written
 */
export async function attachUnknownNotes(
  database: Queryable,
  importSupplier: string,
  externalAccountNumber: string,
  documentRoot: string | null,
  notes: readonly NewNote[],
): Promise<'written' | 'some-known' | 'account-not-found'> {
  const [row] = await run<{ outcome: 'written' | 'some-known' | 'account-not-found' }>(database, ATTACH_UNKNOWN, [
    importSupplier,
    externalAccountNumber,
    documentRoot,
    ...columnsOf(notes),
  ]);
  return row!.outcome;
}

function columnsOf(notes: readonly NewNote[]): unknown[] {
  const documents = notes.flatMap((note, index) =>
    note.documentPaths.map((path) => ({ note: index + 1, path: relativeDocumentPath(path) })),
  );
  return [
    notes.map(({ body }) => body),
    notes.map(({ createdAt }) => createdAt),
    notes.map(({ isPinned }) => isPinned),
    notes.map(({ unpinAt }) => unpinAt),
    // The body itself is not sent twice.
    notes.map(({ body, identity }) => (identity === body ? null : identity)),
    documents.map(({ note }) => note),
    documents.map(({ path }) => path),
  ];
}

/** Pins a note of the service to an account whose row the caller holds, even if an equal note exists. */
export async function pinNote(
  em: EntityManager,
  accountId: string,
  note: { body: string; createdAt: Date },
): Promise<void> {
  await insertNotes(em, accountId, null, [
    {
      body: note.body,
      createdAt: note.createdAt.toISOString(),
      isPinned: true,
      unpinAt: null,
      identity: note.body,
      documentPaths: [],
    },
  ]);
}

/** Whether a note is pinned, as operators see it. */
export interface PinView {
  /** Its place among the notes of the account, from 0. */
  note: number;
  is_pinned: boolean;
  unpin_at: string | null;
}

/** SQL: a note is pinned until it is to be unpinned. The one meaning of `is_pinned` in every view. @param row alias of the note */
export const isPinnedSql = (row: string) =>
  `(${row}.is_pinned and (${row}.unpin_at is null or ${row}.unpin_at > now()))`;

const PIN = (row: string) =>
  `jsonb_build_object('note', ${row}.position, 'is_pinned', ${isPinnedSql(row)}, 'unpin_at', to_char(${row}.unpin_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'))`;

const CHANGE_PIN: PreparedQuery = {
  name: 'note-change-pin',
  text: `
    with found as materialized (
      select n.* from account a join note n on n.account_id = a.id and n.position = $3
      where a.import_supplier = $1 and a.external_account_number = $2 for no key update of n),
    changed as (
      update note n set is_pinned = $4, unpin_at = $5 from found f where n.account_id = f.account_id and n.position = f.position returning n.*)
    select ${PIN('f')} as before, ${PIN('c')} as after from found f, changed c`,
};

/** Pins or unpins a note of an account. @returns undefined if the note does not exist */
export async function changePin(
  em: EntityManager,
  key: { import_supplier: string; external_account_number: string },
  note: number,
  { isPinned, unpinAt }: { isPinned: boolean; unpinAt: string | null },
): Promise<{ before: PinView; after: PinView } | undefined> {
  const place = [key.import_supplier, key.external_account_number, note];
  const [row] = await run<{ before: PinView; after: PinView }>(em, CHANGE_PIN, [...place, isPinned, unpinAt]);
  return row;
}
