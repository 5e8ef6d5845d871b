import { type Static, Type } from 'typebox';
import { businessContractSchema, businessDetailsSchema } from '../businesses/business.schema.ts';
import {
  choice,
  day,
  documentPath,
  endDay,
  instant,
  integer,
  key,
  list,
  nullableText,
  opaqueObject,
  requiredChoice,
  requiredDay,
  requiredDocumentPath,
  requiredKey,
  text,
} from '../platform/validation/field-types.schema.ts';
import { accountTypes, paymentPreferenceTypes } from '../vocabulary/value-sets.ts';
import { supplyAddressSchema } from './supply-address.schema.ts';

/** A customer of an account payload. Whether names are required depends on the account type. */
export const customerSchema = Type.Object({
  title: Type.Optional(text(20)),
  given_name: Type.Optional(text(255)),
  family_name: Type.Optional(text(255)),
  email: Type.Optional(nullableText(254, 'email')),
  mobile: Type.Optional(nullableText(32)),
  landline: Type.Optional(nullableText(32)),
  date_of_birth: Type.Optional(day()),
  deceased: Type.Optional(text(128)),
  customer_preferences: Type.Optional(
    Type.Object({
      opted_into_updates: Type.Optional(Type.Boolean()),
      opted_into_sms: Type.Optional(Type.Boolean()),
      opted_into_offers: Type.Optional(Type.Boolean()),
      opted_into_recommended: Type.Optional(Type.Boolean()),
    }),
  ),
});

const NOTE_BODY_LENGTH_MAX = 65_536;

const businessSchema = Type.Object({
  business_type: Type.Optional(text(64)),
  siret: Type.Optional(key()),
  details: Type.Optional(businessDetailsSchema),
  business_contract_identifier: Type.Optional(key(128)),
});

const statementSchema = Type.Object({
  bill_period_from_date: requiredDay(),
  bill_period_to_date: requiredDay(),
  statement_id: requiredKey(128),
  statement_path: Type.Optional(documentPath()),
});

const energyChequeSchema = Type.Object({
  number: requiredKey(64),
  amount: integer(0),
  protection_from: Type.Optional(day()),
  protection_to: Type.Optional(endDay()),
  valid_to: Type.Optional(endDay()),
  source: Type.Optional(text(128)),
  status: Type.Optional(text(128)),
  asp_remittance_ref: Type.Optional(key()),
});

const noteSchema = Type.Object({
  created_at: Type.Optional(instant()),
  body: Type.Optional(text(NOTE_BODY_LENGTH_MAX)),
  document_paths: Type.Optional(list(Type.Object({ document_path: requiredDocumentPath() }))),
});

const paymentPreferenceSchema = Type.Object({
  type: requiredChoice(paymentPreferenceTypes),
  supply_point_identifier: requiredKey(),
  instruction_reference_params: Type.Optional(
    Type.Object({ vendor_name: requiredKey(64), vendor_reference: requiredKey(512) }),
  ),
});

/** The account import payload of operations 1 and 2. */
export const accountPayloadSchema = Type.Object({
  external_account_number: requiredKey(128),
  import_supplier: requiredKey(32),
  account_type: Type.Optional(choice(accountTypes, { MANAGED: 'managed_accounts_are_not_allowed' })),
  business: Type.Optional(businessSchema),
  unknown_occupier: Type.Optional(Type.Boolean()),
  billing_address1: Type.Optional(text()),
  billing_address2: Type.Optional(text()),
  billing_address3: Type.Optional(text()),
  billing_address4: Type.Optional(text()),
  billing_postcode: Type.Optional(text()),
  sales_channel: Type.Optional(text(64)),
  sales_subchannel: Type.Optional(text(128)),
  last_billed_to_date: Type.Optional(day()),
  customers: Type.Optional(list(customerSchema)),
  supply_addresses: Type.Optional(list(supplyAddressSchema)),
  statements: Type.Optional(list(statementSchema)),
  supplementary_ledgers: Type.Optional(
    list(Type.Object({ ledger_code: requiredKey(64), energy_cheques: Type.Optional(list(energyChequeSchema)) })),
  ),
  notes: Type.Optional(list(noteSchema)),
  account_campaigns: Type.Optional(list(Type.Object({ slug: requiredKey(128), campaign_note: Type.Optional(text()) }))),
  metadata: Type.Optional(list(Type.Object({ key: requiredKey(1_024), value: opaqueObject() }))),
  account_contracts: Type.Optional(list(businessContractSchema)),
  payment_preferences: Type.Optional(list(paymentPreferenceSchema)),
});

export type AccountPayload = Static<typeof accountPayloadSchema>;
