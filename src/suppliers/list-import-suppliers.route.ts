import type { Database } from '../platform/database/database.ts';
import type { Route } from '../platform/http/route.ts';
import { listImportSuppliersOpenApi } from './suppliers.openapi.ts';
import { findAllImportSuppliers } from './import-supplier.store.ts';

/** `GET import-suppliers/`: all of them, by code. */
export const listImportSuppliers = (deps: { database: Database }): Route => ({
  method: 'GET',
  path: '/v1/operations/import-suppliers',
  access: 'operator',
  action: 'look',
  openApi: listImportSuppliersOpenApi,
  handle: async () => ({ status: 200, body: await findAllImportSuppliers(deps.database.em()) }),
});
