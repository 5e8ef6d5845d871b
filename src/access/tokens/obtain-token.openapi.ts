import { Type } from 'typebox';
import type { OpenApiOperation } from '../../platform/http/route-openapi.ts';
import { answeredText, opaqueObject, opaqueValue } from '../../platform/validation/field-types.schema.ts';

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
