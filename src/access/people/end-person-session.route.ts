import type { Database } from '../../platform/database/database.ts';
import type { Route } from '../../platform/http/route.ts';
import { isRefused } from '../../vocabulary/refusals.ts';
import { endAuditedSession } from './open-sessions.store.ts';
import { endPersonSessionOpenApi } from './person-session.openapi.ts';

/** `DELETE person-sessions/<id>/`: ends a session of the support site. */
export const endPersonSession = (deps: { database: Database }): Route => ({
  method: 'DELETE',
  path: '/v1/operations/person-sessions/:id',
  access: 'operator',
  action: 'person-session.end',
  openApi: endPersonSessionOpenApi,
  handle: async ({ params, caller }) => {
    const done = await endAuditedSession(deps, caller, params['id'] ?? '');
    return isRefused(done) ? done : { status: 200, body: done };
  },
});
