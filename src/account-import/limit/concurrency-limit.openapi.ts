import { Type } from 'typebox';
import type { RouteOpenApi } from '../../platform/http/route-openapi.ts';
import { answeredText } from '../../platform/validation/field-types.schema.ts';
import { putConcurrencyLimitSchema } from './concurrency-limit.schema.ts';

const limitView = Type.Object(
  {
    limit: Type.Unsafe<number | null>({ type: ['integer', 'null'], description: 'Null when there is no limit.' }),
    in_use: Type.Integer({ description: 'Accounts that hold a slot now.' }),
    reason: answeredText(),
    updated_at: answeredText({ format: 'date-time' }),
  },
  { title: 'ConcurrencyLimit' },
);

const limitExample = {
  limit: 50,
  in_use: 12,
  reason: 'Night load of the platform',
  updated_at: '2026-11-20T17:00:00.000Z',
};

/** `PUT settings/create-account-concurrency-limit/`. */
export const putConcurrencyLimitOpenApi: RouteOpenApi = {
  operationId: 'putCreateAccountConcurrencyLimit',
  tag: 'Operations',
  summary: 'Limit how many accounts are created at once',
  description:
    '`null` turns the limit off. Requests beyond it are answered 429. Import jobs are not bound by it: slow them down with their option `max_per_second`. It holds over all processes, within a second. Import suppliers share it: while one is expected back after a 429, the next free slot is kept for it.',
  request: putConcurrencyLimitSchema,
  requestExamples: { on: { limit: 50, reason: 'Night load of the platform' }, off: { limit: null } },
  replies: { 200: { description: 'The limit.', schema: limitView, example: limitExample } },
  refusals: ['validation_failed'],
};

/** `GET settings/create-account-concurrency-limit/`. */
export const findConcurrencyLimitOpenApi: RouteOpenApi = {
  operationId: 'findCreateAccountConcurrencyLimit',
  tag: 'Operations',
  summary: 'See the limit of creations at once',
  replies: { 200: { description: 'The limit.', schema: limitView, example: limitExample } },
  refusals: [],
};
