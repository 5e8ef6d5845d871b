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
