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

/** A deprecated route. Clients see it in headers of each response and in the OpenAPI document. */
export interface Deprecation {
  /** Day from which clients should use something else: YYYY-MM-DD. */
  since: string;
  /** Day after which the route may not respond any more: YYYY-MM-DD. */
  ends: string;
  /** Address of the page that names the replacement. */
  link: string;
}

/** Names and values alternating: Deprecation (RFC 9745), Sunset (RFC 8594) and the link to the page. */
export function deprecationHeaders({ since, ends, link }: Deprecation): string[] {
  return [
    'deprecation',
    `@${Date.parse(since) / 1_000}`,
    'sunset',
    new Date(ends).toUTCString(),
    'link',
    `<${link}>; rel="deprecation"; type="text/html"`,
  ];
}
