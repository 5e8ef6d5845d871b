import { Type, type Static } from 'typebox';
import {
  answeredInstant,
  choice,
  instant,
  requiredChoice,
  requiredInstant,
  requiredText,
  text,
} from '../../platform/validation/field-types.schema.ts';
import { keyRoles, keyScopes } from '../../vocabulary/key-roles.ts';

const NAME_LENGTH_MAX = 255;
const SUPPLIERS_PER_KEY_MAX = 1_000;

/** Body of `POST api-keys/`. */
export const createApiKeySchema = Type.Object({
  organisation: requiredText(NAME_LENGTH_MAX, 'no-control-characters'),
  name: requiredText(NAME_LENGTH_MAX, 'no-control-characters'),
  role: requiredChoice(keyRoles),
  scope: Type.Optional(choice(keyScopes)),
  expires_at: Type.Optional(instant()),
  import_suppliers: Type.Optional(Type.Array(requiredText(32), { maxItems: SUPPLIERS_PER_KEY_MAX })),
  reason: Type.Optional(text(1_000)),
});

export type CreateApiKey = Static<typeof createApiKeySchema>;

/** Id of a key. */
const keyId = () => Type.String({ examples: ['0198c0de-0000-7000-8000-000000000002'] });

/** A key as shown to operators, without its secret. */
export const apiKeyView = Type.Object(
  {
    id: keyId(),
    organisation: Type.String({ examples: ['Boréal Énergie'] }),
    name: Type.String({ examples: ['migration, autumn'] }),
    role: requiredChoice(keyRoles),
    scope: requiredChoice(keyScopes),
    import_suppliers: Type.Array(Type.String(), { examples: [['SUPPLIER_FR']] }),
    starts_with: Type.String({
      description: 'The first characters of the key, to identify the key that a system uses.',
      examples: ['gwk_3Fh2'],
    }),
    created_at: requiredInstant({ examples: ['2026-11-02T09:00:00.000Z'] }),
    expires_at: answeredInstant(),
    /** To the minute; null if the key was never used. */
    last_used_at: answeredInstant({ examples: ['2026-11-20T16:59:00.000Z'] }),
    revoked_at: answeredInstant(),
  },
  { title: 'ApiKey' },
);
export type ApiKeyView = Static<typeof apiKeyView>;

/** A new key. `api_key` is shown only this once. */
export const createdApiKey = Type.Object(
  { id: keyId(), api_key: Type.String({ examples: ['gwk_example'] }) },
  { title: 'CreatedApiKey' },
);
export type CreatedApiKey = Static<typeof createdApiKey>;
