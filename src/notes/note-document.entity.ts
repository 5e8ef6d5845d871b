import { defineEntity } from '@mikro-orm/core';

const p = defineEntity.properties;

const NoteDocumentSchema = defineEntity({
  name: 'NoteDocument',
  tableName: 'note_document',
  properties: {
    accountId: p.uuid().primary(),
    position: p.integer().primary(),
    notePosition: p.integer(),
    documentPath: p.text(),
    documentRoot: p.text().nullable(),
  },
});

/** A document attached to a note. */
export class NoteDocument extends NoteDocumentSchema.class {}
NoteDocumentSchema.setClass(NoteDocument);
