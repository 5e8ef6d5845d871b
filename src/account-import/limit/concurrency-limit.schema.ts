import { Type, type Static } from 'typebox';
import { answeredText, INTEGER_MAX, text } from '../../platform/validation/field-types.schema.ts';

/** Body of `PUT settings/create-account-concurrency-limit/`: `limit` null turns the limit off; if omitted, it stays. */
export const putConcurrencyLimitSchema = Type.Object({
  limit: Type.Optional(Type.Unsafe<number | null>({ type: ['integer', 'null'], minimum: 1, maximum: INTEGER_MAX })),
  reason: Type.Optional(text(1_000)),
});

export type PutConcurrencyLimit = Static<typeof putConcurrencyLimitSchema>;

/** The limit as operators see it. */
export const concurrencyLimitView = Type.Object(
  {
    limit: Type.Unsafe<number | null>({ type: ['integer', 'null'], description: 'Null without a limit.' }),
    in_use: Type.Integer({ description: 'Accounts that hold a slot now.' }),
    reason: answeredText(),
    updated_at: answeredText({ format: 'date-time' }),
  },
  { title: 'ConcurrencyLimit' },
);
export type ConcurrencyLimitView = Static<typeof concurrencyLimitView>;
