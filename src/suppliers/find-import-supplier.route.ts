import type { Database } from '../platform/database/database.ts';
import type { Route } from '../platform/http/route.ts';
import { compileOperatorBody } from '../platform/validation/compile-operator-body.ts';
import { isRefused, refuse } from '../vocabulary/refusals.ts';
import { findImportSupplierOpenApi } from './suppliers.openapi.ts';
import { supplierCodeSchema } from './import-supplier.schema.ts';
import { findSupplierByCode } from './import-supplier.store.ts';

const checkCode = compileOperatorBody<{ code: string }>(supplierCodeSchema);

/** `GET import-suppliers/<code>/`. */
export const findImportSupplier = (deps: { database: Database }): Route => ({
  method: 'GET',
  path: '/v1/operations/import-suppliers/:code',
  access: 'operator',
  action: 'look',
  openApi: findImportSupplierOpenApi,
  handle: async ({ params }) => {
    const path = checkCode({ code: params['code'] });
    const supplier = isRefused(path) ? undefined : await findSupplierByCode(deps.database.em(), path.code);
    return supplier === undefined
      ? refuse('not_found', { detail: 'There is no import supplier with this code.' })
      : { status: 200, body: supplier };
  },
});
