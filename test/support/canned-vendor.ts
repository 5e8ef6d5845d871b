import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { VendorLimits } from '../../src/platform/vendor-http/vendor-http.ts';
import type { QueriedInstruction, PaymentVendorPort } from '../../src/vendors/payment-vendor/payment-vendor.port.ts';

/** The response to the next call; a function writes it itself. */
export type Canned =
  | { status: number; headers?: Record<string, string>; body?: unknown }
  | ((response: ServerResponse) => void);

export interface ReceivedCall {
  method: string;
  url: string;
  headers: Record<string, string | string[] | undefined>;
  body: string;
}

export interface CannedVendor {
  url: string;
  /** Received calls. */
  seen: ReceivedCall[];
  /** Sets the responses from now on. */
  answerWith(canned: Canned): void;
  answerByCall(choose: (call: ReceivedCall) => Canned): void;
  stop(): Promise<void>;
}

/** Limits with which failures never open the circuit breaker. */
export const lenientLimits: VendorLimits = {
  timeoutMs: 1_500,
  callsMax: 4,
  waitingMax: 4,
  failuresInARow: 1_000,
  openMs: 100,
};

/** Text of a vendor that must not be passed on. */
export const VENDOR_TEXT = 'what the vendor says in its own words';

/** Starts a vendor that responds as the test defines. */
export async function startCannedVendor(): Promise<CannedVendor> {
  const received: ReceivedCall[] = [];
  let next: (call: ReceivedCall) => Canned = () => ({ status: 500 });
  const server = createServer((request, response) => {
    let body = '';
    request.on('data', (part: Buffer) => {
      body += part.toString();
    });
    request.on('end', () => {
      const call = { method: request.method ?? '', url: request.url ?? '', headers: request.headers, body };
      received.push(call);
      const canned = next(call);
      if (typeof canned === 'function') return canned(response);
      response
        .writeHead(canned.status, { 'content-type': 'application/json', ...canned.headers })
        .end(typeof canned.body === 'string' ? canned.body : JSON.stringify(canned.body ?? {}));
    });
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    seen: received,
    answerWith: (canned) => {
      next = () => canned;
    },
    answerByCall: (choose) => {
      next = choose;
    },
    stop: () =>
      new Promise((resolve) => {
        server.close(() => {
          resolve();
        });
        server.closeAllConnections();
      }),
  };
}

/** The outcome of a check in one line: `usable`, `not-yet pending`, `VendorRejected not_found`, `VendorBusy 7`. */
export async function outcomeOf(
  client: PaymentVendorPort,
  asked: Partial<QueriedInstruction> = {},
  signal: AbortSignal = new AbortController().signal,
): Promise<string> {
  try {
    const state = await client.check(
      { reference: 'REF-1', type: 'DIRECT_DEBIT', externalAccountNumber: 'HOME-1', ...asked },
      signal,
    );
    return state.kind === 'usable' ? 'usable' : `not-yet ${state.status}`;
  } catch (error) {
    const { name, message, reason, retryAfterSeconds } = error as Error & {
      reason?: string;
      retryAfterSeconds?: number;
    };
    if (message.includes(VENDOR_TEXT)) return `tells the vendor's text: ${message}`;
    return [name, reason ?? retryAfterSeconds].filter((part) => part !== undefined).join(' ');
  }
}

/** The expected outcome of responses that any vendor may send. */
export const ANY_VENDOR: [string, Canned, string][] = [
  ['401', { status: 401, body: { message: VENDOR_TEXT } }, 'VendorMisconfigured'],
  ['403', { status: 403, body: { message: VENDOR_TEXT } }, 'VendorMisconfigured'],
  ['a redirect', { status: 302, headers: { location: 'http://127.0.0.1:9/' } }, 'VendorMisconfigured'],
  ['408', { status: 408 }, 'VendorUnavailable'],
  ['425', { status: 425 }, 'VendorUnavailable'],
  ['429 with Retry-After', { status: 429, headers: { 'retry-after': '7' } }, 'VendorBusy 7'],
  ['500', { status: 500, body: { message: VENDOR_TEXT } }, 'VendorUnavailable'],
  ['502', { status: 502, body: '<html>' }, 'VendorUnavailable'],
  ['503', { status: 503 }, 'VendorUnavailable'],
  ['504', { status: 504 }, 'VendorUnavailable'],
  ['an empty answer', { status: 200, body: '' }, 'VendorUnavailable'],
  ['broken JSON', { status: 200, body: '{"a":' }, 'VendorUnavailable'],
  [
    'JSON of another shape',
    { status: 200, body: { status: 5, state: 5, type: 5, mandates: 5, storedPaymentMethods: 5, _embedded: 5 } },
    'VendorUnavailable',
  ],
  ['no object', { status: 200, body: [1] }, 'VendorUnavailable'],
  [
    'half a body',
    (response) => {
      response.writeHead(200, { 'content-length': '100' }).write('{"half":');
      setTimeout(() => {
        response.destroy();
      }, 20);
    },
    'VendorUnavailable',
  ],
  [
    'a connection that breaks',
    (response) => {
      response.destroy();
    },
    'VendorUnavailable',
  ],
  ['no answer', () => {}, 'VendorUnavailable'],
  ['a 404 without JSON', { status: 404, body: `<html>${VENDOR_TEXT}` }, 'VendorUnavailable'],
];
