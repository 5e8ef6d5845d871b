import { Type, type Static } from 'typebox';
import { choice, instant, requiredChoice, requiredText, text } from '../../platform/validation/field-types.schema.ts';
import { keyRoles, keyScopes, type KeyRole, type KeyScope } from '../../vocabulary/key-roles.ts';

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

/** A key as shown to operators, without its secret. */
export interface ApiKeyView {
  id: string;
  organisation: string;
  name: string;
  role: KeyRole;
  scope: KeyScope;
  import_suppliers: string[];
  /** The first characters of the key, which identify it in a client's configuration. */
  starts_with: string;
  created_at: string;
  expires_at: string | null;
  /** To the minute; null if the key was never used. */
  last_used_at: string | null;
  revoked_at: string | null;
}
