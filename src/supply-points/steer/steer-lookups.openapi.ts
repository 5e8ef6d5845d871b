import { type Static, Type } from 'typebox';
import type { RouteOpenApi } from '../../platform/http/route-openapi.ts';
import { batchId, batchPath, networkOperatorPath } from '../supply-points.openapi.ts';
import { requiredText, text } from '../../platform/validation/field-types.schema.ts';

/** Maximum identifiers of a selection. */
const SELECTED_MAX = 100;

/** Optional body of the operations that change a batch or a lookup. */
export const steeringReasonSchema = Type.Object({ reason: Type.Optional(text(1_000)) });

export type SteeringReason = Static<typeof steeringReasonSchema>;

/** Body of `POST look-ups/<operator>/retry/`. */
export const retryLookupsSchema = Type.Object({
  identifiers: Type.Array(requiredText(64), { minItems: 1, maxItems: SELECTED_MAX }),
  reason: Type.Optional(text(1_000)),
});

export type RetryLookups = Static<typeof retryLookupsSchema>;

/** What the operations with an optional reason have in common. */
const ofReason = {
  request: steeringReasonSchema,
  requestExamples: { 'with a reason': { reason: 'The network operator has recovered' } },
  refusals: ['not_found'],
} as const;

const count = (example: number) => Type.Integer({ examples: [example] });

/** `POST population-batches/<batch_id>/retry/`. */
export const retryBatchOpenApi: RouteOpenApi = {
  ...ofReason,
  operationId: 'retryPopulationBatch',
  summary: 'Retry all failed and deferred lookups of a batch',
  path: batchPath,
  replies: {
    200: {
      description: 'The number of lookups to retry.',
      schema: Type.Object({ batch_id: batchId(), retried: count(12) }, { title: 'RetriedBatch' }),
    },
  },
};

/** `POST population-batches/<batch_id>/cancel/`. */
export const cancelBatchOpenApi: RouteOpenApi = {
  ...ofReason,
  operationId: 'cancelPopulationBatch',
  summary: 'Cancel a batch',
  description: 'Pending lookups end as errored with the reason `batch_cancelled`; completed ones are kept.',
  path: batchPath,
  replies: {
    200: {
      description: 'The batch is canceled, or had already ended.',
      schema: Type.Object(
        { batch_id: batchId(), status: Type.String({ examples: ['CANCELLED'] }), cancelled: count(40) },
        { title: 'CancelledBatch' },
      ),
    },
  },
};

/** `POST look-ups/<operator>/<identifier>/retry/`. */
export const retryLookupOpenApi: RouteOpenApi = {
  ...ofReason,
  operationId: 'retryLookUp',
  summary: 'Retry the lookup of one identifier',
  path: { ...networkOperatorPath, identifier: { description: 'PRM or PCE.', example: '25014987360075' } },
  replies: {
    200: {
      description:
        '0 if the identifier is pending or imported, 1 if it is retried, 2 if it is retried both with and without customer authorization.',
      schema: Type.Object(
        {
          network_operator: Type.String(),
          identifier: Type.String({ examples: ['25014987360075'] }),
          retried: count(1),
        },
        { title: 'RetriedLookUp' },
      ),
    },
  },
};

/** `POST look-ups/<operator>/retry/`. */
export const retryLookupsOpenApi: RouteOpenApi = {
  operationId: 'retryLookUps',
  summary: 'Retry the lookups of selected identifiers',
  description: 'Each identifier is retried for all its batches. Identifiers without a batch are skipped.',
  path: networkOperatorPath,
  request: retryLookupsSchema,
  requestExamples: { two: { identifiers: ['25014987360075', '25014987360059'], reason: 'Enedis has corrected them' } },
  replies: {
    200: {
      description: 'The number of lookups to retry.',
      schema: Type.Object({ network_operator: Type.String(), retried: count(2) }, { title: 'RetriedLookUps' }),
    },
  },
  refusals: ['not_found'],
};
