import { Type, type Static, type TProperties } from 'typebox';
import {
  choice,
  day,
  decimalText,
  endDay,
  integer,
  list,
  opaqueObject,
  opaqueValue,
  openable,
  requiredDay,
  requiredKey,
  requiredMoney,
  requiredText,
  taggedObject,
} from '../platform/validation/field-types.schema.ts';
import { supplyTypes, type MemberOrigin } from '../vocabulary/value-sets.ts';

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

/** One term type: its origin, and at least one field. */
interface TermType<Fields extends TProperties> {
  origin: MemberOrigin;
  fields: Fields;
}

/** Does not compile for a type without an origin or without fields. */
function termType<Fields extends TProperties>(
  origin: MemberOrigin,
  fields: keyof Fields extends never ? never : Fields,
): TermType<Fields> {
  return { origin, fields };
}

/**
 * The term types, each with its own fields: a new type is one more entry here and nowhere else. Validation, its paths and
 * its types come from this table; the database keeps the content of any type as sent.
 */
const contractTermTypes = {
  CONTRACT_METADATA: termType('seen', { metadata: opaqueObject() }),
  PRODUCT_RATE_OVERRIDE_SCHEDULE: termType('seen', { schedules: list(rateOverrideSchedule, 1) }),
  TERMINATION_FEE: termType('seen', {
    amount: requiredMoney(),
    fee_type: requiredText(DESCRIBING_LENGTH_MAX),
    supply_type: Type.Optional(choice(supplyTypes)),
  }),
  ISSUANCE_FREQUENCY: termType('seen', {
    frequency: requiredText(DESCRIBING_LENGTH_MAX),
    multiplier: integer(1),
    period_start_day: integer(1, 31),
    period_start_month: integer(1, 12),
  }),
  RATE_GROUP_ELIGIBILITY: termType('seen', {
    schedules: list(rateGroupSchedule),
    time_series_specification_schedules: Type.Optional(list(opaqueValue())),
  }),
  GUARANTEE_OF_ORIGIN_CONFIGURATION: termType('seen', { guarantee_of_origin_percentage: integer(0, 100) }),
  PAYS_BY_DIRECT_DEBIT: termType('seen', { pays_by_direct_debit: Type.Boolean() }),
  DELAYER_DAYS: termType('seen', { strategy: requiredText(DESCRIBING_LENGTH_MAX), days: integer(0) }),
  CHARACTERISTIC_OVERRIDE: termType('seen', { overrides: list(characteristicOverride, 1) }),
};

type FieldsByType = { [Value in keyof typeof contractTermTypes]: (typeof contractTermTypes)[Value]['fields'] };

/** The fields of each term type. */
export const contractTermFields = Object.fromEntries(
  Object.entries(contractTermTypes).map(([value, { fields }]) => [value, fields]),
) as FieldsByType;

export const contractTermSchema = openable(
  'term_type',
  taggedObject('term_type', contractTermFields, { is_variable: Type.Optional(Type.Boolean()) }),
);

/** A business contract as it is sent in operations 1, 2, 12 and 13. */
export const businessContractSchema = Type.Object({
  identifier: requiredKey(128),
  valid_from_date: requiredDay(),
  signed_at_date: Type.Optional(day()),
  versions: list(Type.Object({ applicable_at_date: requiredDay(), terms: list(contractTermSchema) }), 1),
});

export type BusinessContract = Static<typeof businessContractSchema>;
