import { Type } from 'typebox';
import type { RouteOpenApi } from '../../platform/http/route-openapi.ts';
import { answeredText, requiredInstant } from '../../platform/validation/field-types.schema.ts';
import {
  batchCounts,
  batchOwners,
  batchPath,
  batchStatus,
  EXAMPLE_BATCH,
  EXAMPLE_PROGRESS,
  facts,
} from '../supply-points.openapi.ts';

const identifiers = () => Type.Object({ prm_ids: Type.Array(Type.String()), pce_ids: Type.Array(Type.String()) });
const deferred = () =>
  Type.Array(Type.Object({ id: Type.String(), tries: Type.Integer(), next_attempt_at: requiredInstant() }));
const results = () =>
  Type.Array(
    Type.Object({ id: Type.String(), facts: facts(), source: answeredText(), looked_up_at: requiredInstant() }),
  );
const errored = () => Type.Array(Type.Object({ id: Type.String(), errored_reason: Type.String() }));

const batchReply: RouteOpenApi['replies'] = {
  200: {
    description: 'The batch with its progress; `imported`, `pending` and `errored` always add up to `accepted`.',
    schema: Type.Object(
      {
        batch_id: Type.String(),
        status: batchStatus(),
        import_suppliers: batchOwners(),
        customer_category: Type.String({
          description: 'Domestic, Professional, or a value that operators have allowed.',
        }),
        customer_authorisation: Type.Boolean({
          description:
            'Whether the customers have authorized the lookups, by the request or by the option of the organization.',
        }),
        counts: batchCounts(),
        rate_per_second: Type.Number({ description: 'Identifiers completed per second, recently.' }),
        estimated_end: answeredText({ format: 'date-time' }),
        created_at: requiredInstant(),
        ended_at: answeredText({ format: 'date-time' }),
        imported_requests: identifiers(),
        imported_results: Type.Object(
          { prms: results(), pces: results() },
          {
            description:
              'Results of imported identifiers, at most 1,000 of each list; `prm_after` and `pce_after` read the next ones. `facts` is null if they were found with an authorization that the batch does not have.',
          },
        ),
        pending_requests: identifiers(),
        set_aside_requests: Type.Object(
          { prms: deferred(), pces: deferred() },
          {
            description:
              'Pending identifiers for which the network operator has failed, with the time of the next attempt.',
          },
        ),
        errored_requests: Type.Object({ prms: errored(), pces: errored() }),
        truncated: Type.Boolean({ description: 'True if a list is shorter than its count; `limit` shows more.' }),
        warnings: Type.Object({
          repeated: Type.Integer(),
          in_both_lists: Type.Object({ count: Type.Integer(), identifiers: Type.Array(Type.String()) }),
        }),
      },
      { title: 'PopulationBatch' },
    ),
    example: {
      batch_id: EXAMPLE_BATCH,
      status: 'IN_PROGRESS',
      import_suppliers: ['SUPPLIER_FR'],
      customer_category: 'Domestic',
      customer_authorisation: true,
      ...EXAMPLE_PROGRESS,
      imported_requests: { prm_ids: ['25014987360042'], pce_ids: ['03628810476215'] },
      imported_results: {
        prms: [
          {
            id: '25014987360042',
            facts: { segment: 'C5', subscribed_power: '9 kVA' },
            source: 'enedis-sge',
            looked_up_at: '2026-11-20T17:00:11.000Z',
          },
        ],
        pces: [
          {
            id: '03628810476215',
            facts: { distribution_tariff: 'T2' },
            source: 'grdf-adict',
            looked_up_at: '2026-11-20T17:00:11.000Z',
          },
        ],
      },
      pending_requests: { prm_ids: ['25014987360059'], pce_ids: [] },
      set_aside_requests: {
        prms: [{ id: '25014987360059', tries: 5, next_attempt_at: '2026-11-20T18:00:00.000Z' }],
        pces: [],
      },
      errored_requests: { prms: [{ id: '25014987360075', errored_reason: 'EPRM000' }], pces: [] },
      truncated: false,
      warnings: { repeated: 0, in_both_lists: { count: 0, identifiers: [] } },
    },
  },
};
const batchQuery: RouteOpenApi['query'] = {
  limit: {
    description: 'Most identifiers in each list, 0 to 100,000; 100 by default.',
    example: 100,
    schema: { type: 'integer', minimum: 0, maximum: 100_000 },
    violations: ['invalid'],
  },
  prm_after: {
    description: 'The last identifier of `imported_results.prms` so far; the list continues after it.',
    example: '25014987360042',
    schema: { type: 'string' },
    violations: ['invalid'],
  },
  pce_after: {
    description: 'The same for `imported_results.pces`.',
    example: '03628810476215',
    schema: { type: 'string' },
    violations: ['invalid'],
  },
};

/** `GET supply-point/populate/<batch_id>/`. */
export const findBatchOpenApi: RouteOpenApi = {
  operationId: 'findPopulationBatch',
  tag: 'Supply points',
  summary: 'Read the progress of a batch of supply points',
  description:
    "Reasons that begin with EPRM or EPCE are the network operators' own. An organization may have two concurrent requests with a `limit` above 100; others wait up to two seconds and are then rejected with 429.",
  path: batchPath,
  query: batchQuery,
  replies: batchReply,
  refusals: ['validation_failed', 'not_found'],
};

/** `GET population-batches/<batch_id>/`. */
export const findBatchForOperatorOpenApi: RouteOpenApi = {
  operationId: 'findPopulationBatchAsOperator',
  tag: 'Operations',
  summary: 'Read the progress of any batch of supply points',
  path: batchPath,
  query: batchQuery,
  replies: batchReply,
  refusals: ['validation_failed', 'not_found'],
};
