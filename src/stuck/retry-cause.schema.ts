import { Type, type Static } from 'typebox';
import { requiredText, text } from '../platform/validation/field-types.schema.ts';

/** Body of `POST stuck/retry/`. */
export const retryCauseSchema = Type.Object({
  cause: requiredText(64, 'no-control-characters'),
  cursor: Type.Optional(text(1_000)),
});

export type RetryCause = Static<typeof retryCauseSchema>;
