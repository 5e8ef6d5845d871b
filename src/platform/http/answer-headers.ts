const YEAR_SECONDS = 31_536_000;

/**
 * Headers of every response (ASVS 5.0: 3.4, 14.3). JSON is not a page: if a browser shows it anyway, it must not be executed, framed or
 * cached. Pages for people replace some of the headers (src/openapi).
 */
export function answerHeaders(isBehindTls: boolean): Record<string, string> {
  return {
    'cache-control': 'no-store',
    'content-security-policy': "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    'cross-origin-opener-policy': 'same-origin',
    'cross-origin-resource-policy': 'same-origin',
    'referrer-policy': 'no-referrer',
    'x-content-type-options': 'nosniff',
    ...(isBehindTls ? { 'strict-transport-security': `max-age=${YEAR_SECONDS}; includeSubDomains` } : {}),
  };
}
