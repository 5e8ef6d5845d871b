import type { Database } from '../../platform/database/database.ts';
import type { Route } from '../../platform/http/route.ts';
import { compileOperatorBody } from '../../platform/validation/compile-operator-body.ts';
import { isRefused, refuse, type Refused } from '../../vocabulary/refusals.ts';
import { findOrganisationOpenApi } from './organisation.openapi.ts';
import { organisationNameSchema } from './organisation.schema.ts';
import { findOrganisationByName } from './organisation.store.ts';

const checkName = compileOperatorBody<{ name: string }>(organisationNameSchema);

/** `GET organisations/<name>/`. */
export const findOrganisation = (deps: { database: Database }): Route => ({
  method: 'GET',
  path: '/v1/operations/organisations/:name',
  access: 'operator',
  action: 'look',
  openApi: findOrganisationOpenApi,
  handle: async ({ params }) => {
    const path = checkName({ name: params['name'] });
    const organisation = isRefused(path) ? undefined : await findOrganisationByName(deps.database.em(), path.name);
    return organisation === undefined ? unknownOrganisation() : { status: 200, body: organisation };
  },
});

/** Refusal of an organisation that nobody has made a key for. */
export function unknownOrganisation(): Refused {
  return refuse('not_found', { detail: 'There is no organisation of this name; it is made by its first API key.' });
}
