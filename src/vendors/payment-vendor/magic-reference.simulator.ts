import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { listen } from '../../foundation/listening-server.ts';
import { tableOf } from '../../foundation/table.ts';

export interface PaymentVendorSimulator {
  /** The address to set for the vendor. */
  url: string;
  /** Number of queries about a reference. */
  callsAbout(reference: string): number;
  /** Number of all queries. */
  calls(): number;
  /** Ends all failures that are limited to a number of calls. */
  heal(): void;
  stop(): Promise<void>;
}

export interface SimulatorOptions {
  host?: string;
  port?: number;
  /** Accepted secrets; any by default. */
  secrets?: readonly string[];
}

export interface WireRequest {
  method: string;
  path: string;
  query: URLSearchParams;
  headers: IncomingMessage['headers'];
  body: string;
}

export interface WireAnswer {
  status: number;
  headers?: Record<string, string>;
  body?: unknown;
}

/** The responses of a vendor on the wire; the shared server chooses among them. */
export interface SimulatedVendor {
  /** The secret that a call carries; undefined for none. */
  secretIn(request: WireRequest): string | undefined;
  /** The reference in a call; undefined for any other call. */
  referenceIn(request: WireRequest): string | undefined;
  /** Handles calls without a reference, whose secret is not checked yet. */
  other(request: WireRequest, isLetIn: (secret: string | undefined) => boolean): WireAnswer;
  found(reference: string, request: WireRequest): WireAnswer;
  unknown(reference: string, request: WireRequest): WireAnswer;
  revoked(reference: string, request: WireRequest): WireAnswer;
  /** Found but not usable yet; found if the vendor has no such state. */
  pending(reference: string, request: WireRequest): WireAnswer;
  busy(): WireAnswer;
  failing(): WireAnswer;
  denied(): WireAnswer;
}

/** Seconds that a busy simulator requests to wait. */
export const BUSY_SECONDS = 1;
/** Most references that are counted; beyond it the oldest is dropped. */
const COUNTED_MAX = 10_000;
/** Words that affect every call. docs/running/outside-parties.md lists them from these tables. */
export const wordsForAlways = {
  UNKNOWN: 'not found',
  REVOKED: 'cancelled, disabled, inactive or revoked, as the vendor calls it; at Adyen removed',
  DOWN: 'the connection breaks',
  SLOW: 'no answer',
  BROKEN: 'an answer that is not JSON',
  HALF: 'an answer that breaks off',
  DENIED: '401, as with wrong credentials',
  ELSEWHERE: 'a redirect, which is not followed',
} as const;
/** Words that affect the number of calls that follows them, or all calls without a number. */
export const wordsForCalls = {
  PENDING: 'not usable yet; Adyen and payment methods of Stripe (`pm_...`) have no such state and answer as found',
  BUSY: '429 with a pause of one second',
  FAILING: '500',
} as const;

/** A word in a reference is separated by non-letters, in upper or lower case, and may be followed by a number of calls. */
const MAGIC = new RegExp(
  `(?<![a-z])(?:(${Object.keys(wordsForAlways).join('|')})|(${Object.keys(wordsForCalls).join('|')})(?:-(\\d+))?)(?![a-z])`,
  'i',
);

/** Returns the function that starts a vendor on its own port; magic words in a reference choose the response. */
export const paymentVendorSimulator =
  (vendor: SimulatedVendor) =>
  (options: SimulatorOptions = {}): Promise<PaymentVendorSimulator> =>
    start(vendor, options);

async function start(vendor: SimulatedVendor, options: SimulatorOptions): Promise<PaymentVendorSimulator> {
  const counts = new Map<string, number>();
  let calls = 0;
  let isHealed = false;
  const isLetIn = (secret: string | undefined) =>
    secret !== undefined && secret !== '' && (options.secrets?.includes(secret) ?? true);
  const server = createServer((request, response) => {
    void readWhole(request).then(
      (whole) => {
        const reference = vendor.referenceIn(whole);
        if (reference === undefined) return send(response, vendor.other(whole, isLetIn));
        if (!isLetIn(vendor.secretIn(whole))) return send(response, vendor.denied());
        calls += 1;
        const count = (counts.get(reference) ?? 0) + 1;
        counts.set(reference, count);
        if (counts.size > COUNTED_MAX) counts.delete(counts.keys().next().value as string);
        return answer(vendor, whole, response, reference, isHealed ? Number.POSITIVE_INFINITY : count);
      },
      () => {
        response.destroy();
      },
    );
  });
  return {
    ...(await listen(server, options)),
    callsAbout: (reference) => counts.get(reference) ?? 0,
    calls: () => calls,
    heal: () => {
      isHealed = true;
    },
  };
}

function answer(
  vendor: SimulatedVendor,
  request: WireRequest,
  response: ServerResponse,
  reference: string,
  count: number,
): void {
  const [, always, forCalls, calls] = MAGIC.exec(reference) ?? [];
  const isHealed = calls !== undefined && count > Number(calls);
  const word = isHealed ? 'found' : (always ?? forCalls ?? 'found').toLowerCase();
  const onWire = ON_WIRE.get(word);
  if (onWire !== undefined) return onWire(response);
  return send(response, vendor[word as 'found' | 'unknown' | 'revoked'](reference, request));
}

/** Words that have the same effect at every vendor; the others are members of `SimulatedVendor`. */
const ON_WIRE = tableOf<(response: ServerResponse) => void>({
  down: (response) => response.destroy(),
  slow: () => {},
  broken: (response) => response.writeHead(200, { 'content-type': 'application/json' }).end('{"broken":'),
  half: (response) => {
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': '1000' }).write('{"half":');
    setTimeout(() => response.destroy(), 20);
  },
  elsewhere: (response) => response.writeHead(302, { location: 'http://127.0.0.1:9/' }).end(),
});

function send(response: ServerResponse, { status, headers = {}, body }: WireAnswer): void {
  response
    .writeHead(status, { 'content-type': 'application/json', ...headers })
    .end(body === undefined ? '' : JSON.stringify(body));
}

async function readWhole(request: IncomingMessage): Promise<WireRequest> {
  const { pathname, searchParams } = new URL(request.url ?? '/', 'http://simulator');
  return {
    method: request.method ?? '',
    path: pathname,
    query: searchParams,
    headers: request.headers,
    body: await text(request),
  };
}

/** The token of `Authorization: Bearer <token>`. */
export function bearerIn({ headers }: WireRequest): string | undefined {
  return /^Bearer (.+)$/.exec(headers.authorization ?? '')?.[1];
}

/** The last part of a path below a folder. */
export function nameBelow({ path }: WireRequest, folder: string): string | undefined {
  const name = path.startsWith(folder) ? path.slice(folder.length) : '';
  return name === '' || name.includes('/') ? undefined : decodeURIComponent(name);
}
