import { Type } from 'typebox';
import type { OpenApiOperation } from '../../platform/http/route-openapi.ts';
import { oauthErrors } from './oauth.rules.ts';

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
