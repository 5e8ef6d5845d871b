/** The door of personal data: what is deleted after a time. */
export { beginRetentionByNight, findRetention } from './expire/retention.store.ts';
