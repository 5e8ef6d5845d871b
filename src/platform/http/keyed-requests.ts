import type { Context } from 'koa';
import { isRefused, refusals, refuse, type Refused } from '../../vocabulary/refusals.ts';
import { type Database, inLateTransaction } from '../database/database.ts';
import {
  type IdempotencyQuota,
  keyInHeader,
  claimRequest,
  hashOfKey,
  hashOfRequest,
  keepAnswer,
  abandonClaim,
  releaseClaim,
  type Claim,
  type KeptAnswer,
  type KeyedRequest,
} from '../idempotency/idempotency-key.store.ts';
import { loggedFault } from '../log.ts';
import type { ReceivedRequest } from './received-request.ts';
import { isStream, type Reply, type Route, type SupplierRoute, supportsIdempotencyKey } from './route.ts';

/** Outcome of a request with an Idempotency-Key, for metrics. */
export type KeyedOutcome = 'kept' | 'not_kept' | 'replayed' | 'in_use' | 'reused' | 'failed';

export interface KeyedRequestsOptions {
  database: Database;
  quota: IdempotencyQuota;
  /** Time after which another process may claim the request; longer than any request takes. */
  claimSeconds: number;
  accountOf(body: unknown): KeyedRequest['account'];
  onOutcome(outcome: KeyedOutcome): void;
}

/** Handles a request, or repeats its stored response. */
export type Handler = (request: ReceivedRequest, ctx: Context) => Promise<Reply | Refused>;

const EMPTY = Buffer.alloc(0);
/** A request in progress is answered within seconds. */
const RETRY_SECONDS = 2;
const FULL_RETRY_SECONDS = 600;

/**
 * Creates the handler of a route. A supplier's POST with the header Idempotency-Key is executed once: repetitions get the first response
 * (docs/suppliers/rules.md). Requests without the header only pay for the check.
 */
export function handlerOf(route: Route, options: KeyedRequestsOptions | undefined): Handler {
  if (options === undefined || !supportsIdempotencyKey(route)) return (request) => route.handle(request);
  return (request, ctx) => {
    const header = ctx.req.headers['idempotency-key'];
    return header === undefined
      ? route.handle(request)
      : serveKeyed(route, options, { header: String(header), request, ctx });
  };
}

interface Keyed {
  header: string;
  request: ReceivedRequest;
  ctx: Context;
}

async function serveKeyed(route: SupplierRoute, options: KeyedRequestsOptions, keyed: Keyed): Promise<Reply | Refused> {
  const { request, ctx } = keyed;
  const key = keyInHeader(keyed.header);
  if (key === undefined) return refuse('invalid_idempotency_key');
  // Hashing a large body gets its own time slice.
  if (request.isLarge) await request.yieldToEventLoop();
  const { organisation, importSuppliers } = request.caller;
  const wanted: KeyedRequest = {
    organisation,
    keyHash: hashOfKey(importSuppliers, key),
    requestHash: hashOfRequest({
      method: ctx.method,
      path: ctx.path,
      query: ctx.querystring,
      body: request.sent ?? EMPTY,
    }),
    account: options.accountOf(request.body),
  };
  const claimed = await claimRequest(options.database, wanted, options.claimSeconds);
  switch (claimed.kind) {
    case 'claimed':
      return workOn(route, options, { request, claim: claimed.claim });
    case 'answered':
      options.onOutcome('replayed');
      ctx.set('idempotent-replayed', 'true');
      return outcomeOf(claimed.kept);
    case 'in-flight':
      options.onOutcome('in_use');
      return inUse();
    case 'other-request':
      options.onOutcome('reused');
      return refuse('idempotency_key_reused');
  }
}

interface Work {
  request: ReceivedRequest;
  claim: Claim;
}

/** Another process has claimed the request, because this one was suspended longer than a claim lasts. */
class ClaimLost extends Error {}

