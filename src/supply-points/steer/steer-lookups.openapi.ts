import { Type } from 'typebox';
import type { RouteOpenApi } from '../../platform/http/route-openapi.ts';
import { retryLookupsSchema, steeringReasonSchema } from './steer-lookups.schema.ts';
import { EXAMPLE_BATCH, batchPath, networkOperatorPath } from '../supply-points.openapi.ts';

const REASON_EXAMPLES = { 'with a reason': { reason: 'The network operator is well again' } };

/** `POST population-batches/<batch_id>/retry/`. */
export const retryBatchOpenApi: RouteOpenApi = {
  operationId: 'retryPopulationBatch',
  tag: 'Operations',
  summary: 'Ask again for all that is errored or deferred in a batch',
  path: batchPath,
  request: steeringReasonSchema,
  requestExamples: REASON_EXAMPLES,
  replies: {
    200: {
      description: 'How many are asked for again.',
      schema: Type.Object({ batch_id: Type.String(), retried: Type.Integer() }, { title: 'RetriedBatch' }),
      example: { batch_id: EXAMPLE_BATCH, retried: 12 },
    },
  },
  refusals: ['validation_failed', 'not_found'],
};

/** `POST population-batches/<batch_id>/cancel/`. */
export const cancelBatchOpenApi: RouteOpenApi = {
  operationId: 'cancelPopulationBatch',
  tag: 'Operations',
  summary: 'Cancel a batch',
  description: 'What is pending ends as errored with the reason `batch_cancelled`; what is completed stays.',
  path: batchPath,
  request: steeringReasonSchema,
  requestExamples: REASON_EXAMPLES,
  replies: {
    200: {
      description: 'The batch is cancelled, or had ended before.',
      schema: Type.Object(
        { batch_id: Type.String(), status: Type.String(), cancelled: Type.Integer() },
        { title: 'CancelledBatch' },
      ),
      example: { batch_id: EXAMPLE_BATCH, status: 'CANCELLED', cancelled: 40 },
    },
  },
  refusals: ['validation_failed', 'not_found'],
};

/** `POST look-ups/<operator>/<identifier>/retry/`. */
export const retryLookupOpenApi: RouteOpenApi = {
  operationId: 'retryLookUp',
  tag: 'Operations',
  summary: 'Ask again for one identifier',
  path: { ...networkOperatorPath, identifier: { description: 'PRM or PCE.', example: '25014987360075' } },
  request: steeringReasonSchema,
  requestExamples: REASON_EXAMPLES,
  replies: {
    200: {
      description:
        "0 when it is pending or imported. 1 when it is asked for again, 2 when it is asked both with the customer's authorisation and without it.",
      schema: Type.Object(
        { network_operator: Type.String(), identifier: Type.String(), retried: Type.Integer() },
        { title: 'RetriedLookUp' },
      ),
      example: { network_operator: 'enedis', identifier: '25014987360075', retried: 1 },
    },
  },
  refusals: ['validation_failed', 'not_found'],
};

/** `POST look-ups/<operator>/retry/`. */
export const retryLookupsOpenApi: RouteOpenApi = {
  operationId: 'retryLookUps',
  tag: 'Operations',
  summary: 'Ask again for a selection of identifiers',
  description: 'Each for every batch that wants it. Those that nobody has asked for are passed over.',
  path: networkOperatorPath,
  request: retryLookupsSchema,
  requestExamples: { two: { identifiers: ['25014987360075', '25014987360059'], reason: 'Enedis has mended them' } },
  replies: {
    200: {
      description: 'How many are asked for again.',
      schema: Type.Object({ network_operator: Type.String(), retried: Type.Integer() }, { title: 'RetriedLookUps' }),
      example: { network_operator: 'enedis', retried: 2 },
    },
  },
  refusals: ['validation_failed', 'not_found'],
};
