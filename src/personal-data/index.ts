/** The door of personal data: what is deleted after a time, and on request. */
export { beginRetentionByNight, findRetention } from './expire/retention.store.ts';
export { readRetention } from './expire/find-retention.route.ts';
export { eraseAudited, previewErasure } from './erase/create-erasure.route.ts';
export { findReceipt, findReceipts, type KeptReceipt } from './erase/receipts.store.ts';
export { exportAudited } from './export/find-person-export.route.ts';