async function workOn(route: SupplierRoute, options: KeyedRequestsOptions, work: Work): Promise<Reply | Refused> {
  const { request, claim } = work;
  request.onceId = claim.onceId;
  try {
    if (!(await options.quota.hasRoom(claim.organisation))) {
      await releaseClaim(options.database, claim);
      return tooManyKept();
    }
    const outcome = await (route.within === undefined
      ? handleSerialized(route, options, work)
      : handleWithin(route, options, work));
    options.onOutcome(isKept(outcome) ? 'kept' : 'not_kept');
    if (isRefused(outcome) && !isKept(outcome)) await endClaim(options.database, claim, outcome);
    return outcome;
  } catch (error) {
    options.onOutcome('failed');
    if (error instanceof ClaimLost) return inUse();
    // If this fails too, the claim expires.
    await abandonClaim(options.database, claim).catch(() => {});
    throw error;
  }
}

/** The response is stored after the work is committed. A failure to store it does not change the response: natural keys detect a repeated request. */
async function handleSerialized(
  route: SupplierRoute,
  { database, quota }: KeyedRequestsOptions,
  { request, claim }: Work,
): Promise<Reply | Refused> {
  const { outcome, kept } = written(await route.handle(request));
  if (kept === undefined) return outcome;
  let isOurs = true;
  try {
    isOurs = await keepAnswer(database, claim, kept);
  } catch (error) {
    request.log.warn({ fault: loggedFault(error) }, 'the answer to a request with an idempotency key cannot be kept');
  }
  if (!isOurs) throw new ClaimLost();
  quota.count(claim.organisation, kept.answer.length);
  return outcome;
}

/** Commits work and response together. */
async function handleWithin(
  route: SupplierRoute,
  { database, quota }: KeyedRequestsOptions,
  { request, claim }: Work,
): Promise<Reply | Refused> {
  let afterwards: (() => void)[] = [];
  let keptBytes: number | undefined;
  const done = await inLateTransaction(database, async (late) => {
    afterwards = [];
    keptBytes = undefined;
    const handle = route.within!(late.database, (step) => afterwards.push(step));
    const { outcome, kept } = written(await handle(request));
    if (kept !== undefined && !(await keepAnswer(await late.begun(), claim, kept))) throw new ClaimLost();
    keptBytes = kept?.answer.length;
    return outcome;
  });
  if (keptBytes !== undefined) quota.count(claim.organisation, keptBytes);
  for (const step of afterwards) step();
  return done;
}

/** Stores only permanent responses: successes, and refusals that cannot change later. */
function isKept(outcome: Reply | Refused): boolean {
  return isRefused(outcome) ? 'isLasting' in refusals[outcome.code] : !isStream(outcome.body);
}

/** An outcome with its body serialized once, for the response and the stored copy. */
function written(outcome: Reply | Refused): { outcome: Reply | Refused; kept?: KeptAnswer } {
  if (!isKept(outcome)) return { outcome };
  if (isRefused(outcome)) {
    const { status } = refusals[outcome.code];
    return { outcome, kept: { status, headers: null, answer: JSON.stringify(outcome) } };
  }
  const answer = outcome.bodyJson?.toString('utf8') ?? JSON.stringify(outcome.body);
  return {
    outcome: { ...outcome, bodyJson: answer },
    kept: { status: outcome.status, headers: outcome.headers ?? null, answer },
  };
}

function outcomeOf({ status, headers, answer }: KeptAnswer): Reply | Refused {
  if (status >= 400) return JSON.parse(answer) as Refused;
  return {
    status: status as Reply['status'],
    body: undefined,
    bodyJson: answer,
    ...(headers === null ? {} : { headers }),
  };
}

/** After an internal error the effect is unknown; other refusals had no effect. */
async function endClaim(database: Database, claim: Claim, { code }: Refused): Promise<void> {
  const end = refusals[code].status >= 500 ? abandonClaim : releaseClaim;
  await end(database, claim).catch(() => {});
}

function tooManyKept(): Refused {
  return refuse('throttled', {
    detail:
      'The organization has reached its limit of stored responses by Idempotency-Key; they are deleted after 30 days. Send the request without the header, or ask the operators.',
    retryAfterSeconds: FULL_RETRY_SECONDS,
  });
}

function inUse(): Refused {
  return refuse('idempotency_key_in_use', { retryAfterSeconds: RETRY_SECONDS });
}
