import { Readable } from 'node:stream';
import { Type, type Static } from 'typebox';
import { recordAudit } from '../access/index.ts';
import type { Database } from '../platform/database/database.ts';
import type { Route } from '../platform/http/route.ts';
import { compileOperatorBody } from '../platform/validation/compile-operator-body.ts';
import { isRefused, refuse } from '../vocabulary/refusals.ts';
import { findBusinessOpenApi } from './businesses.openapi.ts';
import { businessKeyFields } from './create-business.schema.ts';
import { findBusiness as findBusinessInDatabase } from './find-business.store.ts';

const pathSchema = Type.Object(businessKeyFields);
const checkPath = compileOperatorBody<Static<typeof pathSchema>>(pathSchema);

/** `GET businesses/<supplier>/<external>/`: all that is stored of a business, and the accounts linked to it. */
export const findBusiness = (deps: { database: Database }): Route => ({
  method: 'GET',
  path: '/v1/operations/businesses/:supplier/:external',
  access: 'operator',
  action: 'read',
  openApi: findBusinessOpenApi,
  handle: async ({ params, caller }) => {
    const path = checkPath({
      import_supplier_code: params['supplier'],
      external_business_identifier: params['external'],
    });
    const json = isRefused(path)
      ? undefined
      : await findBusinessInDatabase(deps.database, path.import_supplier_code, path.external_business_identifier);
    // Its details may name people: each read leaves a line.
    if (json !== undefined && !isRefused(path)) {
      await recordAudit(deps.database, caller, {
        action: 'business.read',
        subject: `businesses/${path.import_supplier_code}/${path.external_business_identifier}`,
      });
    }
    return json === undefined ? refuse('business_not_found') : { status: 200, body: Readable.from([json]) };
  },
});
