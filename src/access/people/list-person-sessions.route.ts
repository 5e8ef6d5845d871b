import type { Database } from '../../platform/database/database.ts';
import type { Route } from '../../platform/http/route.ts';
import { findOpenSessions } from './open-sessions.store.ts';
import { listPersonSessionsOpenApi } from './person-session.openapi.ts';

/** `GET person-sessions/`: who is signed in to the support site. */
export const listPersonSessions = (deps: { database: Database }): Route => ({
  method: 'GET',
  path: '/v1/operations/person-sessions',
  access: 'operator',
  action: 'look',
  openApi: listPersonSessionsOpenApi,
  handle: async () => ({ status: 200, body: await findOpenSessions(deps.database.em()) }),
});
