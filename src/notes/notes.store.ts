import type { EntityManager } from '@mikro-orm/postgresql';
import { lockImportedAccount } from '../accounts/index.ts';
import type { WritableDatabase } from '../platform/database/database.ts';
import { type PreparedQuery, run } from '../platform/database/prepared-query.ts';
import { instantOf, relativeDocumentPath } from '../vocabulary/wire-forms.ts';
import { type ClassifiedNote, type ComparedNote, classifyNotes } from './note.rules.ts';
import type { AccountKey } from '../accounts/account-key.schema.ts';
import { Note } from './note.entity.ts';
import type { CreateNotesRequest, SentNote, pinSchema } from './notes.schema.ts';
import type { Static } from 'typebox';

export type NotesOutcome = { kind: 'account-not-found' } | { kind: 'classified'; notes: ClassifiedNote[] };

type IdentifiedNote = ComparedNote & { note: SentNote; createdAt: string | undefined };

/** A stored note. `createdAt` is formatted like `instantOf`. */
type KnownNote = ComparedNote & { createdAt: string };

/** Facts that apply to all notes of a request. */
interface Moment {
  /** The `created_at` of notes without one, formatted by `instantOf`. */
  now: string;
  /** Root of the supplier's documents. */
  documentRoot: string | null;
  /** The import job of the request; null for a single request. */
  importJobId: string | null;
}

/**
 * Adds the notes that the account does not have, all or none, in a constant number of statements. Usually all are new, so one statement
 * checks this and inserts them.
 */
export async function createNotes(
  database: WritableDatabase,
  request: CreateNotesRequest,
  moment: Moment,
): Promise<NotesOutcome> {
  const sent = request.notes.map((note): IdentifiedNote => {
    const documentPaths = (note.document_paths ?? []).map(({ document_path: path }) => path);
    const body = note.body ?? '';
    return {
      note,
      documentPaths,
      createdAt: instantOf(note.created_at ?? '') || undefined,
      hasBody: body !== '',
      identity: identityOf(body, documentPaths),
    };
  });
  const asIfNoneWereKnown = classifyNotes(sent, [], moment.now);
  const [row] = await run<{ outcome: 'written' | 'some-known' | 'account-not-found' }>(database, ATTACH_UNKNOWN, [
    request.import_supplier,
    request.external_account_number,
    moment.documentRoot,
    ...columnsOf(newNotes(sent, asIfNoneWereKnown)),
    moment.importJobId,
  ]);
  switch (row!.outcome) {
    case 'account-not-found':
      return { kind: 'account-not-found' };
    case 'written':
      return { kind: 'classified', notes: asIfNoneWereKnown };
    case 'some-known':
      return createBesideKnown(database, request, sent, moment);
  }
}

/** Used if the account has notes that may equal some of these. */
async function createBesideKnown(
  database: WritableDatabase,
  request: CreateNotesRequest,
  sent: readonly IdentifiedNote[],
  { now, documentRoot, importJobId }: Moment,
): Promise<NotesOutcome> {
  return database.transaction(async (em) => {
    const account = await lockImportedAccount(em, request.import_supplier, request.external_account_number);
    if (account === undefined) return { kind: 'account-not-found' };
    const identities = [...new Set(sent.map(({ identity }) => identity))];
    const stored = await run<KnownNote & Record<string, unknown>>(em, FIND_BY_IDENTITY, [account.id, identities]);
    const notes = classifyNotes(sent, stored, now);
    const added = newNotes(sent, notes);
    if (added.length > 0) await insertNotes(em, account.id, { documentRoot, importJobId }, added);
    return { kind: 'classified', notes };
  });
}

/** Selects the notes to insert. */
function newNotes(sent: readonly IdentifiedNote[], classified: readonly ClassifiedNote[]): NewNote[] {
  return sent.flatMap(({ note, documentPaths, identity }, index) => {
    const { isNew, createdAt } = classified[index]!;
    if (!isNew) return [];
    return [
      {
        body: note.body || null,
        createdAt,
        isPinned: note.is_pinned ?? false,
        unpinAt: instantOf(note.unpin_at ?? '') || null,
        identity,
        documentPaths,
      },
    ];
  });
}

/** A note to insert. */
interface NewNote {
  body: string | null;
  /** Formatted by `instantOf`. */
  createdAt: string;
  isPinned: boolean;
  unpinAt: string | null;
  /** See `identityOf`. */
  identity: string;
  /** Relative to the document root. */
  documentPaths: readonly string[];
}

/** Finds the notes of an account with one of these identities, oldest first. */
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

/** The functions are defined in the .sql files of this folder. */
const INSERT_NOTES: PreparedQuery = {
  name: 'insert-notes',
  text: 'select insert_notes($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)',
};

const ATTACH_UNKNOWN: PreparedQuery = {
  name: 'attach-unknown-notes',
  text: 'select attach_unknown_notes($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11) as outcome',
};

/** Identifies a note by its body or, without a body, by its document paths in byte order. */
function identityOf(body: string, documentPaths: readonly string[]): string {
  if (body !== '') return body;
  return documentPaths
    .map(relativeDocumentPath)
    .toSorted((one, other) => Buffer.compare(Buffer.from(one), Buffer.from(other)))
    .join('\n');
}

/** Inserts notes after the existing ones. The caller must hold the lock of the account. */
async function insertNotes(
  em: EntityManager,
  accountId: string,
  { documentRoot, importJobId }: Pick<Moment, 'documentRoot' | 'importJobId'>,
  notes: readonly NewNote[],
): Promise<void> {
  await run(em, INSERT_NOTES, [accountId, documentRoot, ...columnsOf(notes), importJobId]);
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
    // Do not send the body twice.
    notes.map(({ body, identity }) => (identity === body ? null : identity)),
    documents.map(({ note }) => note),
    documents.map(({ path }) => path),
  ];
}

/** Adds a pinned note of the service to an account, even if an equal note exists. The caller must hold the lock of the account. */
export async function pinNote(
  em: EntityManager,
  accountId: string,
  note: { body: string; createdAt: Date; importJobId: string | null },
): Promise<void> {
  await insertNotes(em, accountId, { documentRoot: null, importJobId: note.importJobId }, [
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

/** SQL: whether a note is pinned now; used by every view. @param row alias of the note */
export const isPinnedSql = (row: string) =>
  `(${row}.is_pinned and (${row}.unpin_at is null or ${row}.unpin_at > now()))`;

/** Pins or unpins a note of an account. @returns undefined if the note does not exist */
export async function changePin(
  em: EntityManager,
  { import_supplier: supplier, external_account_number: external }: AccountKey,
  position: number,
  { isPinned, unpinAt }: { isPinned: boolean; unpinAt: string | null },
): Promise<{ before: object; after: object } | undefined> {
  const account = await lockImportedAccount(em, supplier, external);
  const note = account && (await em.findOne(Note, { accountId: account.id, position }));
  if (!note) return undefined;
  const view = (): Static<typeof pinSchema> => ({
    note: position,
    is_pinned: note.isPinned && (!note.unpinAt || note.unpinAt > new Date()),
    unpin_at: note.unpinAt?.toISOString() ?? null,
  });
  const before = view();
  em.assign(note, { isPinned, unpinAt: unpinAt === null ? null : new Date(unpinAt) });
  await em.flush();
  return { before, after: view() };
}
