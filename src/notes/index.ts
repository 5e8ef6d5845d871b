/** The door of notes: operations that change an account tell its readers so. */
export { pinNote } from './note.store.ts';
