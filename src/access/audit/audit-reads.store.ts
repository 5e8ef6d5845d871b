import { LRUCache } from 'lru-cache';
import { isTransientError } from '../../platform/database/faults.ts';
import type { Queryable } from '../../platform/database/prepared-query.ts';
import { loggedFault } from '../../platform/log.ts';
import type { AuthenticatedRequest, Route } from '../../platform/http/route.ts';
import { isRefused } from '../../vocabulary/refusals.ts';
import { recordAudit } from './audit-entry.store.ts';

/** Repeated reads of the same subject by the same key within this time get one entry, so that a page that refreshes automatically does not fill the audit. */
const ONE_ROW_MS = 60_000;
/** Number of cached reads. A read dropped from the cache gets a new entry when it is repeated. */
const REMEMBERED_MAX = 1_000;
const SUBJECT_CHARACTERS_MAX = 300;
const OPERATIONS = '/v1/operations/';

/**
 * Records reads with an operator key, except those of routes that record them themselves (docs/operators/audit.md). If the entry cannot be
 * written, the read is answered anyway and the failure is logged, because operators need `stuck` most while the database is unavailable.
 * @param now monotonic clock, in milliseconds
 */
export function auditReads({
  database,
  now = () => performance.now(),
}: {
  database: Queryable;
  now?: () => number;
}): (route: Route) => Route {
  const written = new LRUCache<string, true>({
    max: REMEMBERED_MAX,
    ttl: ONE_ROW_MS,
    ttlResolution: 0,
    // The library treats a clock value of 0 as missing.
    perf: { now: () => now() + 1 },
  });
  return (route) => {
    if (route.method !== 'GET' || route.access !== 'operator') return route;
    return {
      ...route,
      handle: async (request: AuthenticatedRequest) => {
        const reply = await route.handle(request);
        const subject = subjectOf(route.path, request);
        const key = `${request.caller.keyId} ${subject}`;
        if (isRefused(reply) || written.has(key)) return reply;
        written.set(key, true);
        if (!(await write(database, request, subject))) written.delete(key);
        return reply;
      },
    };
  };
}

async function write(
  database: Queryable,
  { caller, log, requestId }: AuthenticatedRequest,
  subject: string,
): Promise<boolean> {
  try {
    await recordAudit(database, caller, { action: 'operations.read', subject });
    return true;
  } catch (error) {
    const level = isTransientError(error) ? 'warn' : 'error';
    log[level](
      { requestId, key: caller.keyId, fault: loggedFault(error) },
      'a read by an operator could not be written to the audit',
    );
    return false;
  }
}

/** Path below `/v1/operations/` with path and query parameters. */
function subjectOf(path: string, { params, query }: AuthenticatedRequest): string {
  const filled = path
    .slice(OPERATIONS.length)
    .replace(/:([a-z_]+)/g, (_whole, name: string) => encodeURIComponent(params[name] ?? ''));
  const wanted = query.toString();
  return `${filled}${wanted === '' ? '' : `?${wanted}`}`.slice(0, SUBJECT_CHARACTERS_MAX);
}
