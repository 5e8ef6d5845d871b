/** Public interface of the consistency check of Postgres against Temporal. */
export { checkPage } from './check-page.client.ts';
export { findLastCheck, recordCheck, type CheckResult } from './last-check.store.ts';
