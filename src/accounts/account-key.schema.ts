import { type Static, Type } from 'typebox';
import { requiredKey, requiredText } from '../platform/validation/field-types.schema.ts';

/** Supplier and number in the path of an operator's call about one account. */
export const accountKeySchema = Type.Object({
  import_supplier: requiredText(32, 'no-control-characters'),
  external_account_number: requiredText(128, 'no-control-characters'),
});

export type AccountKey = Static<typeof accountKeySchema>;

/** How operations 4 to 7 name the account that they attach something to. */
export const importedAccountFields = { import_supplier: requiredKey(32), external_account_number: requiredKey(128) };

/** The parts of a path that name one account of a supplier. */
export const accountKeyPath = {
  supplier: { description: 'Code of the import supplier.', example: 'SUPPLIER_FR' },
  external: { description: 'Number of the account in the external system.', example: 'HOME-00004711' },
};
