import { Type } from 'typebox';
import { INTEGER_MAX, text } from '../../platform/validation/field-types.schema.ts';

/** Body of `PUT settings/create-account-concurrency-limit/`: `limit` null turns it off, left out it stays. */
export const putConcurrencyLimitSchema = Type.Object({
  limit: Type.Optional(Type.Unsafe<number | null>({ type: ['integer', 'null'], minimum: 1, maximum: INTEGER_MAX })),
  reason: Type.Optional(text(1_000)),
});

export interface PutConcurrencyLimit {
  limit?: number | null;
  reason?: string;
}

/** The limit as operators see it. */
export interface ConcurrencyLimitView {
  /** Most accounts that may be under creation at once; null when there is no limit. */
  limit: number | null;
  /** Accounts that hold a slot now. */
  in_use: number;
  reason: string | null;
  /** Null when it was never set. */
  updated_at: string | null;
}
