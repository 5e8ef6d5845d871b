import type { RouteOpenApi } from '../../platform/http/route-openapi.ts';
import { networkOperatorPath } from '../supply-points.openapi.ts';
import { type Static, Type } from 'typebox';
import {
  answeredInstant,
  answeredText,
  decimalNumber,
  requiredInstant,
  text,
} from '../../platform/validation/field-types.schema.ts';

const PER_SECOND_MAX = 100_000;
const PER_HOUR_MAX = 360_000_000;

const speed = {
  requests_per_second: Type.Optional(decimalNumber(0, PER_SECOND_MAX)),
  requests_per_hour: Type.Optional(decimalNumber(0, PER_HOUR_MAX)),
};

/** A speed to preview. */
export const speedSchema = Type.Object(speed);

/** Body of `PUT network-operators/<operator>/throttle/`. A missing member keeps the stored value; 0 pauses. */
export const putThrottleSchema = Type.Object({ ...speed, reason: Type.Optional(text(1_000)) });

export type PutThrottle = Static<typeof putThrottleSchema>;

/** A throttle as operators see it. */
const throttleSchema = Type.Object(
  {
    network_operator: Type.String(),
    requests_per_second: Type.Number({ examples: [5] }),
    requests_per_hour: Type.Number({ examples: [10_000] }),
    used_per_second: Type.Number({
      description: 'Actual speed of lookups: 0.965 of the lower of both limits, evenly spaced.',
      examples: [2.681],
    }),
    blocked_until: answeredInstant(),
    reason: answeredText({ examples: ['contract'] }),
    updated_at: requiredInstant(),
  },
  { title: 'Throttle' },
);
export type ThrottleView = Static<typeof throttleSchema>;

const effect = (
  description: string,
  [perHour, used, millionEndsAt, pendingEndsAt]: readonly [number, number, string, string],
) =>
  Type.Object(
    {
      requests_per_second: Type.Number({ examples: [5] }),
      requests_per_hour: Type.Number({ examples: [perHour] }),
      used_per_second: Type.Number({ examples: [used] }),
      million_ends_at: answeredInstant({
        description: 'Estimated end of a million lookups that start now.',
        examples: [millionEndsAt],
      }),
      pending_ends_at: answeredInstant({
        description: 'Earliest end of the pending lookups.',
        examples: [pendingEndsAt],
      }),
    },
    { description },
  );
export type SpeedEffect = Static<ReturnType<typeof effect>>;

/** The effects of the current and of a proposed speed. */
const throttlePreviewSchema = Type.Object(
  {
    network_operator: Type.String(),
    pending: Type.Integer({
      description: 'Pending identifiers of all batches; an identifier of two batches counts twice.',
      examples: [100_000],
    }),
    open_batches: Type.Integer({ examples: [1] }),
    blocked_until: answeredInstant(),
    now: effect('The current speed.', [10_000, 2.681, '2026-11-25T00:37:55.130Z', '2026-11-21T03:21:47.513Z']),
    proposed: effect('The proposed speed.', [18_000, 4.825, '2026-11-23T02:34:13.886Z', '2026-11-20T22:45:25.389Z']),
  },
  { title: 'ThrottlePreview' },
);
export type ThrottlePreview = Static<typeof throttlePreviewSchema>;

/** What the operations have in common. */
const ofOperator = {
  path: networkOperatorPath,
  replies: { 200: { description: 'The current speed.', schema: throttleSchema } },
  refusals: ['not_found'],
} as const;

/** `PUT network-operators/<operator>/throttle/`. */
export const putThrottleOpenApi: RouteOpenApi = {
  operationId: 'putThrottle',
  ...ofOperator,
  summary: 'Set the speed of lookups at a network operator',
  description: 'All workers apply the speed within one second; 0 pauses.',
  request: putThrottleSchema,
  rules: { requests_per_second: ['min_value', 'max_value'], requests_per_hour: ['min_value', 'max_value'] },
  requestExamples: { faster: { requests_per_second: 5, requests_per_hour: 10_000, reason: 'contract of May' } },
};

/** `GET network-operators/<operator>/throttle/`. */
export const findThrottleOpenApi: RouteOpenApi = {
  operationId: 'findThrottle',
  ...ofOperator,
  summary: 'Get the speed of lookups at a network operator',
};

/** `GET network-operators/<operator>/throttle/preview/`. */
export const previewThrottleOpenApi: RouteOpenApi = {
  operationId: 'previewThrottle',
  ...ofOperator,
  summary: 'Preview the effect of a speed',
  description: 'Changes nothing. An end is null while lookups are paused or nothing is pending.',
  page: 'docs/operators/suppliers-and-options.md',
  query: {
    requests_per_second: {
      description: 'As in `PUT` of the throttle. If omitted, the current value is used.',
      example: 5,
      schema: { type: 'number', minimum: 0 },
      violations: ['min_value', 'max_value'],
    },
    requests_per_hour: {
      description: 'Maximum calls per hour. If omitted, the current value is used.',
      example: 18_000,
      schema: { type: 'number', minimum: 0 },
      violations: ['min_value', 'max_value'],
    },
  },
  replies: {
    200: { description: 'The effects of the current and of the proposed speed.', schema: throttlePreviewSchema },
  },
};
