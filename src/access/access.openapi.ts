import { Type } from 'typebox';
import type { OpenApiOperation, RouteOpenApi } from '../platform/http/route-openapi.ts';
import { answeredText, opaqueObject, opaqueValue, requiredChoice } from '../platform/validation/field-types.schema.ts';
import { keyRoles, keyScopes } from '../vocabulary/key-roles.ts';
import { createApiKeySchema } from './api-key.schema.ts';
import { putOrganisationSchema } from './organisation.schema.ts';
import { putOperationsTeamSchema } from './operations-team.schema.ts';

const instant = () => Type.String({ format: 'date-time', minLength: 1 });
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

/** `POST /graphql/`: stands beside the routes (obtain-token.route.ts). */
export const obtainTokenOperation: OpenApiOperation = {
  method: 'POST',
  path: '/graphql',
  access: 'public',
  bodyLimitBytes: 100_000,
  contract: {
    operationId: 'obtainToken',
    tag: 'Access',
    summary: 'Obtain a token by GraphQL',
    description:
      'Mutation `obtainToken(input: ObtainJSONWebTokenInput!)` with exactly one of `APIKey`, `organizationSecretKey` and `refreshToken`. A token is valid for 60 minutes. A refresh token is valid once, until the session ends 12 hours after the key was used; a second use ends all tokens of the session. Mutation `revokeToken(input: RevokeTokenInput!)` ends one token (`token`), or all of a session (`refreshToken`). A refused credential is answered with 200 and `errors`. After 10 failed tries a minute with one key from one address, or 100 with keys that were never issued, 429 until the minute is over; likewise after 60 tokens a minute for one key. An IPv6 network of /64 counts as one address.',
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
        description: 'The answer of GraphQL: `data`, or `errors` with `extensions` that say why there is none.',
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
    refusals: ['validation_failed', 'throttled'],
    // A GraphQL client is told of them by 200 and `errors`.
    neverAnswers: ['error', 'service_unavailable'],
  },
};

const teamView = Type.Object({ name: Type.String(), created_at: instant() }, { title: 'OperationsTeam' });
const teamExample = { name: 'Migration', created_at: '2026-11-02T09:00:00.000Z' };
const teamPath = { name: { description: 'Name of the team.', example: 'Migration' } };

/** `PUT operations-teams/<name>/`. */
export const putOperationsTeamOpenApi: RouteOpenApi = {
  operationId: 'putOperationsTeam',
  tag: 'Operations',
  summary: 'Make a team that creations may name',
  path: {
    name: {
      ...teamPath.name,
      violations: ['blank', 'max_length', 'invalid', 'null_characters_not_allowed', 'surrogate_characters_not_allowed'],
    },
  },
  request: putOperationsTeamSchema,
  requestExamples: { team: { reason: 'Spring campaign' } },
  replies: {
    200: { description: 'The team was there.', schema: teamView, example: teamExample },
    201: { description: 'The team is made.', schema: teamView, example: teamExample },
  },
  refusals: ['validation_failed'],
};

/** `GET operations-teams/<name>/`. */
export const findOperationsTeamOpenApi: RouteOpenApi = {
  operationId: 'findOperationsTeam',
  tag: 'Operations',
  summary: 'See a team',
  path: teamPath,
  replies: { 200: { description: 'The team.', schema: teamView, example: teamExample } },
  refusals: ['not_found'],
};

/** `GET operations-teams/`. */
export const listOperationsTeamsOpenApi: RouteOpenApi = {
  operationId: 'listOperationsTeams',
  tag: 'Operations',
  summary: 'List the teams',
  replies: { 200: { description: 'All teams, by name.', schema: Type.Array(teamView), example: [teamExample] } },
  refusals: [],
};

const keyView = Type.Object(
  {
    id: Type.String(),
    organisation: Type.String(),
    name: Type.String(),
    role: requiredChoice(keyRoles),
    scope: requiredChoice(keyScopes),
    import_suppliers: Type.Array(Type.String()),
    starts_with: Type.String({ description: 'The first characters of the key, to tell which one a system uses.' }),
    created_at: instant(),
    expires_at: answeredText({ format: 'date-time' }),
    last_used_at: answeredText({ format: 'date-time' }),
    revoked_at: answeredText({ format: 'date-time' }),
  },
  { title: 'ApiKey' },
);

const keyExample = {
  id: '0198c0de-0000-7000-8000-000000000002',
  organisation: 'Boréal Énergie',
  name: 'migration, autumn',
  role: 'supplier',
  scope: 'all',
  import_suppliers: ['SUPPLIER_FR'],
  starts_with: 'gwk_3Fh2',
  created_at: '2026-11-02T09:00:00.000Z',
  expires_at: null,
  last_used_at: '2026-11-20T16:59:00.000Z',
  revoked_at: null,
};

