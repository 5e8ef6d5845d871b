import { Type, type Static } from 'typebox';
import { text } from '../platform/validation/field-types.schema.ts';

/** Body of `POST reconciliations/`: one of the two. */
export const createReconciliationSchema = Type.Object(
  { import_supplier: Type.Optional(text()), job_id: Type.Optional(text()) },
  { additionalProperties: false },
);

export type CreateReconciliationRequest = Static<typeof createReconciliationSchema>;
