import { defineEntity, p } from '@mikro-orm/core';
import { KEPT, PERSONAL } from '../platform/database/personal-columns.ts';

/** A note on an account; its fingerprint is the hash of the body or, without a body, of the document paths. */
export const Note = defineEntity({
  name: 'Note',
  tableName: 'note',
  properties: {
    accountId: p.uuid().primary().comment(KEPT),
    position: p.integer().primary().comment(KEPT),
    body: p.text().nullable().comment(PERSONAL),
    createdAt: p.datetime().comment(KEPT),
    isPinned: p.boolean().comment(KEPT),
    unpinAt: p.datetime().nullable().comment(KEPT),
    fingerprint: p.blob().comment(PERSONAL),
    /** The job whose line added it. */
    importJobId: p.uuid().nullable().comment(KEPT),
  },
});

/** A document attached to a note. */
export const NoteDocument = defineEntity({
  name: 'NoteDocument',
  tableName: 'note_document',
  properties: {
    accountId: p.uuid().primary().comment(KEPT),
    position: p.integer().primary().comment(KEPT),
    notePosition: p.integer().comment(KEPT),
    documentPath: p.text().comment(PERSONAL),
    documentRoot: p.text().nullable().comment(KEPT),
  },
});
