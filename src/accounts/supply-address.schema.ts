import { Type } from 'typebox';
import {
  choice,
  day,
  endDay,
  instant,
  integer,
  list,
  money,
  openable,
  requiredChoice,
  requiredDay,
  requiredKey,
  requiredText,
  text,
} from '../platform/validation/field-types.schema.ts';
import { paymentScheduleFrequencies, paymentScheduleMeans, supplyTypes } from '../vocabulary/value-sets.ts';

const paymentScheduleSchema = Type.Object({
  means: openable('means', requiredChoice(paymentScheduleMeans)),
  start_date: requiredDay(),
  amount: Type.Optional(money({ decimalPlacesMax: 2 })),
  frequency: Type.Optional(openable('frequency', choice(paymentScheduleFrequencies))),
  day_of_month: Type.Optional(integer(1, 31, 'invalid_payment_day_for_payment_schedule')),
});

const paymentInstructionSchema = Type.Object({
  vendor: requiredKey(64),
  reference: requiredKey(512),
  type: requiredText(128),
  valid_from: Type.Optional(day()),
});

const agreementSchema = Type.Object({
  tariff_code: requiredKey(128),
  effective_from: requiredDay(),
  effective_to: Type.Optional(endDay()),
  agreed_at: Type.Optional(instant()),
  addons: Type.Optional(list(Type.Object({ band: requiredKey(128) }))),
});

/** A supply point of an account payload. The supply type determines the form of its identifier. */
export const supplyPointSchema = Type.Object({
  identifier: requiredKey(),
  supply_type: requiredChoice(supplyTypes),
  supply_start_date: requiredDay(),
  billing_frequency: Type.Optional(integer(1, 12)),
  agreements: Type.Optional(list(agreementSchema)),
  payment_schedules: Type.Optional(list(paymentScheduleSchema)),
  payment_instructions: Type.Optional(list(paymentInstructionSchema)),
  consent_data: Type.Optional(
    Type.Object({
      ELEC_CURVES: Type.Optional(Type.Boolean()),
      ELEC_INDEXES: Type.Optional(Type.Boolean()),
      GAS_INDEXES: Type.Optional(Type.Boolean()),
    }),
  ),
});

/** A supply address of an account payload. */
export const supplyAddressSchema = Type.Object({
  supply_address1: Type.Optional(text()),
  supply_address2: Type.Optional(text()),
  supply_address3: Type.Optional(text()),
  supply_address4: Type.Optional(text()),
  supply_postcode: Type.Optional(text()),
  customer_at_supply_address_from_date: requiredDay(),
  supply_points: list(supplyPointSchema),
});
