import { Type } from 'typebox';
import { setting } from './setting-kinds.ts';

/** How the API is reached, and how much of it one client may take. */
export const httpSettings = {
  HTTP_HOST: Type.String({
    description: 'Address that the API listens on.',
    default: '127.0.0.1',
    examples: ['0.0.0.0'],
  }),
  HTTP_PORT: setting.port(
    'Port of the API; `npm start` takes a free one when it is in use, 0 always takes a free one.',
    8080,
  ),
  HTTP_BEHIND_TLS: Type.Boolean({
    description: 'TLS ends in front of the API: browsers are told to use TLS only (Strict-Transport-Security).',
    default: false,
    examples: ['true'],
  }),
  HTTP_PROXIES: setting.count(
    'Proxies in front of the API that add the address of their client to X-Forwarded-For; failed tries and unknown tokens are counted by that address.',
    0,
    0,
  ),
  HTTP_CONNECTIONS_MAX: Type.Optional(
    Type.Integer({
      description: 'Most connections to the API at once; unset, 5000, or fewer where the limit of open files is low.',
      examples: [2000],
      minimum: 1,
    }),
  ),
  HTTP_CONNECTIONS_PER_ADDRESS_MAX: Type.Optional(
    Type.Integer({
      description:
        'Most of them from one client address, or /64 network of IPv6; 0: no limit. Unset, a quarter of all; no limit when HTTP_PROXIES is over 0, because all connections are those of the proxies then.',
      examples: [200],
      minimum: 0,
    }),
  ),
  HTTP_HEAD_DEADLINE_MS: setting.count(
    'Longest that a client may take from opening a connection, or from the first byte of a request on it, to the end of the head of that request.',
    60_000,
    100,
  ),
  IDEMPOTENCY_CLAIM_SECONDS: setting.count(
    'Seconds after which the same request with an Idempotency-Key is worked on again when the first one has not been answered; longer than any request takes.',
    60,
  ),
  IDEMPOTENCY_ANSWERS_MAX: setting.count(
    'Most answers to requests with an Idempotency-Key that one organisation keeps; more such requests are answered 429.',
    5_000_000,
  ),
  IDEMPOTENCY_BYTES_MAX: setting.count('Most bytes of them together.', 2_147_483_648),
  GRAPHQL_INTROSPECTION: Type.Boolean({
    description: 'Lets clients ask the GraphQL API for its schema.',
    default: false,
    examples: ['true'],
  }),
  BODY_LIMIT_BYTES: setting.count('Largest body of a request.', 1_048_576),
  BUSINESS_BODY_LIMIT_BYTES: setting.count('Largest body of operations 12 and 13.', 4_194_304),
  POPULATE_BODY_LIMIT_BYTES: setting.count('Largest body of operation 14.', 2_097_152),
  LARGE_BODIES_BYTES: setting.count(
    'Most bytes of bodies over 64 kB under way at once; one organisation has at most half of them. More wait, then 503.',
    8_388_608,
  ),
  LARGE_BODY_WAIT_MS: setting.count('Longest that a body over 64 kB waits for room.', 5_000),
  LARGE_BODY_ARRIVAL_MS: setting.count('Longest that a body over 64 kB may take to arrive once it has room.', 20_000),
};
