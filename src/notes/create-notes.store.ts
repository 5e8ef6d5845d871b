import { lockImportedAccount } from '../accounts/index.ts';
import type { WritableDatabase } from '../platform/database/database.ts';
import { instantOf } from '../vocabulary/wire-forms.ts';
import type { CreateNotesRequest, SentNote } from './create-notes.schema.ts';
import { classifyNotes, type ComparedNote, type ClassifiedNote } from './note.rules.ts';
import { attachUnknownNotes, findNotesByIdentity, identityOf, insertNotes, type NewNote } from './note.store.ts';

export type NotesOutcome = { kind: 'account-not-found' } | { kind: 'classified'; notes: ClassifiedNote[] };

type IdentifiedNote = ComparedNote & { note: SentNote; createdAt: string | undefined };

/** What the notes of a request have in common. */
interface Moment {
  /** What `created_at` is where it was not sent, as `instantOf` writes it. */
  now: string;
  /** Where the supplier's documents lie. */
  documentRoot: string | null;
}

/**
 * Adds the notes of a request that the account does not have; all or nothing, in a
 * constant number of statements. Nearly always the account has none of them, which one statement finds out and uses.
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
  const outcome = await attachUnknownNotes(
    database,
    request.import_supplier,
    request.external_account_number,
    moment.documentRoot,
    newNotes(sent, asIfNoneWereKnown),
  );
  if (outcome === 'account-not-found') return { kind: outcome };
  return outcome === 'written'
    ? { kind: 'classified', notes: asIfNoneWereKnown }
    : createBesideKnown(database, request, sent, moment);
}

/** The same when the account has notes that may equal some of these. */
async function createBesideKnown(
  database: WritableDatabase,
  request: CreateNotesRequest,
  sent: readonly IdentifiedNote[],
  { now, documentRoot }: Moment,
): Promise<NotesOutcome> {
  return database.transaction(async (em) => {
    const account = await lockImportedAccount(em, request.import_supplier, request.external_account_number);
    if (account === undefined) return { kind: 'account-not-found' };
    const stored = await findNotesByIdentity(em, account.id, [...new Set(sent.map(({ identity }) => identity))]);
    const notes = classifyNotes(sent, stored, now);
    const added = newNotes(sent, notes);
    if (added.length > 0) await insertNotes(em, account.id, documentRoot, added);
    return { kind: 'classified', notes };
  });
}

/** Those that are to be written. */
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
