import { guideLink } from './guide-pages.ts';
import type { JsonSchema } from './json-schema-writer.ts';

/** Headers of responses to suppliers with a request quota. */
export const QUOTA_HEADERS = ['RateLimit-Policy', 'RateLimit'];

/** Parameters of every POST of suppliers. */
export const parameterComponents: Record<string, JsonSchema> = {
  'Idempotency-Key': {
    name: 'Idempotency-Key',
    in: 'header',
    description: `Identifies the request, so that it can be retried safely: the same key with the same request gets the first response for 30 days. 1 to 255 visible ASCII characters, preferably a random UUID; in double quotes it is the same key. More: ${guideLink('docs/suppliers/rules.md')}`,
    example: '0199f0de-7c1a-7000-8000-000000000001',
    // Accepted by `idempotency-key.store.ts`: bare, or a quoted string.
    schema: { type: 'string', pattern: '^(?:[!#-~][!-~]{0,254}|"(?:[ !#-\\[\\]-~]|\\\\["\\\\]){1,255}")$' },
  },
};

/** Response headers. */
export const headerComponents: Record<string, JsonSchema> = {
  'X-Request-Id': {
    description: 'Identifies the request in the logs: the id that was sent, or a new one.',
    schema: { type: 'string', pattern: '^[A-Za-z0-9._-]{1,128}$' },
  },
  traceresponse: {
    description:
      'If traces are enabled: the trace of the request in the form of W3C Trace Context. It continues the trace of the header `traceparent`, if one was sent.',
    schema: { type: 'string', pattern: '^00-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}$' },
  },
  'Retry-After': {
    description: 'Seconds to wait before the same request is sent again.',
    schema: { type: 'integer', minimum: 1 },
  },
  'RateLimit-Policy': {
    description: 'If operators have set a quota of requests: the number (`q`) per number of seconds (`w`).',
    schema: { type: 'string', examples: ['"requests";q=10;w=1'] },
  },
  RateLimit: {
    description:
      'If operators have set a quota of requests: the number that is left (`r`), and the seconds until the quota is full again (`t`).',
    schema: { type: 'string', examples: ['"requests";r=9;t=1'] },
  },
  'Idempotent-Replayed': {
    description: 'Sent if the response was stored for an earlier request with the same Idempotency-Key.',
    schema: { type: 'string', const: 'true' },
  },
  Deprecation: {
    description:
      'The operation is deprecated since this time: `@` and Unix seconds (RFC 9745). The header Link leads to the replacement.',
    schema: { type: 'string', examples: ['@1798761600'] },
  },
  Sunset: {
    description: 'The operation may not respond any more after this time, an HTTP date (RFC 8594).',
    schema: { type: 'string', examples: ['Fri, 31 Dec 2027 00:00:00 GMT'] },
  },
  Allow: { description: 'The methods that the path supports.', schema: { type: 'string', examples: ['HEAD, GET'] } },
  'WWW-Authenticate': {
    description:
      'The expected scheme of the header Authorization. Clients that send `Bearer`, and those of `/oauth/token`, get the challenge of OAuth.',
    schema: { type: 'string', enum: ['Token', 'Bearer error="invalid_token"', 'Basic realm="gangway"'] },
  },
  Link: {
    description: 'The next page: `<path?limit=&cursor=>; rel="next"`; missing on the last one.',
    schema: { type: 'string' },
  },
};
