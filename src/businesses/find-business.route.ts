import { Type, type Static } from 'typebox';
import { contactDataReadOf } from '../access/index.ts';
import type { Database } from '../platform/database/database.ts';
import type { Route } from '../platform/http/route.ts';
import { compileOperatorBody } from '../platform/validation/compile-operator-body.ts';
import { isRefused, refuse } from '../vocabulary/refusals.ts';
import { findBusinessOpenApi } from './businesses.openapi.ts';
import { businessKeyFields } from './create-business.schema.ts';
import { readBusiness } from './read-business.store.ts';

const pathSchema = Type.Object(businessKeyFields);
const checkPath = compileOperatorBody<Static<typeof pathSchema>>(pathSchema);

/** `GET businesses/<supplier>/<external>/`: all that is stored of a business, and the accounts linked to it. */
export const findBusiness = (deps: { database: Database }): Route => ({
  method: 'GET',
  path: '/v1/operations/businesses/:supplier/:external',
  access: 'operator',
  action: 'look',
  openApi: findBusinessOpenApi,
  handle: async (request) => {
    const { params, caller } = request;
    const read = contactDataReadOf(request);
    if (isRefused(read)) return read;
    const path = checkPath({
      import_supplier_code: params['supplier'],
      external_business_identifier: params['external'],
    });
    if (isRefused(path)) return refuse('business_not_found');
    const key = {
      importSupplier: path.import_supplier_code,
      externalBusinessIdentifier: path.external_business_identifier,
    };
    const json = await readBusiness(deps.database, caller, key, read);
    return isRefused(json) ? json : { status: 200, body: undefined, bodyJson: json };
  },
});
