import { pageOfCode } from '../../vocabulary/remedies.ts';
import { refusals, type RefusalCode, type Refused } from '../../vocabulary/refusals.ts';
import { VIOLATIONS_LISTED_MAX } from '../../vocabulary/violations.ts';

export interface ErrorResponse {
  status: number;
  headers: Record<string, string>;
  body: Record<string, unknown>;
}

/**
 * The only conversion of a refusal to an HTTP response.
 * @param refused its code determines status and default detail
 * @param requestId included in responses that a client may report
 */
export function renderRefusal(refused: Refused, requestId: string): ErrorResponse {
  const entry = refusals[refused.code];
  const violations = refused.violations ?? [];
  const headers: Record<string, string> = {};
  if (refused.retryAfterSeconds !== undefined) headers['retry-after'] = String(refused.retryAfterSeconds);
  if (entry.status === 401) headers['www-authenticate'] = 'Token';
  const body: Record<string, unknown> = {
    detail: refused.detail ?? entry.sentence,
    code: refused.code,
    errors: violations.slice(0, VIOLATIONS_LISTED_MAX),
    ...refused.extras,
    doc_url: pageOfCode(refused.code),
  };
  if (refused.truncated || violations.length > VIOLATIONS_LISTED_MAX) body['truncated'] = true;
  if (entry.status >= 500) body['request_id'] = requestId;
  return { status: entry.status, headers, body };
}

/** Converts a response to the format of RFC 9457, with all its members. */
export function problemOf(response: ErrorResponse, code: RefusalCode, requestId: string): Record<string, unknown> {
  return {
    type: pageOfCode(code),
    title: refusals[code].sentence,
    status: response.status,
    instance: requestId,
    ...response.body,
  };
}
