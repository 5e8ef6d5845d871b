import { Type } from 'typebox';
import type { RouteOpenApi } from '../platform/http/route-openapi.ts';
import { answeredText, requiredInstant } from '../platform/validation/field-types.schema.ts';
import { networkOperatorPath } from './supply-points.openapi.ts';
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
          description: 'What look-ups really run at: 0.965 of the lower of both, evenly spaced.',
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
