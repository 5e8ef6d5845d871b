/** Public interface of import suppliers. */
export { createDocumentCheck, type DocumentCheck } from './check-documents.client.ts';
export {
  createSupplierDirectory,
  findSupplierInScope,
  supplierCodes,
  type KnownSupplier,
  type SupplierDirectory,
} from './supplier-directory.store.ts';
export { importSuppliers } from './import-supplier.route.ts';
export { findAllImportSuppliers, findSupplierByCode } from './supplier-directory.store.ts';
export { createRequestQuotas } from './request-quota.rules.ts';
export { shareRequestQuotas } from './shared-quota.queue.ts';
export { checksDocuments, closedValueSetsOf, readingOptionsOf } from './supplier-options.rules.ts';
export type { ImportSupplierTable } from './import-supplier.entity.ts';
