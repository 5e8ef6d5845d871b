import { defineEntity } from '@mikro-orm/core';
import { KEPT, PERSONAL } from '../platform/database/personal-columns.ts';

const p = defineEntity.properties;

const NoteSchema = defineEntity({
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
  },
});

/** A note on an account; its fingerprint is the hash of the body, or of the document paths where it has none. */
export class Note extends NoteSchema.class {}
NoteSchema.setClass(Note);
