/** The door of the check: whether Postgres and Temporal agree about what is open. */
export { checkPage } from './check-page.client.ts';
export { findLastCheck, recordCheck, type CheckResult } from './last-check.store.ts';
