import type { Database } from '../../platform/database/database.ts';
import type { Route } from '../../platform/http/route.ts';
import { listOrganisationsOpenApi } from './organisation.openapi.ts';
import { findAllOrganisations } from './organisation.store.ts';

/** `GET organisations/`: all of them, by name. */
export const listOrganisations = (deps: { database: Database }): Route => ({
  method: 'GET',
  path: '/v1/operations/organisations',
  access: 'operator',
  action: 'look',
  openApi: listOrganisationsOpenApi,
  handle: async () => ({ status: 200, body: await findAllOrganisations(deps.database.em()) }),
});
