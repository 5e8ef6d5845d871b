import { isAbsent, listOf, membersIn, textOf, type Loose } from '../vocabulary/loose-payload.ts';
import { instantOf, relativeDocumentPath } from '../vocabulary/wire-forms.ts';
import { NON_FIELD_ERRORS, violation, type Path, type Violation } from '../vocabulary/violations.ts';
import type { CreateNotesRequest } from './notes.schema.ts';

/**
 * Validates that each note has a non-empty body or a document. Used by operation 4 and account payloads.
 * @param path of the list
 */
export function findEmptyNoteViolations(notes: readonly unknown[], path: Path): Violation[] {
  const found: Violation[] = [];
  for (const [index, item] of notes.entries()) {
    if (item === null || typeof item !== 'object' || Array.isArray(item)) continue;
    const { body, document_paths: documents } = membersIn(item);
    const hasDocuments = Array.isArray(documents) ? documents.length > 0 : documents !== undefined;
    if (isAbsent(body) && !hasDocuments) {
      found.push(violation('note_body_or_document_path_not_found', [...path, index, NON_FIELD_ERRORS]));
    }
  }
  return found;
}

/** The cross-field rules of operation 4: each note has a body or a document, and `unpin_at` is not before `created_at`. */
export function findNoteViolations(request: CreateNotesRequest, facts: { now: string }): Violation[] {
  const notes = listOf((request as Loose)['notes']);
  const found = findEmptyNoteViolations(notes, ['notes']);
  for (const [index, note] of notes.entries()) {
    const unpinAt = instantOf(textOf(membersIn(note)['unpin_at']));
    const createdAt = instantOf(textOf(membersIn(note)['created_at'])) || facts.now;
    if (unpinAt !== '' && unpinAt < createdAt) {
      found.push(violation('note_unpin_at_earlier_than_creation_date', ['notes', index, 'unpin_at']));
    }
  }
  return found;
}

/** The documents of a list of notes, with their paths in the payload. */
export function noteDocumentPositions(
  notes: readonly { document_paths?: readonly { document_path: string }[] }[],
  path: Path,
): { path: Path; documentPath: string }[] {
  return notes.flatMap((note, index) =>
    (note.document_paths ?? []).map((document, position) => ({
      path: [...path, index, 'document_paths', position, 'document_path'],
      documentPath: document.document_path,
    })),
  );
}

/** Notes are compared by their body, or by their documents if they have no body. */
interface NoteIdentity {
  hasBody: boolean;
  identity: string;
}

/** A note with its documents, as they were sent or as they are stored. */
export interface ComparedNote extends NoteIdentity {
  documentPaths: readonly string[];
}

/** The result of one note of a request. */
export interface ClassifiedNote {
  /** `created_at` of the stored note, formatted by `instantOf`. */
  createdAt: string;
  isNew: boolean;
  /** Sent paths that the existing note does not have; they are not added to it. */
  ignoredDocuments: string[];
}

/**
 * Classifies the notes of a request in order, as if each were sent in a separate request. A note without `created_at` equals any note of
 * the same identity; a note with `created_at` equals only the note of that time.
 * @param stored the account's notes of these identities, oldest first
 * @param now the `created_at` of notes without one
 */
export function classifyNotes(
  sent: readonly (ComparedNote & { createdAt: string | undefined })[],
  stored: readonly (ComparedNote & { createdAt: string })[],
  now: string,
): ClassifiedNote[] {
  // Document paths by identity and time. Bodies and document lists are separate, because a body may equal a document path.
  const bodies = new Map<string, Map<string, Set<string>>>();
  const documents = new Map<string, Map<string, Set<string>>>();
  const knownOf = ({ hasBody, identity }: NoteIdentity): Map<string, Set<string>> => {
    const known = (hasBody ? bodies : documents).get(identity) ?? new Map<string, Set<string>>();
    (hasBody ? bodies : documents).set(identity, known);
    return known;
  };
  const pathsOf = ({ documentPaths }: ComparedNote): Set<string> => new Set(documentPaths.map(relativeDocumentPath));
  for (const note of stored) {
    const known = knownOf(note);
    known.set(note.createdAt, (known.get(note.createdAt) ?? new Set()).union(pathsOf(note)));
  }
  return sent.map((note) => {
    const known = knownOf(note);
    const [oldest] = known.keys();
    const createdAt = note.createdAt ?? oldest ?? now;
    const stored = known.get(createdAt);
    if (stored === undefined) known.set(createdAt, pathsOf(note));
    return {
      createdAt,
      isNew: stored === undefined,
      ignoredDocuments:
        stored === undefined ? [] : note.documentPaths.filter((path) => !stored.has(relativeDocumentPath(path))),
    };
  });
}
