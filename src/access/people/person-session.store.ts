import { hash, randomBytes } from 'node:crypto';
import type { EntityManager } from '@mikro-orm/postgresql';
import { sql } from 'kysely';
import type { Database } from '../../platform/database/database.ts';
import type { KeyScope } from '../../vocabulary/key-roles.ts';
import type { PersonRole } from '../../vocabulary/person-roles.ts';
import type { ApiKeyTable } from '../keys/api-key.entity.ts';
import type { OrganisationTable } from '../organisations/organisation.entity.ts';
import type { Actor, Viewer } from '../../platform/http/route.ts';
import { recordAudit } from '../audit/audit-entry.store.ts';
import type { PersonSessionTable } from './person-session.entity.ts';
import { isSecret, SECRET_BYTES, writeSecret } from '../tokens/token.rules.ts';
import { validate as isUuid } from 'uuid';
import { compileOperatorBody } from '../../platform/validation/compile-payload.ts';
import { isRefused, refuse, type Refused } from '../../vocabulary/refusals.ts';
import { endSessionsSchema, type EndSessions, type OpenSessionView } from './person-session.schema.ts';

/** A person who uses the support site. */
export interface Person {
  /** Permanent identity: the provider's issuer and subject, or the key. */
  subject: string;
  /** Name of the person in audit entries. */
  name: string;
  role: PersonRole;
  /** The import suppliers of a person with the role supplier, who sees only what belongs to them. */
  importSuppliers?: readonly string[] | undefined;
  /** The key that was used to sign in, if any. The session ends with the key. */
  keyId?: string | undefined;
}

/** A message shown to the person on the next page. */
export interface Flash {
  kind: 'done' | 'problem';
  text: string;
}

/** A valid session. */
export interface PersonSessionView extends Person {
  /** Identifies the session without granting access. */
  id: string;
  csrfSecret: Buffer;
  flash: Flash | null;
  /** The scope of the key that was used to sign in, if any. It restricts the person like a caller of the operator API. */
  scope: KeyScope | undefined;
  /** What a person of import suppliers may see: with a key as much as by the API. Undefined for staff, who see everything. */
  viewer: Viewer | undefined;
}

/** A session ends after `idleSeconds` without activity, and after `absoluteSeconds` at the latest. */
export const SESSION_LIFE = { idleSeconds: 30 * 60, absoluteSeconds: 12 * 3_600 } as const;

/**
 * Starts a session.
 * @param signIn how and from which network the person signed in, for the audit
 * @returns the secret for the cookie, which is not stored
 */
export async function beginPersonSession(
  database: Database,
  person: Person,
  signIn: { by: 'key' | 'openid-connect'; network: string },
): Promise<string> {
  const secret = writeSecret('session', randomBytes(SECRET_BYTES));
  await database.transaction(async (em) => {
    await deleteEnded(em);
    const session = {
      sha256: hashOf(secret),
      subject: person.subject,
      name: person.name,
      role: person.role,
      import_suppliers: person.importSuppliers === undefined ? null : [...person.importSuppliers],
      api_key_id: person.keyId ?? null,
      signed_in_by: signIn.by,
      network: signIn.network,
      csrf_secret: randomBytes(SECRET_BYTES),
      ends_at: sql<Date>`now() + make_interval(secs => ${SESSION_LIFE.absoluteSeconds})`,
    };
    await em.getKysely<PersonSessionTable>().insertInto('person_session').values(session).execute();
    await recordAudit(em, actorOf(person), {
      action: 'person.signed_in',
      subject: 'people',
      after: {
        subject: person.subject,
        role: person.role,
        ...(person.importSuppliers && { import_suppliers: person.importSuppliers }),
        ...signIn,
      },
    });
  });
  return secret;
}

/**
 * Finds the valid session of a cookie, or undefined.
 * @param isActivity false for requests that a page sends automatically, which do not show that a person is present
 */
export async function findPersonSession(
  database: Database,
  secret: string,
  isActivity: boolean,
): Promise<PersonSessionView | undefined> {
  if (!isSecret('session', secret)) return undefined;
  const kysely = database.em().getKysely<PersonSessionTable & ApiKeyTable & OrganisationTable>();
  const found = await kysely
    .selectFrom('person_session as s')
    .leftJoin('api_key as k', 'k.id', 's.api_key_id')
    .leftJoin('organisation as o', 'o.id', 'k.organisation_id')
    .select(['s.id', 's.subject', 's.name', 's.role', 's.api_key_id', 's.csrf_secret', 's.flash', 'k.scope'])
    .select(['s.import_suppliers', 'o.name as organisation'])
    .select(sql<boolean>`s.last_seen_at < now() - interval '1 minute'`.as('isSeenLongAgo'))
    .where('s.sha256', '=', hashOf(secret))
    .where(isInForce())
    .executeTakeFirst();
  if (found === undefined) return undefined;
  const { isSeenLongAgo, api_key_id: keyId, csrf_secret: csrfSecret, flash, scope, ...others } = found;
  const { import_suppliers: importSuppliers, organisation, ...person } = others;
  if (isActivity && isSeenLongAgo) {
    const seen = kysely.updateTable('person_session').set({ last_seen_at: sql<Date>`now()` });
    await seen.where('sha256', '=', hashOf(secret)).execute();
  }
  return {
    ...person,
    csrfSecret,
    flash: flash as Flash | null,
    keyId: keyId ?? undefined,
    scope: scope ?? undefined,
    viewer:
      person.role === 'supplier'
        ? { importSuppliers: new Set(importSuppliers), ...(organisation !== null && { organisation }) }
        : undefined,
  };
}

/** SQL condition: whether session `s`, with its key `k` if it has one, is valid. */
function isInForce() {
  return sql<boolean>`s.ends_at > now() and s.last_seen_at > now() - make_interval(secs => ${SESSION_LIFE.idleSeconds})
    and k.revoked_at is null and (k.expires_at is null or k.expires_at > now())`;
}

/** Ends a session immediately. */
export async function endPersonSession(database: Database, secret: string, person: Person): Promise<void> {
  await database.transaction(async (em) => {
    const sessions = em.getKysely<PersonSessionTable>();
    await sessions.deleteFrom('person_session').where('sha256', '=', hashOf(secret)).execute();
    await recordAudit(em, actorOf(person), {
      action: 'person.signed_out',
      subject: 'people',
      after: { subject: person.subject },
    });
  });
}

/** Stores the message for the next page; null removes it. */
export async function setFlash(database: Database, secret: string, flash: Flash | null): Promise<void> {
  await database
    .em()
    .getKysely<PersonSessionTable>()
    .updateTable('person_session')
    .set({ flash: flash === null ? null : sql`${JSON.stringify(flash)}::jsonb` })
    .where('sha256', '=', hashOf(secret))
    .execute();
}

/** Called at each sign-in. */
async function deleteEnded(em: EntityManager): Promise<void> {
  const kysely = em.getKysely<PersonSessionTable>();
  const ended = kysely
    .selectFrom('person_session')
    .select('sha256')
    .where('ends_at', '<', sql<Date>`now()`)
    .orderBy('ends_at')
    .limit(100)
    .forUpdate()
    .skipLocked();
  await kysely.deleteFrom('person_session').where('sha256', 'in', ended).execute();
}

/** The person as an actor of the audit. */
export function actorOf({ name, keyId, subject }: Person): Actor {
  return { keyName: name, subject, ...(keyId === undefined ? {} : { keyId }) };
}

function hashOf(secret: string): Buffer {
  return hash('sha256', secret, 'buffer');
}

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
