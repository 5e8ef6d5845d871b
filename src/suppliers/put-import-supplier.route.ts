import { recordAudit, type Actor } from '../access/index.ts';
import type { Database } from '../platform/database/database.ts';
import type { Route } from '../platform/http/route.ts';
import { compileOperatorBody } from '../platform/validation/compile-operator-body.ts';
import { isRefused, type Refused } from '../vocabulary/refusals.ts';
import { putImportSupplierOpenApi } from './suppliers.openapi.ts';
import { putImportSupplierSchema, supplierCodeSchema, type PutImportSupplier } from './import-supplier.schema.ts';
import { changeImportSupplier, type SupplierChange } from './import-supplier.store.ts';
import type { SupplierDirectory } from './supplier-directory.store.ts';
import { findSupplierViolations } from './supplier-options.rules.ts';

const checkCode = compileOperatorBody<{ code: string }>(supplierCodeSchema);
const checkBody = compileOperatorBody<PutImportSupplier>(putImportSupplierSchema, findSupplierViolations);

/** `PUT import-suppliers/<code>/`: registers a supplier, or changes the given parts of it. */
export const putImportSupplier = (deps: { database: Database; suppliers: SupplierDirectory }): Route => ({
  method: 'PUT',
  path: '/v1/operations/import-suppliers/:code',
  access: 'operator',
  action: 'import-supplier.change',
  openApi: putImportSupplierOpenApi,
  bodyLimitBytes: 65_536,
  handle: async ({ params, body, caller }) => {
    const change = await changeAuditedSupplier(deps, caller, { code: params['code'], body });
    if (isRefused(change)) return change;
    deps.suppliers.forget();
    return { status: change.created ? 201 : 200, body: change.after };
  },
});

/** Registers a supplier or changes the given parts of it, with its row of the audit. Other processes see it within a second. */
export async function changeAuditedSupplier(
  deps: { database: Database },
  actor: Actor,
  wanted: { code: string | undefined; body: unknown },
): Promise<SupplierChange | Refused> {
  const path = checkCode({ code: wanted.code });
  if (isRefused(path)) return path;
  const sent = checkBody(wanted.body);
  if (isRefused(sent)) return sent;
  return deps.database.transaction(async (em) => {
    const done = await changeImportSupplier(em, path.code, sent);
    await recordAudit(em, actor, {
      action: done.created ? 'import_supplier.created' : 'import_supplier.changed',
      subject: `import-suppliers/${path.code}`,
      before: done.before,
      after: done.after,
      reason: sent.reason,
    });
    return done;
  });
}
