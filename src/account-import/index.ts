/** The door of the import of accounts. */
export { heldSlots, type HeldSlots } from './limit/held-slots.store.ts';
