import {
  VendorBusy,
  VendorMisconfigured,
  VendorUnavailable,
  type VendorError,
} from '../../vocabulary/vendor-errors.ts';

const BUSY_SECONDS_UNSAID = 5;
/** A longer wait is asked for again rather than believed. */
const BUSY_SECONDS_MAX = 3_600;
/** Errors of TLS (certificate or version); they need an operator. */
const TLS_REFUSAL = /^(?:ERR_(?:TLS|SSL)|CERT_|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO_(?:GET|VERIFY))/;

/** The error that a status means with every party; undefined when the party's own table has to say. */
export function errorOfStatus(
  vendor: string,
  { status, headers }: { status: number; headers: Record<string, string> },
): VendorError | undefined {
  if (status === 401 || status === 403) {
    return new VendorMisconfigured(`${vendor} refuses us (${status}): check credentials, rights and address.`);
  }
  if (status < 200 || (status >= 300 && status < 400)) {
    return new VendorMisconfigured(
      `${vendor} sends us elsewhere (${status}), which is not followed: check its address.`,
    );
  }
  if (status === 429) return busyFor(vendor, headers);
  if (status === 408 || status === 425 || status >= 500) return new VendorUnavailable(`${vendor} fails (${status}).`);
  return undefined;
}

/** What a 429 means; the party's own header goes first where it has one. */
export function busyFor(vendor: string, headers: Record<string, string>, ownHeader?: string): VendorBusy {
  return new VendorBusy(`${vendor} asks us to slow down.`, retryAfterSecondsOf(headers, ownHeader));
}

/** Sorts what the network throws; its messages may hold addresses and stay behind, its codes do not. */
export function errorOfNetwork(vendor: string, error: unknown): VendorError {
  const code = networkCodeOf(error);
  if (TLS_REFUSAL.test(code)) {
    return new VendorMisconfigured(
      `${vendor} and we do not trust each other (${code}): check certificates and their dates.`,
    );
  }
  return new VendorUnavailable(`${vendor} cannot be reached (${code}).`);
}

/**
 * Seconds to wait after a 429: `Retry-After` as seconds or as a date (RFC 9110, 10.2.3), or the party's own header with a date.
 * @returns 1 to 3,600
 */
function retryAfterSecondsOf(headers: Record<string, string>, ownHeader?: string): number {
  const said = (ownHeader === undefined ? undefined : headers[ownHeader]) ?? headers['retry-after'];
  if (said === undefined) return BUSY_SECONDS_UNSAID;
  const seconds = /^\d+$/.test(said) ? Number(said) : Math.ceil((Date.parse(said) - Date.now()) / 1_000);
  return Number.isFinite(seconds) ? Math.min(Math.max(seconds, 1), BUSY_SECONDS_MAX) : BUSY_SECONDS_UNSAID;
}

/** Finds the code in a network error; messages may contain addresses. */
export function networkCodeOf(error: unknown): string {
  for (
    let fault = error as { code?: unknown; cause?: unknown } | undefined, depth = 0;
    fault && depth < 4;
    fault = fault.cause as typeof fault, depth += 1
  ) {
    if (typeof fault.code === 'string') return fault.code;
  }
  return error instanceof Error ? error.name : 'unknown';
}
