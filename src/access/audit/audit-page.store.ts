import type { EntityManager } from '@mikro-orm/postgresql';
import { sql, type SelectQueryBuilder } from 'kysely';
import { validate as isUuid } from 'uuid';
import { boundsOf, ROUTINE_ACTIONS, subjectsOfAccount, type AuditFilter } from './audit-filter.rules.ts';
import type { AuditEntryTable } from './audit-entry.entity.ts';
import type { AuditEntryView } from './audit-entry.schema.ts';

/** A page of audit entries, newest first. */
export interface AuditPage {
  entries: AuditEntryView[];
  /** Cursor of the next page; undefined on the last page. A page with a cursor may be empty. */
  next: string | undefined;
  /** Time of the oldest scanned entry, if the scan stopped before the end. */
  scannedBackTo: string | undefined;
}

/**
 * Maximum number of entries that a page scans if no single index covers all filters. Actor, action, subject and changes each have an index; further
 * filters are checked entry by entry.
 */
export const SCANNED_MAX = 20_000;

/** Position of an entry in the order of the audit. A string, because Postgres timestamps are more precise than Date. */
interface EntryPosition {
  at: string;
  id: string;
}

type Entries<Row = object> = SelectQueryBuilder<AuditEntryTable, 'audit_entry', Row>;
/** Restricts a query to entries that an index returns in page order. */
type Lead = (entries: Entries) => Entries;

/** The condition of the index `audit_entry_changes`, in its words. */
const IS_CHANGE = sql.raw<boolean>(`action <> all ('{${ROUTINE_ACTIONS.join(',')}}'::text[])`);

const AT = sql<string>`to_char(at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')`;

/**
 * Finds a page of entries, newest first, with keyset pagination.
 * @param wanted `cursor`: `next` of the previous page; `onlyChanges` omits `ROUTINE_ACTIONS`
 * @returns undefined if the cursor is not an entry
 */
export async function findAuditPage(
  em: EntityManager,
  wanted: { filter: AuditFilter; limit: number; cursor?: string | undefined; onlyChanges?: boolean },
): Promise<AuditPage | undefined> {
  const { filter, limit, cursor, onlyChanges = false } = wanted;
  const after = cursor === undefined ? undefined : await positionOf(em, cursor);
  if (cursor !== undefined && after === undefined) return undefined;
  // Postgres cannot store U+0000, so no entry matches.
  if (Object.values(filter).some((text) => text?.includes('\0'))) {
    return { entries: [], next: undefined, scannedBackTo: undefined };
  }
  const { leads, rest } = narrowed(filter, onlyChanges);
  const from = allEntries(em);
  const within = (lead: Lead) => before(after, inTime(filter, lead(from)));
  const floor = rest === undefined ? undefined : newest(await Promise.all(leads.map((lead) => floorOf(within(lead)))));
  const found: (EntryPosition & { view: AuditEntryView })[] = [];
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
    scannedBackTo: isFull ? undefined : floor?.at,
  };
}

/** Finds an entry by id. */
export async function findAuditEntry(em: EntityManager, id: string): Promise<AuditEntryView | undefined> {
  if (!isUuid(id)) return undefined;
  const [found] = await entriesIn(allEntries(em).where('id', '=', id), 1);
  return found?.view;
}

/** Returns audit entries, newest first. */
export async function findAuditEntries(
  em: EntityManager,
  { limit, subject, action }: { limit: number; subject?: string; action?: string },
): Promise<AuditEntryView[]> {
  let entries = allEntries(em);
  if (subject !== undefined) entries = entries.where('subject', '=', subject);
  if (action !== undefined) entries = entries.where('action', '=', action);
  return (await entriesIn(entries, limit)).map(({ view }) => view);
}

/** Finds entries by subject, with a limit for each, so that frequent reads do not displace changes. Each subject uses an index. */
export async function findAuditOf(
  em: EntityManager,
  subjects: readonly string[],
  limitEach: number,
): Promise<AuditEntryView[]> {
  const found: AuditEntryView[] = [];
  for (const subject of new Set(subjects)) {
    found.push(...(await findAuditEntries(em, { limit: limitEach, subject })));
  }
  return found.sort((one, other) => (one.at < other.at ? 1 : -1));
}

function allEntries(em: EntityManager): Entries {
  return em.getKysely<AuditEntryTable>().selectFrom('audit_entry');
}

/** Splits the filters into filters that use an index (`leads`) and filters that are checked entry by entry (`rest`). */
function narrowed(
  { actor, action, subject, account }: AuditFilter,
  onlyChanges: boolean,
): { leads: Lead[]; rest: Lead | undefined } {
  const conditions: Lead[] = [];
  if (subject !== undefined) conditions.push((entries) => entries.where('subject', '=', subject));
  if (actor !== undefined) conditions.push((entries) => entries.where('actor_name', '=', actor));
  if (action !== undefined) conditions.push((entries) => entries.where('action', '=', action));
  if (onlyChanges) conditions.push((entries) => entries.where(IS_CHANGE));
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

function before(position: EntryPosition | undefined, entries: Entries): Entries {
  return position === undefined
    ? entries
    : entries.where(sql<boolean>`(at, id) < (${position.at}::timestamptz, ${position.id}::uuid)`);
}

function notBelow(position: EntryPosition | undefined, entries: Entries): Entries {
  return position === undefined
    ? entries
    : entries.where(sql<boolean>`(at, id) >= (${position.at}::timestamptz, ${position.id}::uuid)`);
}

/** Finds the last entry to scan; undefined if there are fewer entries than the limit. */
async function floorOf(entries: Entries): Promise<EntryPosition | undefined> {
  return entries
    .select(['id', AT.as('at')])
    .orderBy('audit_entry.at', 'desc')
    .orderBy('id', 'desc')
    .offset(SCANNED_MAX - 1)
    .limit(1)
    .executeTakeFirst();
}

async function entriesIn(entries: Entries, limit: number): Promise<(EntryPosition & { view: AuditEntryView })[]> {
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

async function positionOf(em: EntityManager, id: string): Promise<EntryPosition | undefined> {
  if (!isUuid(id)) return undefined;
  return allEntries(em)
    .select(['id', AT.as('at')])
    .where('id', '=', id)
    .executeTakeFirst();
}

function newest(positions: readonly (EntryPosition | undefined)[]): EntryPosition | undefined {
  return positions.filter((one) => one !== undefined).sort(newestFirst)[0];
}

/** UTC timestamps of equal length and lower-case ids sort as strings like in the database. */
function newestFirst(one: EntryPosition, other: EntryPosition): number {
  if (one.at !== other.at) return one.at < other.at ? 1 : -1;
  if (one.id === other.id) return 0;
  return one.id < other.id ? 1 : -1;
}
