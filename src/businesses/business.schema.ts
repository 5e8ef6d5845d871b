import { type Static, Type } from 'typebox';
import {
  choice,
  day,
  decimalText,
  endDay,
  integer,
  key,
  list,
  opaqueObject,
  opaqueValue,
  openable,
  requiredDay,
  requiredKey,
  requiredMoney,
  requiredText,
  taggedObject,
  text,
} from '../platform/validation/field-types.schema.ts';
import { supplyTypes } from '../vocabulary/value-sets.ts';

const DESCRIBING_LENGTH_MAX = 128;

const rateOverrideSchedule = Type.Object({
  effective_from: requiredDay(),
  items: list(
    Type.Object({
      price_per_unit: decimalText(),
      rate_band: requiredKey(DESCRIBING_LENGTH_MAX),
      product_code: requiredKey(DESCRIBING_LENGTH_MAX),
    }),
    1,
  ),
});

const rateGroupSchedule = Type.Object({
  effective_period: Type.Object({ start_date: requiredDay(), end_date: Type.Optional(endDay()) }),
  product_code: requiredKey(DESCRIBING_LENGTH_MAX),
  rate_group_code: requiredKey(DESCRIBING_LENGTH_MAX),
  is_eligible: Type.Boolean(),
});

const characteristicOverride = Type.Object({
  characteristic_code: requiredKey(DESCRIBING_LENGTH_MAX),
  override_value: requiredText(),
});

/**
 * The fields of each term type. To add a type, add an entry here only: validation, paths and TypeScript types follow from this table, and
 * the database stores any content as sent. The types are those in the examples of the specification.
 */
export const contractTermFields = {
  CONTRACT_METADATA: { metadata: opaqueObject() },
  PRODUCT_RATE_OVERRIDE_SCHEDULE: { schedules: list(rateOverrideSchedule, 1) },
  TERMINATION_FEE: {
    amount: requiredMoney(),
    fee_type: requiredText(DESCRIBING_LENGTH_MAX),
    supply_type: Type.Optional(choice(supplyTypes)),
  },
  ISSUANCE_FREQUENCY: {
    frequency: requiredText(DESCRIBING_LENGTH_MAX),
    multiplier: integer(1),
    period_start_day: integer(1, 31),
    period_start_month: integer(1, 12),
  },
  RATE_GROUP_ELIGIBILITY: {
    schedules: list(rateGroupSchedule),
    time_series_specification_schedules: Type.Optional(list(opaqueValue())),
  },
  GUARANTEE_OF_ORIGIN_CONFIGURATION: { guarantee_of_origin_percentage: integer(0, 100) },
  PAYS_BY_DIRECT_DEBIT: { pays_by_direct_debit: Type.Boolean() },
  DELAYER_DAYS: { strategy: requiredText(DESCRIBING_LENGTH_MAX), days: integer(0) },
  CHARACTERISTIC_OVERRIDE: { overrides: list(characteristicOverride, 1) },
};

export const contractTermSchema = openable(
  'term_type',
  taggedObject('term_type', contractTermFields, { is_variable: Type.Optional(Type.Boolean()) }),
);

/** A business contract in operations 1, 2, 12 and 13. */
export const businessContractSchema = Type.Object({
  identifier: requiredKey(128),
  valid_from_date: requiredDay(),
  signed_at_date: Type.Optional(day()),
  versions: list(Type.Object({ applicable_at_date: requiredDay(), terms: list(contractTermSchema) }), 1),
});

export type BusinessContract = Static<typeof businessContractSchema>;

/** Additional data of a business, under keys that the client chooses. */
export const businessDetailsSchema = list(Type.Object({ key: requiredKey(64), value: requiredText(255) }));

/** The key of a business in requests and in paths of the operator API. */
export const businessKeyFields = {
  import_supplier_code: requiredKey(32),
  external_business_identifier: requiredKey(128),
};

/** Body of operation 12. */
export const createBusinessSchema = Type.Object({
  ...businessKeyFields,
  business: Type.Object({
    business_type: Type.Optional(text(64)),
    company_name: requiredText(255),
    siret: Type.Optional(key()),
    details: Type.Optional(businessDetailsSchema),
    business_contracts: list(businessContractSchema),
  }),
});

export type CreateBusinessRequest = Static<typeof createBusinessSchema>;

/** Body of operation 13. */
export const createBusinessContractsSchema = Type.Object({
  ...businessKeyFields,
  business_contracts: list(businessContractSchema, 1),
});

export type CreateBusinessContractsRequest = Static<typeof createBusinessContractsSchema>;
