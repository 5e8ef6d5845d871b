import { Type, type Static } from 'typebox';
import { requiredText, text } from '../../platform/validation/field-types.schema.ts';

/** Maximum identifiers of a selection. */
const SELECTED_MAX = 100;

/** Optional body of the operations that change a batch or a lookup. */
export const steeringReasonSchema = Type.Object({ reason: Type.Optional(text(1_000)) });

export type SteeringReason = Static<typeof steeringReasonSchema>;

/** Body of `POST look-ups/<operator>/retry/`. */
export const retryLookupsSchema = Type.Object({
  identifiers: Type.Array(requiredText(64), { minItems: 1, maxItems: SELECTED_MAX }),
  reason: Type.Optional(text(1_000)),
});

export type RetryLookups = Static<typeof retryLookupsSchema>;
