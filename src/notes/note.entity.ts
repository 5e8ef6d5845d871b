import { defineEntity } from '@mikro-orm/core';

const p = defineEntity.properties;

const NoteSchema = defineEntity({
  name: 'Note',
  tableName: 'note',
  properties: {
    accountId: p.uuid().name('account_id').primary(),
    position: p.integer().name('position').primary(),
    body: p.text().name('body').nullable(),
    createdAt: p.datetime().name('created_at'),
    isPinned: p.boolean().name('is_pinned'),
    unpinAt: p.datetime().name('unpin_at').nullable(),
    fingerprint: p.blob().name('fingerprint'),
  },
});

/** A note on an account; its fingerprint is the hash of the body, or of the document paths where it has none. */
export class Note extends NoteSchema.class {}
NoteSchema.setClass(Note);
