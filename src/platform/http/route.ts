import type { Language } from '../../vocabulary/french.ts';
import type { KeyScope } from '../../vocabulary/key-roles.ts';
import type { OperatorAction } from '../../vocabulary/operator-actions.ts';
import { isRefused, type Refused } from '../../vocabulary/refusals.ts';
import type { WritableDatabase } from '../database/database.ts';
import type { Log } from '../log.ts';
import type { Deprecation } from './answer-headers.ts';
import type { RouteOpenApi } from './route-openapi.ts';
import type { StreamedBody, StreamedBodyRules } from './streamed-body.ts';

/** Sender of a request: the key of its token, with its permissions. */
export interface Caller {
  keyId: string;
  organisation: string;
  keyName: string;
  role: 'supplier' | 'operator';
  scope: KeyScope;
  /** Codes of the import suppliers whose data this key may read and change; others appear not to exist. */
  importSuppliers: ReadonlySet<string>;
}

/** Whose data may be seen: that of import suppliers, and of one organization where data belongs to one. Undefined sees everything. */
export type Viewer = Pick<Caller, 'importSuppliers'> & Partial<Pick<Caller, 'organisation'>>;

/** Author of a change: the caller of a request, or `{ keyName }` alone for the command line. */
export type Actor = Pick<Caller, 'keyName'> &
  Partial<Pick<Caller, 'keyId' | 'organisation'>> & {
    /** Permanent identity of a person of the support site. */
    subject?: string;
    /** The bulk action whose audit entry covers the changes. */
    bulkActionId?: string;
  };

/** A request as passed to a route. */
interface RouteRequest {
  /** Decoded path parameters. */
  params: Readonly<Record<string, string>>;
  query: URLSearchParams;
  /** Parsed JSON; lossy number literals are `JSON.rawJSON` objects (see json-body.ts). Undefined if the route accepts no body. */
  body: unknown;
  /** The decompressed body: valid JSON in UTF-8. */
  sent?: Buffer;
  /** `sent` as a string; not set for a large body. */
  sentText?: string | undefined;
  /** The body as a stream, for routes with `streamedBody`; the route handles its errors. */
  stream?: StreamedBody;
  requestId: string;
  log: Log;
  /** Whether the body is large (docs/running/processes.md#large-request-bodies) and processed in steps, each in its own time slice. */
  isLarge: boolean;
  /** See `RequestToCheck`. */
  isPlain?: boolean;
  /** Resolves in an iteration of the event loop in which no other large body is processed. Use it between steps of work that takes more than 10 ms. */
  yieldToEventLoop(): Promise<void>;
  /** Aborted if the client disconnects before it was answered. */
  hungUp(): AbortSignal;
}

export interface AuthenticatedRequest extends RouteRequest {
  caller: Caller;
  /** The language of messages in the response. */
  language: Language;
  /** Id for resources that the request creates, equal for all attempts with one Idempotency-Key. Undefined without a key. */
  onceId?: string;
}

/** A success. An async iterable body (`long-answers.ts`) is streamed and must contain JSON or NDJSON; any other body is serialized as JSON. */
export interface Reply {
  status: 200 | 201 | 202;
  body: unknown;
  /** For a stream of NDJSON. */
  mediaType?: 'application/x-ndjson';
  /** The body already serialized as JSON; `body` is then ignored. */
  bodyJson?: string | Buffer;
  headers?: Record<string, string>;
}

interface RouteBase {
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Without the trailing slash; both forms are served. Parameters as `:name`. */
  path: string;
  /** Largest body in bytes; omit it if the route accepts no body. */
  bodyLimitBytes?: number;
  /** The body may have up to 100,100 members instead of 50,000, for a business with 1,000 contracts. */
  hasManyMembers?: true;
  /** The body is streamed instead of parsed as JSON. */
  streamedBody?: StreamedBodyRules;
  /** The response may be large or take long, so that few are served concurrently (`long-answers.ts`). Required if the response is streamed. */
  isLong?: true | ((query: URLSearchParams) => boolean);
  /** Requests without a body are accepted; `body` is then undefined. */
  bodyIsOptional?: boolean;
  deprecation?: Deprecation;
  /** Documentation for OpenAPI, required by test/openapi. Query parameters that it does not declare are rejected. */
  openApi?: RouteOpenApi;
}

/** A route of the data import API; needs a token of an unrestricted key. */
export interface SupplierRoute extends RouteBase {
  access: 'supplier';
  handle(request: AuthenticatedRequest): Promise<Reply | Refused>;
  /**
   * Handles the request within a transaction that also stores its response. For routes whose work is a single transaction.
   * @param onceCommitted registers a step to run after the commit
   */
  within?(database: WritableDatabase, onceCommitted: (step: () => void) => void): SupplierRoute['handle'];
}

/** A route of the operator API; needs a token of an operator key whose scope allows the action. */
interface OperatorRoute extends RouteBase {
  access: 'operator';
  /** Action of the route, from the table in vocabulary/operator-actions.ts. `look` writes nothing but the audit. */
  action: OperatorAction;
  handle(request: AuthenticatedRequest): Promise<Reply | Refused>;
}

export type TokenRoute = SupplierRoute | OperatorRoute;

/** A route that anyone may call. */
export interface PublicRoute extends RouteBase {
  access: 'public';
  handle(request: RouteRequest): Promise<Reply | Refused>;
}

export type Route = TokenRoute | PublicRoute;

/** A route on which operators read. */
export function operatorRead(route: Omit<OperatorRoute, 'method' | 'access' | 'action'>): Route {
  return { method: 'GET', access: 'operator', action: 'look', ...route };
}

/** A body as reply; a refusal stays a refusal. */
export function replyWith(body: object | Refused, status: Reply['status'] = 200): Reply | Refused {
  return isRefused(body) ? body : { status, body };
}

/** Returns whether a body is streamed. */
export function isStream(body: unknown): body is AsyncIterable<string | Buffer> {
  return typeof body === 'object' && body !== null && Symbol.asyncIterator in body;
}

/** Returns whether a route supports the Idempotency-Key header. */
export function supportsIdempotencyKey(route: Pick<Route, 'access' | 'method'>): route is SupplierRoute {
  return route.access === 'supplier' && route.method === 'POST';
}

/**
 * A read for suppliers, who see what is theirs, or the same read for operators, who see everything.
 * @param path below `/v1/data-import/` or `/v1/operations/`
 * @param handle gets the caller as viewer; undefined for operators
 */
export function readRoute(
  access: 'supplier' | 'operator',
  path: string,
  more: Pick<Route, 'openApi' | 'isLong'>,
  handle: (request: AuthenticatedRequest, viewer: Caller | undefined) => Promise<Reply | Refused>,
): Route {
  return access === 'supplier'
    ? {
        ...more,
        method: 'GET',
        path: `/v1/data-import/${path}`,
        access,
        handle: (request) => handle(request, request.caller),
      }
    : operatorRead({ ...more, path: `/v1/operations/${path}`, handle: (request) => handle(request, undefined) });
}
