import type { Database } from '../../platform/database/database.ts';
import type { Route } from '../../platform/http/route.ts';
import { isRefused } from '../../vocabulary/refusals.ts';
import { findOpenSessions, endAuditedSession, endAuditedSessionsOf } from './open-sessions.store.ts';
import {
  listPersonSessionsOpenApi,
  endPersonSessionOpenApi,
  endSessionsOfPersonOpenApi,
} from './person-session.openapi.ts';

/** `GET person-sessions/`: lists the sessions of the support site. */
export const listPersonSessions = (deps: { database: Database }): Route => ({
  method: 'GET',
  path: '/v1/operations/person-sessions',
  access: 'operator',
  action: 'look',
  openApi: listPersonSessionsOpenApi,
  handle: async () => ({ status: 200, body: await findOpenSessions(deps.database.em()) }),
});

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
