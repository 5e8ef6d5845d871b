import type { KeyScope } from '../../vocabulary/key-roles.ts';
import type { OperatorAction } from '../../vocabulary/operator-actions.ts';
import type { Refused } from '../../vocabulary/refusals.ts';
import type { WritableDatabase } from '../database/database.ts';
import type { Log } from '../log.ts';
import type { RouteOpenApi } from './route-openapi.ts';
import type { StreamedBody, StreamedBodyRules } from './streamed-body.ts';

/** Who sent a request: the key behind the token, and what it may touch. */
export interface Caller {
  keyId: string;
  organisation: string;
  keyName: string;
  role: 'supplier' | 'operator';
  scope: KeyScope;
  /** Codes of the import suppliers whose data this key may see and change; others look as if they did not exist. */
  importSuppliers: ReadonlySet<string>;
}

/** Who changed something: the caller of a request, or `{ keyName }` alone for the command line. */
export type Actor = Pick<Caller, 'keyName'> & Partial<Pick<Caller, 'keyId' | 'organisation'>>;

/** What a route is given. */
interface RouteRequest {
  /** Decoded path parameters. */
  params: Readonly<Record<string, string>>;
  query: URLSearchParams;
  /** Parsed JSON; lossy number literals are `JSON.rawJSON` objects (see json-body.ts). Undefined where the route takes none. */
  body: unknown;
  /** The body as it was sent, after decompression: valid JSON in UTF-8. */
  sent?: Buffer;
  /** The same as text, but for a large body. */
  sentText?: string | undefined;
  /** The body as a stream, for routes with `streamedBody`; the route handles its errors. */
  stream?: StreamedBody;
  requestId: string;
  log: Log;
  /** The body is large (docs/running/processes.md#large-request-bodies): it is processed in steps, each in its own time slice. */
  isLarge: boolean;
  /** See `RequestToCheck`. */
  isPlain?: boolean;
  /** Resolves in an iteration of the event loop in which no other large body is processed; for work of more than 10 ms. */
  yieldToEventLoop(): Promise<void>;
  /** Aborted when the client closes the connection before it was answered. */
  hungUp(): AbortSignal;
}

export interface AuthenticatedRequest extends RouteRequest {
  caller: Caller;
  /** Id for resources that the request creates; the same for each attempt with one Idempotency-Key. Undefined without a key. */
  onceId?: string;
}

/** A success. A body of pieces (`long-answers.ts`) is streamed and must hold JSON, or JSON lines; anything else is written as JSON. */
export interface Reply {
  status: 200 | 201;
  body: unknown;
  /** Of a stream that holds a JSON value a line. */
  mediaType?: 'application/x-ndjson';
  /** The body already written as JSON; `body` is then ignored. */
  bodyJson?: string | Buffer;
  headers?: Record<string, string>;
}

interface RouteBase {
  method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  /** Written without the trailing slash; both forms are served. Parameters as `:name`. */
  path: string;
  /** Largest body in bytes; leave out where the route takes no body. */
  bodyLimitBytes?: number;
  /** The body may have up to 100,100 members instead of 50,000: the 1,000 contracts of a business. */
  hasManyMembers?: true;
  /** The body is read as it comes in, instead of as JSON. */
  streamedBody?: StreamedBodyRules;
  /** The response may be large or take long: few are served concurrently (`long-answers.ts`). Required where a body is streamed. */
  isLong?: true | ((query: URLSearchParams) => boolean);
  /** A request without a body is let through; `body` is then undefined. */
  bodyIsOptional?: boolean;
  /** What the OpenAPI document says of the route; test/openapi asks for it. Query parameters that it does not name are refused. */
  openApi?: RouteOpenApi;
}

/** A route of the data import API; needs a token of an unrestricted key. */
export interface SupplierRoute extends RouteBase {
  access: 'supplier';
  handle(request: AuthenticatedRequest): Promise<Reply | Refused>;
  /**
   * The same as a part of a transaction, in which its answer is kept too; where all that the route does is one transaction.
   * @param onceCommitted registers a step to run after the commit
   */
  within?(database: WritableDatabase, onceCommitted: (step: () => void) => void): SupplierRoute['handle'];
}

/** A route of the operator API; needs a token of an operator's key whose scope allows the action. */
interface OperatorRoute extends RouteBase {
  access: 'operator';
  /** What the route does, in the table of vocabulary/operator-actions.ts; `look` writes nothing but the audit. */
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

/** Returns whether a body is streamed. */
export function isStream(body: unknown): body is AsyncIterable<string | Buffer> {
  return typeof body === 'object' && body !== null && Symbol.asyncIterator in body;
}

/** Returns whether a route supports the Idempotency-Key header. */
export function takesKey(route: Pick<Route, 'access' | 'method'>): route is SupplierRoute {
  return route.access === 'supplier' && route.method === 'POST';
}
