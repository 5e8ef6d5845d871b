import type { Database } from '../../platform/database/database.ts';
import type { Route } from '../../platform/http/route.ts';
import { isRefused } from '../../vocabulary/refusals.ts';
import { endAuditedSessionsOf } from './open-sessions.store.ts';
import { endSessionsOfPersonOpenApi } from './person-session.openapi.ts';

/** `POST person-sessions/end/`: ends all sessions of one person. */
export const endSessionsOfPerson = (deps: { database: Database }): Route => ({
  method: 'POST',
  path: '/v1/operations/person-sessions/end',
  access: 'operator',
  action: 'person-session.end',
  openApi: endSessionsOfPersonOpenApi,
  bodyLimitBytes: 16_384,
  handle: async ({ body, caller }) => {
    const done = await endAuditedSessionsOf(deps, caller, body);
    return isRefused(done) ? done : { status: 200, body: done };
  },
});
