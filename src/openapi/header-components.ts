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
    // Accepted by `idempotency-key.rules.ts`: bare, or a quoted string.
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
  Allow: { description: 'The methods that the path supports.', schema: { type: 'string', examples: ['HEAD, GET'] } },
  'WWW-Authenticate': {
    description: 'The scheme of the header Authorization.',
    schema: { type: 'string', const: 'Token' },
  },
  Link: {
    description: 'The next page: `<path?limit=&cursor=>; rel="next"`; missing on the last one.',
    schema: { type: 'string' },
  },
};
