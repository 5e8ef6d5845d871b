/** The door of the import of accounts. */
export { heldSlots, type HeldSlots } from './limit/held-slots.store.ts';
export { findPayloadWarnings } from './validate/account-warnings.validation.ts';
export { findStagingWarnings } from './stage/staging-warnings.store.ts';
