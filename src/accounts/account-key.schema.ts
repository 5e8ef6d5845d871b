import { Type, type Static } from 'typebox';
import { requiredText } from '../platform/validation/field-types.schema.ts';

/** Supplier and number in the path of an operator's call about one account. */
export const accountKeySchema = Type.Object({
  import_supplier: requiredText(32, 'no-control-characters'),
  external_account_number: requiredText(128, 'no-control-characters'),
});

export type AccountKey = Static<typeof accountKeySchema>;
