import { Type, type Static } from 'typebox';
import { requiredText } from '../../platform/validation/field-types.schema.ts';

/** Body of operation 3. */
export const createAccountSchema = Type.Object({
  external_account_number: requiredText(128, 'no-control-characters'),
  import_supplier_code: requiredText(32),
  operations_team_name: requiredText(128),
  dry_run: Type.Optional(Type.Boolean()),
});

export type CreateAccountRequest = Static<typeof createAccountSchema>;
