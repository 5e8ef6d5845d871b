import { Type } from 'typebox';
import type { RouteOpenApi } from '../../platform/http/route-openapi.ts';
import { answeredText, requiredChoice, requiredInstant } from '../../platform/validation/field-types.schema.ts';
import { keyRoles, keyScopes } from '../../vocabulary/key-roles.ts';
import { createApiKeySchema } from './api-key.schema.ts';

const keyView = Type.Object(
  {
    id: Type.String(),
    organisation: Type.String(),
    name: Type.String(),
    role: requiredChoice(keyRoles),
    scope: requiredChoice(keyScopes),
    import_suppliers: Type.Array(Type.String()),
    starts_with: Type.String({
      description: 'The first characters of the key, to identify the key that a system uses.',
    }),
    created_at: requiredInstant(),
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

export const createApiKeyOpenApi: RouteOpenApi = {
  operationId: 'createApiKey',
  tag: 'Operations',
  summary: 'Create an API key',
  description:
    'The key is shown only once. `scope` restricts an operator key: `read` allows reading only, `operate` allows all changes except those of keys, people, import suppliers, organisations, teams and the limit of creations, `market_messages` allows only sending market messages. After `expires_at` the key and its tokens are rejected.',
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

export const revokeApiKeyOpenApi: RouteOpenApi = {
  operationId: 'revokeApiKey',
  tag: 'Operations',
  summary: 'Revoke an API key',
  description:
    'Its tokens become invalid within a second, on every process. Revoking a key twice has the same response. The last active operator key with the scope `all` cannot be revoked.',
  path: { id: { description: 'Id of the key.', example: keyExample.id } },
  replies: {
    200: {
      description: 'The revoked key.',
      schema: keyView,
      example: { ...keyExample, revoked_at: '2026-11-20T17:00:00.000Z' },
    },
  },
  refusals: ['not_found', 'last_operator_key'],
};