/** `POST api-keys/`. */
export const createApiKeyOpenApi: RouteOpenApi = {
  operationId: 'createApiKey',
  tag: 'Operations',
  summary: 'Issue an API key',
  description:
    'The key is shown this once. `scope` restricts an operator key: `read` shows everything and changes nothing, `market_messages` hands in market messages and nothing else. After `expires_at` the key and its tokens are refused.',
  request: createApiKeySchema,
  rules: {
    'import_suppliers.*': ['invalid_choice'],
    import_suppliers: ['invalid_choice', 'empty', 'invalid'],
    scope: ['invalid'],
    expires_at: ['invalid'],
  },
  requestExamples: {
    supplier: {
      organisation: 'Boréal Énergie',
      name: 'migration, autumn',
      role: 'supplier',
      import_suppliers: ['SUPPLIER_FR'],
    },
    operator: {
      organisation: 'Support',
      name: 'console',
      role: 'operator',
      scope: 'read',
      expires_at: '2099-12-31T00:00:00Z',
    },
  },
  replies: {
    201: {
      description: 'The key.',
      schema: Type.Object({ id: Type.String(), api_key: Type.String() }, { title: 'CreatedApiKey' }),
      example: { id: keyExample.id, api_key: 'gwk_example' },
    },
  },
  refusals: ['validation_failed'],
};

/** `GET api-keys/`. */
export const listApiKeysOpenApi: RouteOpenApi = {
  operationId: 'listApiKeys',
  tag: 'Operations',
  summary: 'List the API keys',
  replies: {
    200: {
      description: 'All keys, newest first, without their secrets.',
      schema: Type.Array(keyView),
      example: [keyExample],
    },
  },
  refusals: [],
};

/** `DELETE api-keys/<id>/`. */
export const revokeApiKeyOpenApi: RouteOpenApi = {
  operationId: 'revokeApiKey',
  tag: 'Operations',
  summary: 'Revoke an API key',
  description:
    'Its tokens end within a second, on every process. A key revoked before is answered the same. The last operator key in force with the scope `all` is not revoked.',
  path: { id: { description: 'Id of the key.', example: keyExample.id } },
  replies: {
    200: {
      description: 'The key, revoked.',
      schema: keyView,
      example: { ...keyExample, revoked_at: '2026-11-20T17:00:00.000Z' },
    },
  },
  refusals: ['not_found', 'last_operator_key'],
};

/** `GET audit/`. */
export const listAuditOpenApi: RouteOpenApi = {
  operationId: 'listAudit',
  tag: 'Operations',
  summary: 'See who changed what',
  query: {
    limit: {
      description: 'Most entries to list.',
      example: 100,
      schema: { type: 'integer', minimum: 1, maximum: 1_000, default: 100 },
      violations: ['invalid'],
    },
    subject: {
      description: 'Path below /v1/operations/ of what was changed.',
      example: 'import-suppliers/SUPPLIER_FR',
    },
    action: { description: '`<noun>.<verb in the past>`.', example: 'import_supplier.changed' },
  },
  replies: {
    200: {
      description: 'The newest changes first.',
      schema: Type.Array(
        Type.Object(
          {
            id: Type.String(),
            at: instant(),
            actor: Type.Object({ key_id: answeredText(), name: Type.String() }),
            action: Type.String(),
            subject: Type.String(),
            before: opaqueValue(),
            after: opaqueValue(),
            reason: answeredText(),
          },
          { title: 'AuditEntry' },
        ),
      ),
      example: [
        {
          id: '0198c0de-0000-7000-8000-000000000003',
          at: '2026-11-20T17:00:00.000Z',
          actor: { key_id: keyExample.id, name: 'Support / console' },
          action: 'import_supplier.changed',
          subject: 'import-suppliers/SUPPLIER_FR',
          before: { status: 'Ongoing' },
          after: { status: 'Paused' },
          reason: 'Wrong tariffs',
        },
      ],
    },
  },
  refusals: ['validation_failed'],
};

const organisationView = Type.Object(
  {
    name: Type.String(),
    customer_authorisation: Type.Boolean({
      description: 'What holds for its batches of supply points that say nothing of it.',
    }),
    created_at: instant(),
  },
  { title: 'Organisation' },
);
const organisationExample = { name: 'Acme', customer_authorisation: true, created_at: '2026-11-02T09:00:00.000Z' };
const organisationPath = { name: { description: 'Name of the organisation.', example: 'Acme' } };
const PAGE = 'docs/operators/customer-authorisation.md';

/** `PUT organisations/<name>/`. */
export const putOrganisationOpenApi: RouteOpenApi = {
  operationId: 'putOrganisation',
  tag: 'Operations',
  summary: 'Set the options of an organisation',
  page: PAGE,
  path: organisationPath,
  request: putOrganisationSchema,
  requestExamples: { authorised: { customer_authorisation: true, reason: 'Mandates checked on 12 May' } },
  replies: {
    200: { description: 'The organisation as it stands.', schema: organisationView, example: organisationExample },
  },
  refusals: ['validation_failed', 'not_found'],
};

/** `GET organisations/<name>/`. */
export const findOrganisationOpenApi: RouteOpenApi = {
  operationId: 'findOrganisation',
  tag: 'Operations',
  summary: 'See an organisation',
  page: PAGE,
  path: organisationPath,
  replies: { 200: { description: 'The organisation.', schema: organisationView, example: organisationExample } },
  refusals: ['not_found'],
};

/** `GET organisations/`. */
export const listOrganisationsOpenApi: RouteOpenApi = {
  operationId: 'listOrganisations',
  tag: 'Operations',
  summary: 'See all organisations',
  page: PAGE,
  replies: {
    200: {
      description: 'All organisations, by name.',
      schema: Type.Array(organisationView),
      example: [organisationExample],
    },
  },
  refusals: [],
};
