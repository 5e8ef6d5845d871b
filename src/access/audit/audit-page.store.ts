import type { EntityManager } from '@mikro-orm/postgresql';
import { sql, type SelectQueryBuilder } from 'kysely';
import { validate as isUuid } from 'uuid';
import { boundsOf, subjectsOfAccount, type AuditFilter } from './audit-filter.rules.ts';
import type { AuditEntryTable } from './audit-entry.entity.ts';
import type { AuditEntryView } from './audit-entry.store.ts';

/** A page of the audit, newest first. */
export interface AuditPage {
  entries: AuditEntryView[];
  /** The entry that the next page begins after; undefined when there is nothing older. A page with this can be empty. */
  next: string | undefined;
  /** How far back was looked, where that is not as far as the entries reach. */
  lookedBackTo: string | undefined;
}

/**
 * Maximum number of entries that one page scans where no single index covers all filters: the actor and the action each have
 * an index; the other filters are checked entry by entry.
 */
export const LOOKED_THROUGH_MAX = 20_000;

/** Place of an entry in the order of the audit; the database keeps more digits of a moment than a Date. */
interface Place {
  at: string;
  id: string;
}

type Entries<Row = object> = SelectQueryBuilder<AuditEntryTable, 'audit_entry', Row>;
/** Narrows down to what an index has in the order of the page. */
type Lead = (entries: Entries) => Entries;

const AT = sql<string>`to_char(at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')`;

/**
 * Finds a page of entries, newest first, by keys: as quick far back as at the beginning.
 * @param wanted `cursor`: the entry that the page begins after, `next` of the page before
 * @returns undefined if the cursor is not an entry
 */
export async function findAuditPage(
  em: EntityManager,
  wanted: { filter: AuditFilter; limit: number; cursor?: string | undefined },
): Promise<AuditPage | undefined> {
  const { filter, limit, cursor } = wanted;
  const after = cursor === undefined ? undefined : await placeOf(em, cursor);
  if (cursor !== undefined && after === undefined) return undefined;
  // What the database cannot hold as text is nowhere in it.
  if (Object.values(filter).some((text) => text?.includes('\0'))) {
    return { entries: [], next: undefined, lookedBackTo: undefined };
  }
  const { leads, rest } = narrowed(filter);
  const from = em.getKysely<AuditEntryTable>().selectFrom('audit_entry') as Entries;
  const within = (lead: Lead) => before(after, inTime(filter, lead(from)));
  const floor = rest === undefined ? undefined : newest(await Promise.all(leads.map((lead) => floorOf(within(lead)))));
  const found: (Place & { view: AuditEntryView })[] = [];
  for (const lead of leads) {
    const narrow = rest === undefined ? within(lead) : rest(within(lead));
    found.push(...(await entriesIn(notBelow(floor, narrow), limit + 1)));
  }
  found.sort(newestFirst);
  const entries = found.slice(0, limit);
  const isFull = found.length > limit;
  return {
    entries: entries.map(({ view }) => view),
    next: isFull ? entries.at(-1)!.id : floor?.id,
    lookedBackTo: isFull ? undefined : floor?.at,
  };
}

/** One entry, if there is one with this id. */
export async function findAuditEntry(em: EntityManager, id: string): Promise<AuditEntryView | undefined> {
  if (!isUuid(id)) return undefined;
  const entries = em.getKysely<AuditEntryTable>().selectFrom('audit_entry') as Entries;
  const [found] = await entriesIn(entries.where('id', '=', id), 1);
  return found?.view;
}

/** What an index leads to, and what has to be looked at besides. */
function narrowed({ actor, action, subject, account }: AuditFilter): { leads: Lead[]; rest: Lead | undefined } {
  const conditions: Lead[] = [];
  if (subject !== undefined) conditions.push((entries) => entries.where('subject', '=', subject));
  if (actor !== undefined) conditions.push((entries) => entries.where('actor_name', '=', actor));
  if (action !== undefined) conditions.push((entries) => entries.where('action', '=', action));
  const all = (some: readonly Lead[]): Lead | undefined =>
    some.length === 0 ? undefined : (entries) => some.reduce((query, one) => one(query), entries);
  if (account !== undefined) {
    const ofAccount = subjectsOfAccount(account).map(
      (one): Lead =>
        (entries) =>
          entries.where('subject', '=', one),
    );
    return { leads: ofAccount, rest: all(conditions) };
  }
  const [lead = (entries: Entries) => entries, ...others] = conditions;
  return { leads: [lead], rest: all(others) };
}

function inTime(filter: AuditFilter, entries: Entries): Entries {
  const { from, until } = boundsOf(filter);
  const begun = from === undefined ? entries : entries.where('at', '>=', from);
  return until === undefined ? begun : begun.where('at', '<', until);
}

function before(place: Place | undefined, entries: Entries): Entries {
  return place === undefined
    ? entries
    : entries.where(sql<boolean>`(at, id) < (${place.at}::timestamptz, ${place.id}::uuid)`);
}

function notBelow(place: Place | undefined, entries: Entries): Entries {
  return place === undefined
    ? entries
    : entries.where(sql<boolean>`(at, id) >= (${place.at}::timestamptz, ${place.id}::uuid)`);
}

/** The last entry that is scanned; undefined if there are fewer entries than the limit. */
async function floorOf(entries: Entries): Promise<Place | undefined> {
  return entries
    .select(['id', AT.as('at')])
    .orderBy('audit_entry.at', 'desc')
    .orderBy('id', 'desc')
    .offset(LOOKED_THROUGH_MAX - 1)
    .limit(1)
    .executeTakeFirst();
}

async function entriesIn(entries: Entries, limit: number): Promise<(Place & { view: AuditEntryView })[]> {
  const rows = await entries
    .select(['id', 'actor_key_id', 'actor_name', 'action', 'subject', 'before', 'after', 'reason', AT.as('at')])
    .orderBy('audit_entry.at', 'desc')
    .orderBy('id', 'desc')
    .limit(limit)
    .execute();
  return rows.map(({ id, at, actor_key_id: keyId, actor_name: name, action, subject, before: was, after, reason }) => ({
    id,
    at,
    view: {
      id,
      at: new Date(at).toISOString(),
      actor: { key_id: keyId, name },
      action,
      subject,
      before: was ?? null,
      after: after ?? null,
      reason,
    },
  }));
}

async function placeOf(em: EntityManager, id: string): Promise<Place | undefined> {
  if (!isUuid(id)) return undefined;
  const entries = em.getKysely<AuditEntryTable>().selectFrom('audit_entry');
  return entries
    .select(['id', AT.as('at')])
    .where('id', '=', id)
    .executeTakeFirst();
}

function newest(places: readonly (Place | undefined)[]): Place | undefined {
  return places.filter((one) => one !== undefined).sort(newestFirst)[0];
}

/** Moments of one length in UTC, and ids in lower case, sort as the database sorts them. */
function newestFirst(one: Place, other: Place): number {
  if (one.at !== other.at) return one.at < other.at ? 1 : -1;
  if (one.id === other.id) return 0;
  return one.id < other.id ? 1 : -1;
}
