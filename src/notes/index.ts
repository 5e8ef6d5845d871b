/** The door of notes: operations that change an account tell its readers so, and import jobs add notes as the operation does. */
export { createNotes } from './create-notes.route.ts';
export { isPinnedSql, pinNote } from './note.store.ts';
export { changeNotePin } from './change-note-pin.client.ts';
