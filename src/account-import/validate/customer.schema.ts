import { Type } from 'typebox';
import { day, nullableText, text } from '../../platform/validation/field-types.schema.ts';

/** A customer of an account payload. Which names are required depends on the account's type. */
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
