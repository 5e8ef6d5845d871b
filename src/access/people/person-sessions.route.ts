import { Type } from 'typebox';
import type { Database } from '../../platform/database/database.ts';
import { operatorRead, replyWith, type Route } from '../../platform/http/route.ts';
import { endAuditedSession, endAuditedSessionsOf, findOpenSessions } from './person-session.store.ts';
import { endedSessions, endSessionsSchema, openSessionView } from './person-session.schema.ts';

/** `GET person-sessions/`: lists the sessions of the support site. */
export const listPersonSessions = (deps: { database: Database }): Route =>
  operatorRead({
    path: '/v1/operations/person-sessions',
    openApi: {
      operationId: 'listPersonSessions',
      summary: 'List sessions of the support site',
      replies: {
        200: {
          description: 'Valid sessions, at most 1,000, sorted by the name of the person.',
          schema: Type.Array(openSessionView),
        },
      },
    },
    handle: async () => replyWith(await findOpenSessions(deps.database.em())),
  });

/** `DELETE person-sessions/<id>/`: ends a session of the support site. */
export const endPersonSession = (deps: { database: Database }): Route => ({
  method: 'DELETE',
  path: '/v1/operations/person-sessions/:id',
  access: 'operator',
  action: 'person-session.end',
  openApi: {
    operationId: 'endPersonSession',
    summary: 'End a session of the support site',
    description: 'The session ends immediately, also for copies of its cookie.',
    path: { id: { description: 'Id of the session.', example: '0198c0de-0000-4000-8000-000000000007' } },
    replies: { 200: { description: 'The session has ended.', schema: endedSessions } },
    refusals: ['not_found'],
  },
  handle: async ({ params, caller }) => replyWith(await endAuditedSession(deps, caller, params['id'] ?? '')),
});

/** `POST person-sessions/end/`: ends all sessions of one person. */
export const endSessionsOfPerson = (deps: { database: Database }): Route => ({
  method: 'POST',
  path: '/v1/operations/person-sessions/end',
  access: 'operator',
  action: 'person-session.end',
  openApi: {
    operationId: 'endSessionsOfPerson',
    summary: 'End all sessions of a person',
    description:
      'The person can sign in again. To prevent that, first remove the role at the identity provider, or revoke the key.',
    request: endSessionsSchema,
    requestExamples: { person: { subject: 'https://login.example#ada', reason: 'Left the team' } },
    replies: {
      200: { description: 'The number of sessions that were ended.', schema: endedSessions, example: { ended: 2 } },
    },
    refusals: ['not_found'],
  },
  bodyLimitBytes: 16_384,
  handle: async ({ body, caller }) => replyWith(await endAuditedSessionsOf(deps, caller, body)),
});
