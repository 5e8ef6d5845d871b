import { requiredKey } from '../platform/validation/field-types.schema.ts';

/** How operations 4 to 7 name the account that they attach something to. */
export const importedAccountFields = { import_supplier: requiredKey(32), external_account_number: requiredKey(128) };
