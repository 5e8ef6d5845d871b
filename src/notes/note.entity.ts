import { defineEntity } from '@mikro-orm/core';

const p = defineEntity.properties;

const NoteSchema = defineEntity({
  name: 'Note',
  tableName: 'note',
  properties: {
    accountId: p.uuid().primary(),
    position: p.integer().primary(),
    body: p.text().nullable(),
    createdAt: p.datetime(),
    isPinned: p.boolean(),
    unpinAt: p.datetime().nullable(),
    fingerprint: p.blob(),
  },
});

/** A note on an account; its fingerprint is the hash of the body, or of the document paths where it has none. */
export class Note extends NoteSchema.class {}
NoteSchema.setClass(Note);
