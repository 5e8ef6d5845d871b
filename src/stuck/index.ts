/** The door of what is stuck. */
export { readBacklog, type Backlog } from './backlog.store.ts';
