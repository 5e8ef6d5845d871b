import { bearerIn, BUSY_SECONDS, paymentVendorSimulator, type WireAnswer } from '../magic-reference.simulator.ts';

const REL = 'https://api.slimpay.net/alps#search-mandates';

/**
 * Starts a simulator of the part of SlimPay's API that gangway uses: token, entry point, search of mandates. Tokens contain the
 * secret of their request, so that a restarted simulator still accepts them.
 */
export const startSlimpaySimulator = paymentVendorSimulator({
  secretIn: (request) => secretOfToken(bearerIn(request)),
  referenceIn: ({ path, query }) => (path === '/mandates' ? (query.get('reference') ?? undefined) : undefined),
  other: (request, isLetIn) => {
    if (request.path === '/oauth/token') {
      const secret = Buffer.from(/^Basic (.+)$/.exec(request.headers.authorization ?? '')?.[1] ?? '', 'base64')
        .toString('utf8')
        .split(':')[1];
      if (!isLetIn(secret)) return error(401);
      return {
        status: 200,
        body: {
          access_token: Buffer.from(`token ${secret}`).toString('base64url'),
          token_type: 'bearer',
          expires_in: 3_600,
          scope: 'api',
        },
      };
    }
    if (!isLetIn(secretOfToken(bearerIn(request)))) return error(401);
    if (request.path !== '/') return error(404);
    return hal({
      _links: {
        self: { href: '/' },
        [REL]: { href: `http://${request.headers.host}/mandates{?creditorReference,reference,rum}`, templated: true },
      },
    });
  },
  found: (reference) => page([mandate(reference, 'active')]),
  unknown: () => page([]),
  revoked: (reference) => page([mandate(reference, 'revoked')]),
  pending: (reference) => page([mandate(reference, 'waitingForValidation')]),
  busy: () => ({ ...error(429), headers: { 'retry-after': String(BUSY_SECONDS) } }),
  failing: () => error(500),
  denied: () => error(401),
});

function secretOfToken(token: string | undefined): string | undefined {
  return token === undefined ? undefined : /^token (.+)$/.exec(Buffer.from(token, 'base64url').toString('utf8'))?.[1];
}

function mandate(reference: string, state: string) {
  return {
    id: `id-of-${reference}`,
    reference,
    rum: reference,
    state,
    standard: 'SEPA',
    paymentScheme: 'SEPA.DIRECT_DEBIT.CORE',
    _links: {},
  };
}

function page(mandates: object[]): WireAnswer {
  return hal({
    page: { size: 20, totalElements: mandates.length, totalPages: 1, number: 0 },
    ...(mandates.length === 0 ? {} : { _embedded: { mandates } }),
    _links: {},
  });
}

function hal(body: object): WireAnswer {
  return { status: 200, headers: { 'content-type': 'application/hal+json' }, body };
}

function error(status: number): WireAnswer {
  return {
    status,
    headers: { 'content-type': 'application/hal+json' },
    body: { code: status, message: 'A text of the vendor' },
  };
}
