import { Type, type Static } from 'typebox';
import { requiredKey, requiredText } from '../../platform/validation/field-types.schema.ts';

/** Body of operation 3. */
export const createAccountSchema = Type.Object({
  external_account_number: requiredKey(128),
  import_supplier_code: requiredKey(32),
  operations_team_name: requiredText(128),
  dry_run: Type.Optional(Type.Boolean()),
});

export type CreateAccountRequest = Static<typeof createAccountSchema>;
