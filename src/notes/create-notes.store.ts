import { lockImportedAccount } from '../accounts/index.ts';
import type { Database } from '../platform/database/database.ts';
import { instantOf } from '../vocabulary/wire-forms.ts';
import type { CreateNotesRequest } from './create-notes.schema.ts';
import { settleNotes, type SettledNote } from './note.rules.ts';
import { findNotesByFingerprint, identifyNote, insertNotes, type NewNote } from './note.store.ts';

export type NotesOutcome = { kind: 'account-not-found' } | { kind: 'settled'; notes: SettledNote[] };

/**
 * Adds the notes of a request that the account does not have (specification 2.5, design 3). One transaction and a
 * constant number of statements; all or nothing.
 * @param now what `created_at` is where it was not sent, as `instantOf` writes it
 */
export async function createNotes(database: Database, request: CreateNotesRequest, now: string): Promise<NotesOutcome> {
  const sent = request.notes.map((note) => {
    const documentPaths = (note.document_paths ?? []).map(({ document_path: path }) => path);
    return { note, documentPaths, createdAt: instantOf(note.created_at ?? '') || undefined, ...identifyNote(note.body ?? '', documentPaths) };
  });
  return database.transaction(async (tx) => {
    const account = await lockImportedAccount(tx, request.import_supplier, request.external_account_number);
    if (account === undefined) return { kind: 'account-not-found' };
    const stored = await findNotesByFingerprint(tx, account.id, [...new Set(sent.map(({ fingerprint }) => fingerprint))]);
    const notes = settleNotes(sent, stored, now);
    const added = sent.flatMap(({ note, documentPaths, fingerprint }, index): NewNote[] => {
      const { isNew, createdAt } = notes[index]!;
      if (!isNew) return [];
      return [{ body: note.body || null, createdAt, isPinned: note.is_pinned ?? false, unpinAt: instantOf(note.unpin_at ?? '') || null, fingerprint, documentPaths }];
    });
    if (added.length > 0) await insertNotes(tx, account.id, added);
    return { kind: 'settled', notes };
  });
}
