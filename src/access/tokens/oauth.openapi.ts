import { Type } from 'typebox';
import type { OpenApiOperation } from '../../platform/http/route-openapi.ts';
import { oauthErrors } from './oauth.rules.ts';
import { answeredText, opaqueObject, opaqueValue } from '../../platform/validation/field-types.schema.ts';

const form = Type.Object(
  {
    grant_type: Type.Literal('client_credentials'),
    client_id: Type.Optional(
      Type.String({
        description: 'The id of the API key, or its first 12 characters. Omit it if the header Authorization has it.',
        examples: ['gwk_S0Zx1mVq'],
      }),
    ),
    client_secret: Type.Optional(
      Type.String({
        description: 'The API key. Omit it if the header Authorization has it.',
        examples: ['gwk_example'],
      }),
    ),
  },
  { title: 'ClientCredentials' },
);

const tokenReply = Type.Object(
  {
    access_token: Type.String({ examples: ['gwa_example'] }),
    token_type: Type.Literal('Bearer'),
    expires_in: Type.Integer({ description: 'Seconds for which the token is valid.', examples: [3_600] }),
  },
  { title: 'OauthToken' },
);

const errorReply = Type.Object(
  {
    error: Type.String({ enum: Object.keys(oauthErrors), description: 'Stable, for machines.' }),
    error_description: Type.String({ description: 'For people. The wording may change.' }),
  },
  { title: 'OauthError' },
);

const metadata = Type.Object(
  {
    issuer: Type.String({ format: 'uri-reference', examples: ['https://gangway.example'] }),
    token_endpoint: Type.String({ format: 'uri-reference', examples: ['https://gangway.example/oauth/token'] }),
    token_endpoint_auth_methods_supported: Type.Array(Type.String(), {
      examples: [['client_secret_basic', 'client_secret_post']],
    }),
    grant_types_supported: Type.Array(Type.String(), { examples: [['client_credentials']] }),
    response_types_supported: Type.Array(Type.String(), { examples: [[]] }),
    service_documentation: Type.String({ format: 'uri-reference', examples: ['https://gangway.example/docs/'] }),
  },
  { title: 'OauthMetadata' },
);

/** An error of the token endpoint, with the codes that can have the status. */
const failure = (description: string, headers: readonly string[] = []) => ({
  description,
  headers,
  schema: errorReply,
});

/** `POST /oauth/token`, which is not in the route list (oauth.route.ts). */
const oauthToken: OpenApiOperation = {
  method: 'POST',
  path: '/oauth/token',
  access: 'public',
  openApi: {
    operationId: 'obtainOauthToken',
    tag: 'Access',
    summary: 'Obtain a token with OAuth 2.0 client credentials',
    description:
      'RFC 6749, section 4.4, for OAuth libraries: an alternative to `obtainToken` with the same limits. The client is authenticated by HTTP Basic (`client_secret_basic`) or in the form (`client_secret_post`). Send the token as `Authorization: Bearer <access_token>`. There is no refresh token and no scope.',
    page: 'docs/suppliers/rules.md#tokens',
    form,
    replies: { 200: { description: 'The token.', schema: tokenReply } },
    ownFailures: {
      400: failure(
        '`invalid_request`: malformed. `unsupported_grant_type`: not `client_credentials`. `invalid_scope`: there are no scopes.',
      ),
      401: failure('`invalid_client`: the client is unknown, or its key has expired or was revoked.', [
        'WWW-Authenticate',
      ]),
      413: failure('`invalid_request`: the body is larger than 8,192 bytes.'),
      429: failure('`temporarily_unavailable`: too many attempts, as for `obtainToken`.', ['Retry-After']),
      500: failure('`server_error`: an internal error.'),
      503: failure('`temporarily_unavailable`: retry the request.', ['Retry-After']),
    },
    neverAnswers: ['unknown_query_parameter', 'error', 'service_unavailable'],
  },
};

