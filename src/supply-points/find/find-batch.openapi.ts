import { Type } from 'typebox';
import type { RouteOpenApi } from '../../platform/http/route-openapi.ts';
import { answeredText, requiredInstant } from '../../platform/validation/field-types.schema.ts';
import { batchHead, batchPath, batchProgress, facts } from '../supply-points.openapi.ts';

const identifiers = (prms: string[], pces: string[]) =>
  Type.Object({
    prm_ids: Type.Array(Type.String(), { examples: [prms] }),
    pce_ids: Type.Array(Type.String(), { examples: [pces] }),
  });
const deferred = Type.Array(
  Type.Object({
    id: Type.String({ examples: ['25014987360059'] }),
    tries: Type.Integer({ examples: [5] }),
    next_attempt_at: requiredInstant({ examples: ['2026-11-20T18:00:00.000Z'] }),
  }),
);
const results = (id: string, fact: Record<string, string>, source: string) =>
  Type.Array(
    Type.Object({
      id: Type.String({ examples: [id] }),
      facts: facts(fact),
      source: answeredText({ examples: [source] }),
      looked_up_at: requiredInstant({ examples: ['2026-11-20T17:00:11.000Z'] }),
    }),
  );
const errored = Type.Array(
  Type.Object({
    id: Type.String({ examples: ['25014987360075'] }),
    errored_reason: Type.String({ examples: ['EPRM000'] }),
  }),
);

const populationBatch = Type.Object(
  {
    ...batchHead,
    customer_category: Type.String({
      description: 'Domestic, Professional, or a value that operators have allowed.',
      examples: ['Domestic'],
    }),
    customer_authorisation: Type.Boolean({
      description:
        'Whether the customers have authorized the lookups, by the request or by the option of the organization.',
      examples: [true],
    }),
    ...batchProgress,
    imported_requests: identifiers(['25014987360042'], ['03628810476215']),
    imported_results: Type.Object(
      {
        prms: results('25014987360042', { segment: 'C5', subscribed_power: '9 kVA' }, 'enedis-sge'),
        pces: results('03628810476215', { distribution_tariff: 'T2' }, 'grdf-adict'),
      },
      {
        description:
          'Results of imported identifiers, at most 1,000 of each list; `prm_after` and `pce_after` read the next ones. `facts` is null if they were found with an authorization that the batch does not have.',
      },
    ),
    pending_requests: identifiers(['25014987360059'], []),
    set_aside_requests: Type.Object(
      { prms: deferred, pces: deferred },
      {
        description:
          'Pending identifiers for which the network operator has failed, with the time of the next attempt.',
      },
    ),
    errored_requests: Type.Object({ prms: errored, pces: errored }),
    truncated: Type.Boolean({
      description: 'True if a list is shorter than its count; `limit` shows more.',
      examples: [false],
    }),
    warnings: Type.Object({
      repeated: Type.Integer({ examples: [0] }),
      in_both_lists: Type.Object({
        count: Type.Integer({ examples: [0] }),
        identifiers: Type.Array(Type.String(), { examples: [[]] }),
      }),
    }),
  },
  { title: 'PopulationBatch' },
);

/** What both operations have in common. */
const ofBatch = {
  path: batchPath,
  query: {
    limit: {
      description: 'Most identifiers in each list, 0 to 100,000; 100 by default.',
      example: 100,
      schema: { type: 'integer', minimum: 0, maximum: 100_000 },
    },
    prm_after: {
      description: 'The last identifier of `imported_results.prms` so far; the list continues after it.',
      example: '25014987360042',
    },
    pce_after: { description: 'The same for `imported_results.pces`.', example: '03628810476215' },
  },
  replies: {
    200: {
      description: 'The batch with its progress; `imported`, `pending` and `errored` always add up to `accepted`.',
      schema: populationBatch,
      example: { set_aside_requests: { pces: [] }, errored_requests: { pces: [] } },
    },
  },
  refusals: ['not_found'],
} as const;

/** `GET supply-point/populate/<batch_id>/`. */
export const findBatchOpenApi: RouteOpenApi = {
  ...ofBatch,
  operationId: 'findPopulationBatch',
  tag: 'Supply points',
  summary: 'Read the progress of a batch of supply points',
  description:
    "Reasons that begin with EPRM or EPCE are the network operators' own. An organization may have two concurrent requests with a `limit` above 100; others wait up to two seconds and are then rejected with 429.",
};

/** `GET population-batches/<batch_id>/`. */
export const findBatchForOperatorOpenApi: RouteOpenApi = {
  ...ofBatch,
  operationId: 'findPopulationBatchAsOperator',
  summary: 'Read the progress of any batch of supply points',
};
