import type { Database } from '../../platform/database/database.ts';
import type { Route } from '../../platform/http/route.ts';
import { compileOperatorBody } from '../../platform/validation/compile-operator-body.ts';
import { isRefused, refuse } from '../../vocabulary/refusals.ts';
import { findOperationsTeamOpenApi } from './operations-team.openapi.ts';
import { teamNameSchema } from './operations-team.schema.ts';
import { findOperationsTeamByName } from './operations-team.store.ts';

const checkName = compileOperatorBody<{ name: string }>(teamNameSchema);

/** `GET operations-teams/<name>/`. */
export const findOperationsTeam = (deps: { database: Database }): Route => ({
  method: 'GET',
  path: '/v1/operations/operations-teams/:name',
  access: 'operator',
  action: 'look',
  openApi: findOperationsTeamOpenApi,
  handle: async ({ params }) => {
    const path = checkName({ name: params['name'] });
    const team = isRefused(path) ? undefined : await findOperationsTeamByName(deps.database.em(), path.name);
    return team === undefined
      ? refuse('not_found', { detail: 'There is no operations team of this name.' })
      : { status: 200, body: team };
  },
});
