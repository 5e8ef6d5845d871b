import { Type, type Static } from 'typebox';
import { importedAccountFields } from '../accounts/account-key.schema.ts';
import { key, requiredChoice, requiredKey } from '../platform/validation/field-types.schema.ts';
import { paymentInstructionTypes, paymentVendors } from '../vocabulary/value-sets.ts';

/** Body of operation 7. */
export const createPaymentInstructionSchema = Type.Object({
  ...importedAccountFields,
  vendor: requiredChoice(paymentVendors),
  reference: requiredKey(),
  type: requiredChoice(paymentInstructionTypes),
  /** The supply point of the instruction; if omitted, it belongs to the account as a whole. */
  supply_point_identifier: Type.Optional(key(64)),
});

export type CreatePaymentInstructionRequest = Static<typeof createPaymentInstructionSchema>;
