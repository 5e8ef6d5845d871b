import { hash } from 'node:crypto';
import type { Queryable, Statement } from '../platform/database/database.ts';
import type { Caller } from '../platform/http/route.ts';
import { refuse, type Refused } from '../vocabulary/refusals.ts';
import type { KeyRole } from '../vocabulary/key-roles.ts';
import { tokenInHeader } from './token.rules.ts';

/** Turns the header Authorization into a caller, or says why not. */
export type Authenticate = (authorization: string | undefined) => Promise<Caller | Refused>;

/** A token that was revoked, or whose key was, works no longer than this. */
const REMEMBERED_MS = 1_000;
/** Tokens remembered of each kind; wrong ones apart, so that a flood of them pushes no good one out. */
const REMEMBERED_MAX = 10_000;
/** Look-ups under way at once; beyond it the answer is 503, so that a flood of wrong tokens cannot fill the pool's queue. */
const LOOKUPS_MAX = 256;

const CALLER_OF_TOKEN: Statement = {
  name: 'caller_of_token',
  text: `select k.id as "keyId", o.name as organisation, k.name as "keyName", k.role,
      array(select s.import_supplier from api_key_import_supplier s where s.api_key_id = k.id) as "importSuppliers",
      (extract(epoch from t.expires_at - now()) * 1000)::float8 as "lifeMs"
    from access_token t join api_key k on k.id = t.api_key_id join organisation o on o.id = k.organisation_id
    where t.sha256 = $1 and t.kind = 'access' and t.expires_at > now() and t.revoked_at is null and k.revoked_at is null`,
};

interface CallerRow extends Record<string, unknown> {
  keyId: string;
  organisation: string;
  keyName: string;
  role: KeyRole;
  importSuppliers: string[];
  lifeMs: number;
}

interface Remembered {
  until: number;
  outcome: Caller | Refused;
}

interface LookUp {
  startedAt: number;
  outcome: Promise<Caller | Refused>;
}

/**
 * Makes the check of tokens. One indexed query per token and second, shared by all requests that bring the token
 * meanwhile; a right and a wrong token of the due form cost the same.
 */
export function createAuthenticator(deps: { database: Queryable; now?: () => number }): Authenticate {
  const now = deps.now ?? (() => performance.now());
  const callers = new Map<string, Remembered>();
  const strangers = new Map<string, Remembered>();
  const lookUps = new Map<string, LookUp>();

  const lookUp = async (key: string, token: string, startedAt: number): Promise<Caller | Refused> => {
    try {
      const [row] = await deps.database.run<CallerRow>(CALLER_OF_TOKEN, [hash('sha256', token, 'buffer')]);
      const outcome = row === undefined ? refuse('authentication_failed') : callerOf(row);
      // Age counts from before the query, so that a revocation is never seen later than promised.
      callers.delete(key);
      strangers.delete(key);
      const until = startedAt + Math.min(REMEMBERED_MS, row?.lifeMs ?? REMEMBERED_MS);
      remember(row === undefined ? strangers : callers, key, { until, outcome });
      return outcome;
    } finally {
      if (lookUps.get(key)?.startedAt === startedAt) lookUps.delete(key);
    }
  };
  return async (authorization) => {
    if (authorization === undefined || authorization === '') return refuse('not_authenticated');
    const token = tokenInHeader(authorization);
    if (token === undefined) return refuse('authentication_failed', { detail: MALFORMED });
    const key = hash('sha256', token, 'base64url');
    const asked = now();
    const remembered = callers.get(key) ?? strangers.get(key);
    if (remembered !== undefined && asked < remembered.until) return remembered.outcome;
    const underWay = lookUps.get(key);
    if (underWay !== undefined && asked - underWay.startedAt < REMEMBERED_MS) return underWay.outcome;
    if (lookUps.size >= LOOKUPS_MAX) return refuse('service_unavailable', { retryAfterSeconds: 1 });
    const outcome = lookUp(key, token, asked);
    lookUps.set(key, { startedAt: asked, outcome });
    return outcome;
  };
}

const MALFORMED = 'The header Authorization must be "Token <ACCESS_TOKEN>" with a token from obtainToken.';

function callerOf(row: CallerRow): Caller {
  return { keyId: row.keyId, organisation: row.organisation, keyName: row.keyName, role: row.role, importSuppliers: new Set(row.importSuppliers) };
}

/** Keeps the newest; a Map lists its keys in the order in which they were set. */
function remember(memory: Map<string, Remembered>, key: string, entry: Remembered): void {
  if (memory.size >= REMEMBERED_MAX) memory.delete(memory.keys().next().value!);
  memory.set(key, entry);
}
