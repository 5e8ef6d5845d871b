import { causesOf } from '../database/faults.ts';
import {
  VendorBusy,
  VendorMisconfigured,
  VendorUnavailable,
  type VendorError,
} from '../../vocabulary/vendor-errors.ts';

const BUSY_SECONDS_UNSAID = 5;
/** Longer waits are cut to this; the call is then retried earlier. */
const BUSY_SECONDS_MAX = 3_600;
/** TLS errors (certificate or version), which an operator must fix. */
const TLS_REFUSAL = /^(?:ERR_(?:TLS|SSL)|CERT_|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO_(?:GET|VERIFY))/;

/** Returns the error for a status that means the same for every party; undefined if the party's own mapping decides. */
export function errorOfStatus(
  vendor: string,
  { status, headers }: { status: number; headers: Record<string, string> },
): VendorError | undefined {
  if (status === 401 || status === 403) {
    return new VendorMisconfigured(`${vendor} rejects our calls (${status}): check credentials, rights and address.`);
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

/** Returns the error for a 429. The party's own header, if any, takes precedence. */
export function busyFor(vendor: string, headers: Record<string, string>, ownHeader?: string): VendorBusy {
  return new VendorBusy(`${vendor} asks us to slow down.`, retryAfterSecondsOf(headers, ownHeader));
}

/** Classifies a network error. Its code is included, but not its message, which may contain addresses. */
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
 * Seconds to wait after a 429: from `Retry-After` in seconds or as a date (RFC 9110, 10.2.3), or from the party's own header with a date.
 * @returns 1 to 3,600
 */
function retryAfterSecondsOf(headers: Record<string, string>, ownHeader?: string): number {
  const retryAfter = (ownHeader === undefined ? undefined : headers[ownHeader]) ?? headers['retry-after'];
  if (retryAfter === undefined) return BUSY_SECONDS_UNSAID;
  const seconds = /^\d+$/.test(retryAfter)
    ? Number(retryAfter)
    : Math.ceil((Date.parse(retryAfter) - Date.now()) / 1_000);
  return Number.isFinite(seconds) ? Math.min(Math.max(seconds, 1), BUSY_SECONDS_MAX) : BUSY_SECONDS_UNSAID;
}

/** Finds the code in a network error; messages may contain addresses. */
export function networkCodeOf(error: unknown): string {
  const code = [...causesOf(error)].map((fault) => fault.code).find((found) => typeof found === 'string');
  return code ?? (error instanceof Error ? error.name : 'unknown');
}
