import { type Static, Type } from 'typebox';
import { requiredKey, requiredText } from '../platform/validation/field-types.schema.ts';

/** Supplier and account number in the path of an operator request. */
export const accountKeySchema = Type.Object({
  import_supplier: requiredText(32, 'no-control-characters'),
  external_account_number: requiredText(128, 'no-control-characters'),
});

export type AccountKey = Static<typeof accountKeySchema>;

/** Members that identify the account in operations 4 to 7, which attach data to it. */
export const importedAccountFields = { import_supplier: requiredKey(32), external_account_number: requiredKey(128) };

/** Path parameters that identify an account. */
export const accountKeyPath = {
  supplier: { description: 'Code of the import supplier.', example: 'SUPPLIER_FR' },
  external: { description: 'Number of the account in the external system.', example: 'HOME-00004711' },
};
