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
 * Entries that one page looks through at most where no index has just those that are wanted: who and what are looked up each
 * by an index, and what is asked for besides is looked at entry by entry.
 */
export const LOOKED_THROUGH_MAX = 20_000;

/** Place of an entry in the order of the audit; the database keeps more digits of a moment than a Date. */
interface Place {
  at: string;
  id: string;
}

type Entries = SelectQueryBuilder<AuditEntryTable, 'audit_entry', object>;

/** Of which index the page is read, and from where on there; undefined: of the one by time alone. */
type Lead = { column: 'subject' | 'actor_name' | 'action'; value: string } | undefined;

const AT = sql<string>`to_char(at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')`;

/**
 * Finds a page of entries, newest first, by keys: as quick far back as at the beginning.
 * @param wanted `cursor`: the entry that the page begins after, `next` of the page before
 * @returns undefined for a cursor that is no entry
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
  const all = em.getKysely<AuditEntryTable>().selectFrom('audit_entry') as Entries;
  const floors: (Place | undefined)[] = [];
  for (const lead of rest.length === 0 ? [] : leads) {
    floors.push(await floorOf(inOrder(between(all, lead, { filter, after }), lead)));
  }
  const floor = newest(floors);
  const found: (Place & { view: AuditEntryView })[] = [];
  for (const lead of leads) {
    const wide = between(all, lead, { filter, after, floor });
    const narrow = rest.reduce((entries, { column, value }) => entries.where(column, '=', value), wide);
    found.push(...(await entriesIn(inOrder(narrow, lead), limit + 1)));
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
function narrowed({ actor, action, subject, account }: AuditFilter): { leads: Lead[]; rest: NonNullable<Lead>[] } {
  const given: NonNullable<Lead>[] = [];
  if (subject !== undefined) given.push({ column: 'subject', value: subject });
  if (actor !== undefined) given.push({ column: 'actor_name', value: actor });
  if (action !== undefined) given.push({ column: 'action', value: action });
  if (account !== undefined) {
    return { leads: subjectsOfAccount(account).map((value) => ({ column: 'subject', value })), rest: given };
  }
  return { leads: [given[0]], rest: given.slice(1) };
}

/**
 * Entries of a lead from one place of its index to another. Compared as rows and not by `=`: only the index of the lead has
 * this order then, and the planner cannot walk through another one for an actor who did much, but long ago.
 */
function between(
  entries: Entries,
  lead: Lead,
  { filter, after, floor }: { filter: AuditFilter; after?: Place | undefined; floor?: Place | undefined },
): Entries {
  const { from, until } = boundsOf(filter);
  const columns = lead === undefined ? sql`` : sql`${sql.ref(lead.column)}, `;
  const values = lead === undefined ? sql`` : sql`${lead.value}, `;
  const moment = (at: Date | string) => sql`(${values}${typeof at === 'string' ? at : at.toISOString()}::timestamptz)`;
  const place = ({ at, id }: Place) => sql`(${values}${at}::timestamptz, ${id}::uuid)`;
  let bounded = entries.where(sql<boolean>`(${columns}at) >= ${moment(from ?? '-infinity')}`);
  bounded = bounded.where(sql<boolean>`(${columns}at) < ${moment(until ?? 'infinity')}`);
  if (after !== undefined) bounded = bounded.where(sql<boolean>`(${columns}at, id) < ${place(after)}`);
  return floor === undefined ? bounded : bounded.where(sql<boolean>`(${columns}at, id) >= ${place(floor)}`);
}

function inOrder(entries: Entries, lead: Lead): Entries {
  const led = lead === undefined ? entries : entries.orderBy(lead.column, 'desc');
  return led.orderBy('audit_entry.at', 'desc').orderBy('id', 'desc');
}

/** The last entry that is looked at; undefined when there are not so many. */
async function floorOf(entries: Entries): Promise<Place | undefined> {
  return entries
    .select(['id', AT.as('at')])
    .offset(LOOKED_THROUGH_MAX - 1)
    .limit(1)
    .executeTakeFirst();
}

async function entriesIn(entries: Entries, limit: number): Promise<(Place & { view: AuditEntryView })[]> {
  const rows = await entries
    .select(['id', 'actor_key_id', 'actor_name', 'action', 'subject', 'before', 'after', 'reason', AT.as('at')])
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
