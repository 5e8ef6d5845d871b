import { Type } from 'typebox';
import type { RouteOpenApi } from '../../platform/http/route-openapi.ts';
import { answeredText, requiredInstant } from '../../platform/validation/field-types.schema.ts';
import { networkOperatorPath } from '../supply-points.openapi.ts';
import { putThrottleSchema } from './throttle.schema.ts';

const throttleReply: RouteOpenApi['replies'] = {
  200: {
    description: 'The speed as it stands.',
    schema: Type.Object(
      {
        network_operator: Type.String(),
        requests_per_second: Type.Number(),
        requests_per_hour: Type.Number(),
        used_per_second: Type.Number({
          description: 'What lookups really run at: 0.965 of the lower of both, evenly spaced.',
        }),
        blocked_until: answeredText({ format: 'date-time' }),
        reason: answeredText(),
        updated_at: requiredInstant(),
      },
      { title: 'Throttle' },
    ),
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
  summary: 'Set how fast a network operator is asked',
  description: 'Holds from one second after the answer, over all workers; 0 pauses.',
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
  summary: 'See how fast a network operator is asked',
  path: networkOperatorPath,
  replies: throttleReply,
  refusals: ['not_found'],
};

const effect = (description: string) =>
  Type.Object(
    {
      requests_per_second: Type.Number(),
      requests_per_hour: Type.Number(),
      used_per_second: Type.Number(),
      million_ends_at: answeredText({ format: 'date-time', description: 'When a million points that begin now end.' }),
      pending_ends_at: answeredText({ format: 'date-time', description: 'When what is pending ends, at the soonest.' }),
    },
    { description },
  );

/** `GET network-operators/<operator>/throttle/preview/`. */
export const previewThrottleOpenApi: RouteOpenApi = {
  operationId: 'previewThrottle',
  tag: 'Operations',
  summary: 'See what a speed would mean before it is set',
  description: 'Changes nothing. An end is null where there is none: lookups are paused, or nothing is pending.',
  page: 'docs/operators/suppliers-and-options.md',
  path: networkOperatorPath,
  query: {
    requests_per_second: {
      description: 'As `PUT` of the throttle takes it; left out, it stays as it is.',
      example: 5,
      schema: { type: 'number', minimum: 0 },
      violations: ['min_value', 'max_value', 'invalid'],
    },
    requests_per_hour: {
      description: 'The same for an hour.',
      example: 18_000,
      schema: { type: 'number', minimum: 0 },
      violations: ['min_value', 'max_value', 'invalid'],
    },
  },
  replies: {
    200: {
      description: 'The speed as it is, and as it would be.',
      schema: Type.Object(
        {
          network_operator: Type.String(),
          pending: Type.Integer({ description: 'Identifiers that batches wait for.' }),
          open_batches: Type.Integer(),
          blocked_until: answeredText({ format: 'date-time' }),
          now: effect('As it is set.'),
          proposed: effect('As it would be.'),
        },
        { title: 'ThrottlePreview' },
      ),
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
