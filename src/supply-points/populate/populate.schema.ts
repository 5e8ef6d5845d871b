import { Type, type Static } from 'typebox';
import { choice, key, openable } from '../../platform/validation/field-types.schema.ts';
import { customerCategories } from '../../vocabulary/value-sets.ts';

/** Identifiers of one request, both lists together. */
const IDENTIFIERS_MAX = 100_000;

const identifiers = () => Type.Optional(Type.Array(key(64), { maxItems: IDENTIFIERS_MAX }));

/** Body of operation 14. */
export const populateSchema = Type.Object({
  prm_ids: identifiers(),
  pce_ids: identifiers(),
  customer_category: Type.Optional(openable('customer_category', choice(customerCategories))),
  customer_authorisation: Type.Optional(Type.Boolean()),
  import_supplier: Type.Optional(key(32)),
});

export type PopulateRequest = Static<typeof populateSchema>;
