import { Type, type Static } from 'typebox';
import { answeredText, decimalNumber, requiredInstant, text } from '../../platform/validation/field-types.schema.ts';

const PER_SECOND_MAX = 100_000;
const PER_HOUR_MAX = 360_000_000;

const speed = {
  requests_per_second: Type.Optional(decimalNumber(0, PER_SECOND_MAX)),
  requests_per_hour: Type.Optional(decimalNumber(0, PER_HOUR_MAX)),
};

/** A speed to preview. */
export const speedSchema = Type.Object(speed);

/** Body of `PUT network-operators/<operator>/throttle/`. A missing member keeps its value, 0 pauses. */
export const putThrottleSchema = Type.Object({ ...speed, reason: Type.Optional(text(1_000)) });

export interface PutThrottle {
  requests_per_second?: number;
  requests_per_hour?: number;
  reason?: string;
}

/** A throttle as operators see it. */
export const throttleSchema = Type.Object(
  {
    network_operator: Type.String(),
    requests_per_second: Type.Number(),
    requests_per_hour: Type.Number(),
    used_per_second: Type.Number({
      description: 'Actual speed of lookups: 0.965 of the lower of both limits, evenly spaced.',
    }),
    blocked_until: answeredText({ format: 'date-time' }),
    reason: answeredText(),
    updated_at: requiredInstant(),
  },
  { title: 'Throttle' },
);
export type ThrottleView = Static<typeof throttleSchema>;

const effect = (description: string) =>
  Type.Object(
    {
      requests_per_second: Type.Number(),
      requests_per_hour: Type.Number(),
      used_per_second: Type.Number(),
      million_ends_at: answeredText({
        format: 'date-time',
        description: 'When a million points would end that start now.',
      }),
      pending_ends_at: answeredText({
        format: 'date-time',
        description: 'When the pending identifiers end at the earliest.',
      }),
    },
    { description },
  );
export type SpeedEffect = Static<ReturnType<typeof effect>>;

/** The effects of the current and of a proposed speed. */
export const throttlePreviewSchema = Type.Object(
  {
    network_operator: Type.String(),
    pending: Type.Integer({
      description: 'Pending identifiers of all batches; an identifier of two batches counts twice.',
    }),
    open_batches: Type.Integer(),
    blocked_until: answeredText({ format: 'date-time' }),
    now: effect('The current speed.'),
    proposed: effect('The proposed speed.'),
  },
  { title: 'ThrottlePreview' },
);
export type ThrottlePreview = Static<typeof throttlePreviewSchema>;
