import { defineEntity } from '@mikro-orm/core';

const p = defineEntity.properties;

const NoteDocumentSchema = defineEntity({
  name: 'NoteDocument',
  tableName: 'note_document',
  properties: {
    accountId: p.uuid().name('account_id').primary(),
    position: p.integer().name('position').primary(),
    notePosition: p.integer().name('note_position'),
    documentPath: p.text().name('document_path'),
    documentRoot: p.text().name('document_root').nullable(),
  },
});

/** A document attached to a note. */
export class NoteDocument extends NoteDocumentSchema.class {}
NoteDocumentSchema.setClass(NoteDocument);
