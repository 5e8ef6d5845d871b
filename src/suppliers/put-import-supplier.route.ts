import { recordAudit } from '../access/index.ts';
import type { Database } from '../platform/database/database.ts';
import type { Route } from '../platform/http/route.ts';
import { compileOperatorBody } from '../platform/validation/compile-operator-body.ts';
import { isRefused } from '../vocabulary/refusals.ts';
import { putImportSupplierOpenApi } from './suppliers.openapi.ts';
import { putImportSupplierSchema, supplierCodeSchema, type PutImportSupplier } from './import-supplier.schema.ts';
import { changeImportSupplier } from './import-supplier.store.ts';
import type { SupplierDirectory } from './supplier-directory.store.ts';
import { findSupplierViolations } from './supplier-options.rules.ts';

const checkCode = compileOperatorBody<{ code: string }>(supplierCodeSchema);
const checkBody = compileOperatorBody<PutImportSupplier>(putImportSupplierSchema, findSupplierViolations);

/** `PUT import-suppliers/<code>/`: registers a supplier, or changes the given parts of it. */
export const putImportSupplier = (deps: { database: Database; suppliers: SupplierDirectory }): Route => ({
  method: 'PUT',
  path: '/v1/operations/import-suppliers/:code',
  access: 'operator',
  action: 'change',
  openApi: putImportSupplierOpenApi,
  bodyLimitBytes: 65_536,
  handle: async ({ params, body, caller }) => {
    const path = checkCode({ code: params['code'] });
    if (isRefused(path)) return path;
    const sent = checkBody(body);
    if (isRefused(sent)) return sent;
    const change = await deps.database.transaction(async (em) => {
      const done = await changeImportSupplier(em, path.code, sent);
      await recordAudit(em, caller, {
        action: done.created ? 'import_supplier.created' : 'import_supplier.changed',
        subject: `import-suppliers/${path.code}`,
        before: done.before,
        after: done.after,
        reason: sent.reason,
      });
      return done;
    });
    deps.suppliers.forget();
    return { status: change.created ? 201 : 200, body: change.after };
  },
});
