/** Public interface of personal data: retention, erasure and export. */
export { beginRetentionByNight, findRetention } from './expire/retention.store.ts';
export { type RetentionView, readRetention } from './expire/retention.route.ts';
export {
  eraseAudited,
  previewErasure,
  findReceipt,
  findReceipts,
  type KeptReceipt,
} from './erase/create-erasure.route.ts';
export { exportAudited } from './export/find-person-export.route.ts';
