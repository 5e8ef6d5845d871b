import { isDeepStrictEqual } from 'node:util';
import { v7 as uuidv7 } from 'uuid';
import { kyselyOf, type Queryable } from '../../platform/database/prepared-query.ts';
import type { Actor, AuthenticatedRequest, Route } from '../../platform/http/route.ts';
import type { AuditEntryTable } from './audit-entry.entity.ts';
import { LRUCache } from 'lru-cache';
import { isTransientError } from '../../platform/database/faults.ts';
import { loggedFault, type Log } from '../../platform/log.ts';
import { isRefused } from '../../vocabulary/refusals.ts';

/** A change. `before` and `after` are views of the operator API, without secrets. */
interface AuditedChange {
  /** `<noun>.<past participle>`. */
  action: string;
  /** Path of the changed resource below `/v1/operations/`. */
  subject: string;
  before?: object | undefined;
  after?: object | undefined;
  reason?: string | undefined;
}

/**
 * Writes an audit entry in the transaction of the change. Skips changes of a bulk action, which has one entry, and a change without effect, but writes entries without `before` and `after`,
 * for example when an operator read personal data.
 * @param on the entity manager of the change, or the database if the entry is the only write
 */
export async function recordAudit(on: Queryable, actor: Actor, change: AuditedChange): Promise<void> {
  if (actor.bulkActionId !== undefined) return;
  const { action, subject, reason } = change;
  const { before = null, after = null } = change as { [Name in 'before' | 'after']?: Record<string, unknown> };
  if (before !== null && isDeepStrictEqual(before, after)) return;
  const row = { id: uuidv7(), actor_key_id: actor.keyId ?? null, actor_name: nameOfActor(actor), action, subject };
  await kyselyOf<AuditEntryTable>(on)
    .insertInto('audit_entry')
    .values({ ...row, before, after, reason: reason || null })
    .execute();
}

/** Name of an actor, as in the audit. */
export function nameOfActor({ organisation, keyName }: Actor): string {
  return organisation === undefined ? keyName : `${organisation} / ${keyName}`;
}

/** Repeated reads of the same subject by the same key within this time get one entry, so that a page that refreshes automatically does not fill the audit. */
const ONE_ROW_MS = 60_000;
/** Number of cached reads. A read dropped from the cache gets a new entry when it is repeated. */
const REMEMBERED_MAX = 1_000;
const SUBJECT_CHARACTERS_MAX = 300;
const OPERATIONS = '/v1/operations/';

/** Records reads. */
export type ReadAudit = ReturnType<typeof createReadAudit>;

/** A read, and where it is logged if it cannot be recorded. */
interface AuditedRead {
  action: 'operations.read' | 'site.read';
  actor: Actor;
  /** Identifies the reader: the key, or the session. */
  reader: string;
  subject: string;
  log: Log;
  requestId: string;
  /** How long repetitions get no entry of their own, in milliseconds; a minute by default. */
  onceIn?: number | undefined;
}

/**
 * Creates the function that records a read, unless the same reader has read the same subject shortly before. If the entry cannot be written,
 * the read is answered anyway and the failure is logged, because operators need `stuck` most while the database is unavailable.
 * @param now monotonic clock, in milliseconds
 */
export function createReadAudit({
  database,
  now = () => performance.now(),
}: {
  database: Queryable;
  now?: () => number;
}): (read: AuditedRead) => Promise<void> {
  const written = new LRUCache<string, true>({
    max: REMEMBERED_MAX,
    ttl: ONE_ROW_MS,
    ttlResolution: 0,
    // The library treats a clock value of 0 as missing.
    perf: { now: () => now() + 1 },
  });
  return async ({ action, actor, reader, subject: whole, log, requestId, onceIn = ONE_ROW_MS }) => {
    const subject = whole.slice(0, SUBJECT_CHARACTERS_MAX);
    const key = `${reader} ${subject}`;
    if (written.has(key)) return;
    written.set(key, true, { ttl: onceIn });
    try {
      await recordAudit(database, actor, { action, subject });
    } catch (error) {
      written.delete(key);
      const level = isTransientError(error) ? 'warn' : 'error';
      log[level](
        { requestId, key: actor.keyId, fault: loggedFault(error) },
        'a read could not be written to the audit',
      );
    }
  };
}

/**
 * Records reads with an operator key, except those of routes that record them themselves (docs/operators/audit.md).
 * @param now monotonic clock, in milliseconds
 */
export function auditReads(deps: { database: Queryable; now?: () => number }): (route: Route) => Route {
  const record = createReadAudit(deps);
  return (route) => {
    if (route.method !== 'GET' || route.access !== 'operator') return route;
    return {
      ...route,
      handle: async (request: AuthenticatedRequest) => {
        const reply = await route.handle(request);
        const { caller, log, requestId } = request;
        const subject = subjectOf(route.path, request);
        const read = { actor: caller, reader: caller.keyId, subject, log, requestId };
        if (!isRefused(reply)) await record({ action: 'operations.read', ...read });
        return reply;
      },
    };
  };
}

/** Path below `/v1/operations/` with path and query parameters. */
function subjectOf(path: string, { params, query }: AuthenticatedRequest): string {
  const filled = path
    .slice(OPERATIONS.length)
    .replace(/:([a-z_]+)/g, (_whole, name: string) => encodeURIComponent(params[name] ?? ''));
  const wanted = query.toString();
  return `${filled}${wanted === '' ? '' : `?${wanted}`}`;
}
