import { requiredText } from '../platform/validation/field-types.schema.ts';

/** How operations 4 to 7 name the account that they attach something to. */
export const importedAccountFields = {
  import_supplier: requiredText(32),
  external_account_number: requiredText(128, 'no-control-characters'),
};
