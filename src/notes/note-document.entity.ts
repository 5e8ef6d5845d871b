import { defineEntity } from '@mikro-orm/core';
import { KEPT, PERSONAL } from '../platform/database/personal-columns.ts';

const p = defineEntity.properties;

const NoteDocumentSchema = defineEntity({
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

/** A document attached to a note. */
export class NoteDocument extends NoteDocumentSchema.class {}
NoteDocumentSchema.setClass(NoteDocument);
