import { Type } from 'typebox';
import type { RouteOpenApi } from '../../platform/http/route-openapi.ts';
import { answeredText, requiredChoice, requiredInstant } from '../../platform/validation/field-types.schema.ts';
import { personRoles } from '../../vocabulary/person-roles.ts';
import { endSessionsSchema } from './person-session.schema.ts';

const sessionView = Type.Object(
  {
    id: Type.String(),
    subject: Type.String({
      description: 'Stable id of the person: issuer and subject of the identity provider, or the key.',
    }),
    name: Type.String(),
    role: requiredChoice(personRoles),
    signed_in_by: answeredText({ description: '`key` or `openid-connect`.' }),
    network: answeredText({
      description: 'Network from which the person signed in: the address, or the /64 network of an IPv6 address.',
    }),
    created_at: requiredInstant(),
    last_seen_at: requiredInstant(),
    ends_at: requiredInstant(),
  },
  { title: 'PersonSession' },
);

const sessionExample = {
  id: '0198c0de-0000-4000-8000-000000000007',
  subject: 'https://login.example#ada',
  name: 'Ada',
  role: 'operator',
  signed_in_by: 'openid-connect',
  network: '192.0.2.7',
  created_at: '2026-11-20T08:00:00.000Z',
  last_seen_at: '2026-11-20T16:59:00.000Z',
  ends_at: '2026-11-20T20:00:00.000Z',
};

const endedView = Type.Object({ ended: Type.Integer({ minimum: 1 }) }, { title: 'EndedSessions' });

export const listPersonSessionsOpenApi: RouteOpenApi = {
  operationId: 'listPersonSessions',
  tag: 'Operations',
  summary: 'List sessions of the support site',
  replies: {
    200: {
      description: 'Valid sessions, at most 1,000, sorted by the name of the person.',
      schema: Type.Array(sessionView),
      example: [sessionExample],
    },
  },
  refusals: [],
};

export const endPersonSessionOpenApi: RouteOpenApi = {
  operationId: 'endPersonSession',
  tag: 'Operations',
  summary: 'End a session of the support site',
  description: 'The session ends immediately, also for copies of its cookie.',
  path: { id: { description: 'Id of the session.', example: sessionExample.id } },
  replies: { 200: { description: 'The session has ended.', schema: endedView, example: { ended: 1 } } },
  refusals: ['not_found'],
};

export const endSessionsOfPersonOpenApi: RouteOpenApi = {
  operationId: 'endSessionsOfPerson',
  tag: 'Operations',
  summary: 'End all sessions of a person',
  description:
    'The person can sign in again. To prevent that, first remove the role at the identity provider, or revoke the key.',
  request: endSessionsSchema,
  requestExamples: { person: { subject: sessionExample.subject, reason: 'Left the team' } },
  replies: {
    200: { description: 'The number of sessions that were ended.', schema: endedView, example: { ended: 2 } },
  },
  refusals: ['validation_failed', 'not_found'],
};
