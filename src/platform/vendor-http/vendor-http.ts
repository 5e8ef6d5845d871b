import {
  BrokenCircuitError,
  bulkhead,
  BulkheadRejectedError,
  circuitBreaker,
  ConsecutiveBreaker,
  handleWhen,
  wrap,
} from 'cockatiel';
import { request as send, type Dispatcher } from 'undici';
import { traced } from '../traces/traces.ts';
import { VendorMisconfigured, VendorError, VendorUnavailable } from '../../vocabulary/vendor-errors.ts';
import { openVendorAgent, SlotMissed, type SendSlot, type TlsFiles, type VendorAgent } from './vendor-agent.ts';
import { errorOfNetwork, errorOfStatus } from './vendor-faults.ts';

/** Limits of calls to an outside party (temporal.config.ts). */
export interface VendorLimits {
  /** Time limit of a call including its body. The call is then aborted. */
  timeoutMs: number;
  /** Maximum number of concurrent calls. */
  callsMax: number;
  /** Calls that wait for a connection; further calls fail immediately. */
  waitingMax: number;
  /** Consecutive failures that open the circuit breaker. */
  failuresInARow: number;
  /** Time after which the open circuit breaker lets one call through. */
  openMs: number;
}

/** Receives the results of calls to a party, for metrics and health. */
export interface VendorWatch {
  /**
   * Called with the class of each call (`ok`, `rejected`, `busy`, `unavailable`, `misconfigured`), and whether the party was called at all:
   * it is not while the circuit breaker is open.
   */
  onCall?: (outcome: string, wasCalled: boolean) => void;
  /** Called when the circuit breaker opens or closes. */
  onPause?: (isPaused: boolean) => void;
}

export interface VendorHttpOptions extends VendorWatch {
  /** Name of the party in messages to operators: `GoCardless`. */
  vendor: string;
  /** Address to which paths are appended, without trailing slash. */
  baseUrl: string;
  limits: VendorLimits;
  /** Current client certificate and trusted authorities; a change opens new connections. */
  tls?: () => TlsFiles;
}

/** No slot is free for the call: nothing was sent, and nothing failed. */
export class NotSent extends Error {
  override name = 'NotSent';
}

export interface VendorRequest {
  method: 'GET' | 'POST';
  /** Path and query, encoded by the caller, appended to the base address. */
  path: string;
  headers?: Record<string, string>;
  body?: string;
  /** Aborts the call, for example if its activity is cancelled. Does not count as a failure. */
  signal?: AbortSignal | undefined;
  /** Delays the call until its slot. Without it, the call is sent as soon as possible. */
  slot?: SendSlot | undefined;
}

export interface VendorAnswer {
  status: number;
  /** Names in lower case; only the first value of a repeated header. */
  headers: Record<string, string>;
  text: string;
}

export interface VendorHttp {
  /**
   * Makes one call. Nothing is sent twice, and redirects are not followed, because they could send credentials elsewhere.
   * @param read converts the response, within the time limit of the call. Not called for 401, 403, 3xx, 408, 425, 429 and 5xx unless `take`
   * lists them. Throws MalformedAnswer for an unexpected format, and VendorError for a rejection.
   * @throws VendorUnavailable, VendorBusy, VendorMisconfigured, NotSent if no slot is left, or errors of `read`
   */
  call<T>(
    request: VendorRequest,
    read: (answer: VendorAnswer) => T | Promise<T>,
    accepted?: readonly number[],
  ): Promise<T>;
  /** Closes idle connections. */
  close(): Promise<void>;
}

/** The response has an unexpected format. The message names the place and quotes nothing. */
export class MalformedAnswer extends Error {
  override name = 'MalformedAnswer';
}

/** Larger than any documented response of any party. */
const ANSWER_BYTES_MAX = 1_048_576;
/** Consecutive malformed responses after which the address or API version is considered wrong. */
const MALFORMED_IN_A_ROW = 3;

