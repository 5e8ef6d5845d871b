import type { Database } from '../../platform/database/database.ts';
import type { Route } from '../../platform/http/route.ts';
import { listOperationsTeamsOpenApi } from './operations-team.openapi.ts';
import { findAllOperationsTeams } from './operations-team.store.ts';

/** `GET operations-teams/`: all of them, by name. */
export const listOperationsTeams = (deps: { database: Database }): Route => ({
  method: 'GET',
  path: '/v1/operations/operations-teams',
  access: 'operator',
  action: 'look',
  openApi: listOperationsTeamsOpenApi,
  handle: async () => ({ status: 200, body: await findAllOperationsTeams(deps.database.em()) }),
});
