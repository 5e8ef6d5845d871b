/** The door of notes: operations that change an account tell its readers so, and import jobs add notes as the operation does. */
export { createNotes } from './create-notes.route.ts';
export { pinNote } from './note.store.ts';
export { changePin } from './change-pin.client.ts';
