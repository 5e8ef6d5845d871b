/** The door of what is stuck. */
export { readBacklog } from './backlog.store.ts';
