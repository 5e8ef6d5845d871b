import { Type, type Static } from 'typebox';
import {
  answeredText,
  requiredChoice,
  requiredInstant,
  requiredText,
  text,
} from '../../platform/validation/field-types.schema.ts';
import { personRoles } from '../../vocabulary/person-roles.ts';

/** Body of `POST person-sessions/end/`: whose sessions are ended. */
export const endSessionsSchema = Type.Object({ subject: requiredText(1_000), reason: Type.Optional(text(1_000)) });

export type EndSessions = Static<typeof endSessionsSchema>;

/** A valid session of the support site, without its secrets. */
export const openSessionView = Type.Object(
  {
    id: Type.String({ examples: ['0198c0de-0000-4000-8000-000000000007'] }),
    subject: Type.String({
      description: 'Stable id of the person: issuer and subject of the identity provider, or the key.',
      examples: ['https://login.example#ada'],
    }),
    name: Type.String({ examples: ['Ada'] }),
    role: requiredChoice(personRoles, { examples: ['operator'] }),
    signed_in_by: answeredText({ description: '`key` or `openid-connect`.', examples: ['openid-connect'] }),
    network: answeredText({
      description: 'Network from which the person signed in: the address, or the /64 network of an IPv6 address.',
      examples: ['192.0.2.7'],
    }),
    created_at: requiredInstant({ examples: ['2026-11-20T08:00:00.000Z'] }),
    /** To the minute. */
    last_seen_at: requiredInstant({ examples: ['2026-11-20T16:59:00.000Z'] }),
    ends_at: requiredInstant({ examples: ['2026-11-20T20:00:00.000Z'] }),
  },
  { title: 'PersonSession' },
);
export type OpenSessionView = Static<typeof openSessionView>;

/** The number of ended sessions. */
export const endedSessions = Type.Object(
  { ended: Type.Integer({ minimum: 1, examples: [1] }) },
  { title: 'EndedSessions' },
);