/** `GET /.well-known/oauth-authorization-server`. */
const oauthMetadata: OpenApiOperation = {
  method: 'GET',
  path: '/.well-known/oauth-authorization-server',
  access: 'public',
  openApi: {
    operationId: 'findOauthMetadata',
    tag: 'Access',
    summary: 'Get the OAuth metadata',
    description: 'RFC 8414: how OAuth libraries find the token endpoint.',
    replies: { 200: { description: 'The metadata.', schema: metadata } },
    refusals: ['not_found'],
    neverAnswers: ['error', 'service_unavailable'],
  },
};

export const oauthOperations: readonly OpenApiOperation[] = [oauthToken, oauthMetadata];

const graphqlError = Type.Object(
  {
    message: Type.String(),
    locations: Type.Optional(Type.Array(opaqueObject())),
    path: Type.Optional(Type.Array(opaqueValue())),
    extensions: Type.Optional(
      Type.Object({ errorType: Type.String(), errorCode: Type.String(), errorDescription: Type.String() }),
    ),
  },
  { title: 'GraphqlError' },
);

const OBTAIN_BY_KEY =
  'mutation ($key: String!) { obtainToken(input: { APIKey: $key }) { token refreshToken refreshExpiresIn payload } }';

/** `POST /graphql/`, which is not in the route list (obtain-token.route.ts). */
export const obtainTokenOperation: OpenApiOperation = {
  method: 'POST',
  path: '/graphql',
  access: 'public',
  bodyLimitBytes: 100_000,
  openApi: {
    operationId: 'obtainToken',
    tag: 'Access',
    summary: 'Obtain a token with GraphQL',
    description:
      'Mutation `obtainToken(input: ObtainJSONWebTokenInput!)` with exactly one of `APIKey`, `organizationSecretKey` and `refreshToken`. A token is valid for 60 minutes. A refresh token is valid once, until the session ends 12 hours after the key was used; a second use ends all tokens of the session. Mutation `revokeToken(input: RevokeTokenInput!)` ends one token (`token`), or all of a session (`refreshToken`). A rejected credential gets status 200 with `errors`. Status 429 until the end of the minute: after 10 failed attempts with one key from one address, 100 failed attempts with unknown keys from one address, or 60 tokens for one key. An IPv6 /64 network counts as one address.',
    request: Type.Object(
      {
        query: Type.String({ description: 'A GraphQL document.' }),
        variables: Type.Optional(opaqueObject()),
        operationName: Type.Optional(answeredText()),
        extensions: Type.Optional(opaqueObject()),
      },
      { title: 'GraphqlRequest' },
    ),
    requestExamples: {
      'by key': { query: OBTAIN_BY_KEY, variables: { key: 'gwk_example' } },
      'end a token': {
        query: 'mutation ($token: String!) { revokeToken(input: { token: $token }) { revoked } }',
        variables: { token: 'gwa_example' },
      },
      'by refresh token': {
        query: 'mutation ($token: String!) { obtainToken(input: { refreshToken: $token }) { token refreshToken } }',
        variables: { token: 'gwr_example' },
      },
    },
    replies: {
      200: {
        otherMediaType: 'application/graphql-response+json',
        description: 'The GraphQL response: `data`, or `errors` with the reason in `extensions`.',
        schema: Type.Object(
          {
            data: Type.Optional(Type.Unsafe<unknown>({ opaque: true })),
            errors: Type.Optional(Type.Array(graphqlError)),
          },
          { title: 'GraphqlReply' },
        ),
        example: {
          data: {
            obtainToken: {
              token: 'gwa_example',
              refreshToken: 'gwr_example',
              refreshExpiresIn: 1_794_000_000,
              payload: { sub: '0198c0de-0000-7000-8000-000000000002', role: 'supplier' },
            },
          },
        },
      },
    },
    rules: {
      query: ['required', 'invalid'],
      variables: ['invalid'],
      operationName: ['invalid'],
      extensions: ['invalid'],
    },
    refusals: ['throttled'],
    // A GraphQL client receives these as 200 with `errors`.
    neverAnswers: ['error', 'service_unavailable'],
  },
};
