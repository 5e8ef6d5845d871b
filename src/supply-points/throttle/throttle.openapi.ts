import type { RouteOpenApi } from '../../platform/http/route-openapi.ts';
import { networkOperatorPath } from '../supply-points.openapi.ts';
import { type Static, Type } from 'typebox';
import { answeredText, decimalNumber, requiredInstant, text } from '../../platform/validation/field-types.schema.ts';

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

export interface PutThrottle {
  requests_per_second?: number;
  requests_per_hour?: number;
  reason?: string;
}

/** A throttle as operators see it. */
const throttleSchema = Type.Object(
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
        description: 'Estimated end of a million lookups that start now.',
      }),
      pending_ends_at: answeredText({ format: 'date-time', description: 'Earliest end of the pending lookups.' }),
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
    }),
    open_batches: Type.Integer(),
    blocked_until: answeredText({ format: 'date-time' }),
    now: effect('The current speed.'),
    proposed: effect('The proposed speed.'),
  },
  { title: 'ThrottlePreview' },
);
export type ThrottlePreview = Static<typeof throttlePreviewSchema>;

const throttleReply: RouteOpenApi['replies'] = {
  200: {
    description: 'The current speed.',
    schema: throttleSchema,
    example: {
      network_operator: 'enedis',
      requests_per_second: 5,
      requests_per_hour: 10_000,
      used_per_second: 2.681,
      blocked_until: null,
      reason: 'contract',
      updated_at: '2026-11-20T17:00:00.000Z',
    },
  },
};

/** `PUT network-operators/<operator>/throttle/`. */
export const putThrottleOpenApi: RouteOpenApi = {
  operationId: 'putThrottle',
  tag: 'Operations',
  summary: 'Set the speed of lookups at a network operator',
  description: 'All workers apply the speed within one second; 0 pauses.',
  path: networkOperatorPath,
  request: putThrottleSchema,
  rules: { requests_per_second: ['min_value', 'max_value'], requests_per_hour: ['min_value', 'max_value'] },
  requestExamples: { faster: { requests_per_second: 5, requests_per_hour: 10_000, reason: 'contract of May' } },
  replies: throttleReply,
  refusals: ['validation_failed', 'not_found'],
};

/** `GET network-operators/<operator>/throttle/`. */
export const findThrottleOpenApi: RouteOpenApi = {
  operationId: 'findThrottle',
  tag: 'Operations',
  summary: 'Get the speed of lookups at a network operator',
  path: networkOperatorPath,
  replies: throttleReply,
  refusals: ['not_found'],
};

/** `GET network-operators/<operator>/throttle/preview/`. */
export const previewThrottleOpenApi: RouteOpenApi = {
  operationId: 'previewThrottle',
  tag: 'Operations',
  summary: 'Preview the effect of a speed',
  description: 'Changes nothing. An end is null while lookups are paused or nothing is pending.',
  page: 'docs/operators/suppliers-and-options.md',
  path: networkOperatorPath,
  query: {
    requests_per_second: {
      description: 'As in `PUT` of the throttle. If omitted, the current value is used.',
      example: 5,
      schema: { type: 'number', minimum: 0 },
      violations: ['min_value', 'max_value', 'invalid'],
    },
    requests_per_hour: {
      description: 'Maximum calls per hour. If omitted, the current value is used.',
      example: 18_000,
      schema: { type: 'number', minimum: 0 },
      violations: ['min_value', 'max_value', 'invalid'],
    },
  },
  replies: {
    200: {
      description: 'The effects of the current and of the proposed speed.',
      schema: throttlePreviewSchema,
      example: {
        network_operator: 'enedis',
        pending: 100_000,
        open_batches: 1,
        blocked_until: null,
        now: {
          requests_per_second: 5,
          requests_per_hour: 10_000,
          used_per_second: 2.681,
          million_ends_at: '2026-11-25T00:37:55.130Z',
          pending_ends_at: '2026-11-21T03:21:47.513Z',
        },
        proposed: {
          requests_per_second: 5,
          requests_per_hour: 18_000,
          used_per_second: 4.825,
          million_ends_at: '2026-11-23T02:34:13.886Z',
          pending_ends_at: '2026-11-20T22:45:25.389Z',
        },
      },
    },
  },
  refusals: ['validation_failed', 'not_found'],
};
