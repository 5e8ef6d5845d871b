import { Type } from 'typebox';
import type { RouteOpenApi } from '../platform/http/route-openapi.ts';
import { warningsMember } from '../platform/validation/warning.schema.ts';
import { createPaymentInstructionSchema } from './create-payment-instruction.schema.ts';

const KEY = { import_supplier: 'SUPPLIER_FR', external_account_number: 'HOME-00004711' };
const example = (vendor: string, reference: string, type: string) => ({ ...KEY, vendor, reference, type });

const named = {
  error_detail: Type.String({ examples: ['The payment vendor does not know this reference.'] }),
  external_account_number: Type.String({ examples: [KEY.external_account_number] }),
  import_supplier: Type.String({ examples: [KEY.import_supplier] }),
  reference: Type.String({ examples: ['MD000123'] }),
};
const withReason = (example_: string) =>
  Type.Object({ ...named, reason: Type.String({ description: 'The reason, as a code.', examples: [example_] }) });

/** Operation 7. */
export const createPaymentInstructionOpenApi: RouteOpenApi = {
  operationId: 'createPaymentInstruction',
  tag: 'Attachments',
  summary: 'Verify a payment instruction with its vendor and add it to an imported account',
  description:
    'Waits for the payment vendor. If the vendor does not answer in time, the response is 500 and the verification continues: the same request later returns its result and never creates a second instruction. ' +
    'With `supply_point_identifier` the instruction belongs to that point, otherwise to the account as a whole. It replaces the instruction of the same type for the same point, which is stored as history. ' +
    'An instruction in force is confirmed immediately. A rejection is repeated for ten minutes. Any other request calls the vendor again.',
  request: createPaymentInstructionSchema,
  rules: {
    '': ['max_depth'],
    type: ['invalid_payment_instruction'],
    supply_point_identifier: ['supply_point_not_found'],
  },
  requestExamples: {
    'a mandate at GoCardless': example('GOCARDLESS', 'MD000123', 'DIRECT_DEBIT'),
    'a mandate for one supply point': {
      ...example('GOCARDLESS', 'MD000124', 'DIRECT_DEBIT'),
      supply_point_identifier: '25012345678901',
    },
    'a card at Stripe': example('STRIPE', 'pm_1MqLiJLkdIwHu7ixUEgbFdYF', 'CARD'),
    'a mandate at SlimPay': example('SLIMPAY', 'RUM-2026-000123', 'DIRECT_DEBIT'),
    'a stored card at Adyen': example('ADYEN', 'shopper-4711/7219687191761347', 'CARD'),
  },
  replies: {
    201: {
      description: 'The vendor accepts the instruction, and it is in force.',
      schema: Type.Object(
        {
          service_account_number: Type.String({ description: 'Number of the account on the platform.' }),
          reference: Type.String(),
          warnings: Type.Optional(warningsMember),
        },
        { title: 'CreatedPaymentInstruction' },
      ),
      example: { service_account_number: 'A-7KQ2M9XDT', reference: 'MD000123' },
    },
  },
  refusals: [
    'validation_failed',
    'account_not_found',
    'payment_vendor_rejected',
    'payment_vendor_unreachable',
    'payment_instruction_in_use',
    'throttled',
    'payment_vendor_unavailable',
  ],
  refusalMembers: {
    validation_failed: Type.Object(
      {
        error_detail: named.error_detail,
        external_account_number: Type.Optional(named.external_account_number),
        import_supplier: Type.Optional(named.import_supplier),
        reference: Type.Optional(named.reference),
      },
      { title: 'PaymentInstructionNotValid' },
    ),
    payment_vendor_rejected: withReason('not_found'),
    payment_vendor_unreachable: withReason('vendor_unavailable'),
    payment_instruction_in_use: Type.Object(named),
    payment_vendor_unavailable: Type.Object(named),
  },
};
