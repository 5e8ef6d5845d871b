/** The door of import suppliers: what other capabilities may know of them. */
export { createSupplierDirectory, type KnownSupplier, type SupplierDirectory } from './supplier-directory.store.ts';
export type { SupplierOptions } from './import-supplier.entity.ts';
