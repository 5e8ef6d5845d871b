import { Type, type Static } from 'typebox';
import { requiredText, text } from '../../platform/validation/field-types.schema.ts';
import type { PersonRole } from '../../vocabulary/person-roles.ts';

/** Body of `POST person-sessions/end/`: whose sessions are ended. */
export const endSessionsSchema = Type.Object({ subject: requiredText(1_000), reason: Type.Optional(text(1_000)) });

export type EndSessions = Static<typeof endSessionsSchema>;

/** A valid session of the support site, without its secrets. */
export interface OpenSessionView {
  id: string;
  /** Permanent identity: the provider's issuer and subject, or the key. */
  subject: string;
  name: string;
  role: PersonRole;
  signed_in_by: 'key' | 'openid-connect' | null;
  network: string | null;
  created_at: string;
  /** To the minute. */
  last_seen_at: string;
  ends_at: string;
}