/** Creates an HTTP client for an outside party, with timeout, bulkhead and circuit breaker. Temporal retries. */
export function createVendorHttp(options: VendorHttpOptions): VendorHttp {
  const { vendor, limits } = options;
  const agent = openVendorAgent(options);
  const isFailure = (error: unknown) => error instanceof VendorUnavailable || error instanceof VendorMisconfigured;
  const breaker = circuitBreaker(handleWhen(isFailure), {
    halfOpenAfter: limits.openMs,
    breaker: new ConsecutiveBreaker(limits.failuresInARow),
  });
  breaker.onBreak(() => options.onPause?.(true));
  breaker.onReset(() => options.onPause?.(false));
  const guarded = wrap(bulkhead(limits.callsMax, limits.waitingMax), breaker);
  let malformedInARow = 0;

  const once = async <T>(
    request: VendorRequest,
    read: (answer: VendorAnswer) => T | Promise<T>,
    accepted: readonly number[],
  ): Promise<T> => {
    const answer = await tracedExchange(agent, options, request);
    const refusal = accepted.includes(answer.status) ? undefined : errorOfStatus(vendor, answer);
    if (refusal) throw refusal;
    try {
      const result = await read(answer);
      malformedInARow = 0;
      return result;
    } catch (error) {
      if (!(error instanceof MalformedAnswer)) {
        if (error instanceof VendorError) malformedInARow = 0;
        throw error;
      }
      malformedInARow += 1;
      const sentence = `${vendor} answers in a form that is not understood (${error.message}).`;
      throw malformedInARow < MALFORMED_IN_A_ROW
        ? new VendorUnavailable(sentence)
        : new VendorMisconfigured(`${sentence} Check its address and the version of its API.`);
    }
  };

  return {
    call: async (request, read, accepted = []) => {
      try {
        const result = await guarded.execute(() => once(request, read, accepted), request.signal);
        options.onCall?.('ok', true);
        return result;
      } catch (error) {
        if (error instanceof NotSent) throw error;
        const reported = errorOfPolicy(vendor, error);
        options.onCall?.(classOf(reported), !(reported instanceof VendorUnavailable) || reported.wasCalled);
        throw reported;
      }
    },
    close: () => agent.close(),
  };
}

/** Parses an answer as JSON. @throws MalformedAnswer */
export function jsonOf(answer: VendorAnswer): unknown {
  try {
    return JSON.parse(answer.text);
  } catch {
    throw new MalformedAnswer(`no JSON after status ${answer.status}`);
  }
}

/** Runs a call as a span named after the party. Trace headers are not sent to it. */
function tracedExchange(agent: VendorAgent, options: VendorHttpOptions, request: VendorRequest): Promise<VendorAnswer> {
  return traced(
    () => ({
      name: options.vendor,
      kind: 'client',
      attributes: { 'peer.service': options.vendor, 'http.request.method': request.method },
    }),
    async (span) => {
      const answer = await exchangeInSlot(agent, options, request);
      span?.set({ 'http.response.status_code': answer.status });
      return answer;
    },
  );
}

/** Sends the request in its slot, and renews a missed slot. */
async function exchangeInSlot(
  agent: VendorAgent,
  options: VendorHttpOptions,
  request: VendorRequest,
): Promise<VendorAnswer> {
  for (;;) {
    try {
      return await exchange(agent.now(), options, request);
    } catch (error) {
      if (!(error instanceof SlotMissed)) throw error;
      await request.slot?.renew();
    }
  }
}

async function exchange(
  agent: Dispatcher,
  { vendor, baseUrl, limits }: VendorHttpOptions,
  { method, path, headers, body, signal, slot }: VendorRequest,
): Promise<VendorAnswer> {
  const inTime = AbortSignal.timeout(limits.timeoutMs);
  try {
    // A separate object, because the types of `request` do not know `slot`, which is passed through.
    const options = {
      method,
      headers,
      body: body ?? null,
      dispatcher: agent,
      signal: signal ? AbortSignal.any([signal, inTime]) : inTime,
      slot,
    };
    const answer = await send(baseUrl + path, options);
    return { status: answer.statusCode, headers: flat(answer.headers), text: await textOf(vendor, answer.body) };
  } catch (error) {
    if (error instanceof VendorError || error instanceof SlotMissed) throw error;
    if (signal?.aborted) throw signal.reason;
    throw inTime.aborted
      ? new VendorUnavailable(`${vendor} did not answer within ${limits.timeoutMs} ms.`)
      : errorOfNetwork(vendor, error);
  }
}

async function textOf(vendor: string, body: AsyncIterable<Buffer>): Promise<string> {
  const parts: Buffer[] = [];
  let bytes = 0;
  for await (const part of body) {
    bytes += part.length;
    if (bytes > ANSWER_BYTES_MAX) {
      throw new VendorUnavailable(`${vendor} sent an answer of more than ${ANSWER_BYTES_MAX} bytes.`);
    }
    parts.push(part);
  }
  return Buffer.concat(parts).toString('utf8');
}

function flat(headers: Record<string, string | string[] | undefined>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) =>
      value === undefined ? [] : [[name, Array.isArray(value) ? (value[0] ?? '') : value]],
    ),
  );
}

/** Converts errors of circuit breaker and bulkhead, which reject without calling. */
function errorOfPolicy(vendor: string, error: unknown): unknown {
  if (error instanceof BrokenCircuitError) {
    return new VendorUnavailable(`${vendor} failed several times in a row and is given a rest; it was not asked.`, {
      wasCalled: false,
    });
  }
  if (error instanceof BulkheadRejectedError) {
    return new VendorUnavailable(`Too many calls to ${vendor} are waiting, so it was not called.`, {
      wasCalled: false,
    });
  }
  return error;
}

function classOf(error: unknown): string {
  return error instanceof VendorError ? error.name.replace(/^Vendor/, '').toLowerCase() : 'error';
}
