/** Public interface of notes, for operations and import jobs that add them. */
export { createNotes } from './create-notes.route.ts';
export { isPinnedSql, pinNote } from './notes.store.ts';
export { changeNotePin } from './note-pin.route.ts';
