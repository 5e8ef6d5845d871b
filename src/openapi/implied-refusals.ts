import { supportsIdempotencyKey } from '../platform/http/route.ts';
import type { OpenApiOperation } from '../platform/http/route-openapi.ts';
import type { RefusalCode } from '../vocabulary/refusals.ts';

/** Returns the refusals common to all routes of an operation's kind (platform/http/app.ts). */
export function impliedRefusals(operation: OpenApiOperation): RefusalCode[] {
  const implied: RefusalCode[] = [
    ...(operation.bodyLimitBytes === undefined && operation.streamedBody === undefined
      ? []
      : (['parse_error', 'request_too_large', 'unsupported_media_type'] as const)),
    ...(operation.access === 'public'
      ? []
      : (['not_authenticated', 'authentication_failed', 'permission_denied', 'throttled'] as const)),
    ...(supportsIdempotencyKey(operation)
      ? (['invalid_idempotency_key', 'idempotency_key_in_use', 'idempotency_key_reused'] as const)
      : []),
    ...(operation.openApi.query === undefined ? [] : (['validation_failed'] as const)),
    'unknown_query_parameter',
    'method_not_allowed',
    'not_acceptable',
    'error',
    'service_unavailable',
  ];
  return implied.filter((code) => operation.openApi.neverAnswers?.includes(code) !== true);
}
