import type { EntityManager } from '@mikro-orm/postgresql';
import { validate as isUuid } from 'uuid';
import type { Database } from '../../platform/database/database.ts';
import { compileOperatorBody } from '../../platform/validation/compile-operator-body.ts';
import { isRefused, refuse, type Refused } from '../../vocabulary/refusals.ts';
import type { ApiKeyTable } from '../keys/api-key.entity.ts';
import type { Actor } from '../../platform/http/route.ts';
import { recordAudit } from '../audit/audit-entry.store.ts';
import type { PersonSessionTable } from './person-session.entity.ts';
import { endSessionsSchema, type EndSessions, type OpenSessionView } from './person-session.schema.ts';
import { isInForce } from './person-session.store.ts';

/** Longest list; there are few operators. */
const LISTED_MAX = 1_000;
const checkBody = compileOperatorBody<EndSessions>(endSessionsSchema);

/** Returns the valid sessions by name of the person, last seen first. */
export async function findOpenSessions(em: EntityManager): Promise<OpenSessionView[]> {
  const found = await em
    .getKysely<PersonSessionTable & ApiKeyTable>()
    .selectFrom('person_session as s')
    .leftJoin('api_key as k', 'k.id', 's.api_key_id')
    .select(['s.id', 's.subject', 's.name', 's.role', 's.signed_in_by', 's.network'])
    .select(['s.created_at', 's.last_seen_at', 's.ends_at'])
    .where(isInForce())
    .orderBy('s.name')
    .orderBy('s.subject')
    .orderBy('s.last_seen_at', 'desc')
    .orderBy('s.id')
    .limit(LISTED_MAX)
    .execute();
  return found.map(({ created_at, last_seen_at, ends_at, ...session }) => ({
    ...session,
    created_at: created_at.toISOString(),
    last_seen_at: last_seen_at.toISOString(),
    ends_at: ends_at.toISOString(),
  }));
}

/** Ends one session immediately, with an audit entry. */
export async function endAuditedSession(
  deps: { database: Database },
  actor: Actor,
  id: string,
): Promise<{ ended: number } | Refused> {
  const ended = isUuid(id) ? await endWhere(deps, actor, { id }) : 0;
  return ended > 0 ? { ended } : refuse('not_found', { detail: 'There is no session with this id, or it has ended.' });
}

/** Ends all sessions of a person immediately, with an audit entry. */
export async function endAuditedSessionsOf(
  deps: { database: Database },
  actor: Actor,
  wanted: unknown,
): Promise<{ ended: number } | Refused> {
  const sent = checkBody(wanted);
  if (isRefused(sent)) return sent;
  const ended = await endWhere(deps, actor, { subject: sent.subject }, sent.reason);
  return ended > 0 ? { ended } : refuse('not_found', { detail: 'This person has no session.' });
}

async function endWhere(
  { database }: { database: Database },
  actor: Actor,
  which: { id: string } | { subject: string },
  reason?: string,
): Promise<number> {
  return database.transaction(async (em) => {
    const deletion = em.getKysely<PersonSessionTable>().deleteFrom('person_session').returning(['subject', 'name']);
    const ended =
      'id' in which
        ? await deletion.where('id', '=', which.id).execute()
        : await deletion.where('subject', '=', which.subject).execute();
    const [person] = ended;
    if (person !== undefined) {
      const after = { ...person, sessions: ended.length };
      await recordAudit(em, actor, { action: 'person.sessions_ended', subject: 'people', after, reason });
    }
    return ended.length;
  });
}
