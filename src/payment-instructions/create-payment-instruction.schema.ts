import { Type, type Static } from 'typebox';
import { importedAccountFields } from '../accounts/imported-account.schema.ts';
import { requiredChoice, requiredText } from '../platform/validation/field-types.schema.ts';
import { paymentInstructionTypes, paymentVendors } from '../vocabulary/value-sets.ts';

/** Body of operation 7 (specification 2.8). */
export const createPaymentInstructionSchema = Type.Object({
  ...importedAccountFields,
  vendor: requiredChoice(paymentVendors),
  reference: requiredText(),
  type: requiredChoice(paymentInstructionTypes),
});

export type CreatePaymentInstructionRequest = Static<typeof createPaymentInstructionSchema>;
