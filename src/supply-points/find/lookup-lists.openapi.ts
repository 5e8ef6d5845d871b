import { Type } from 'typebox';
import { idCursor } from '../../platform/http/cursor-schema.ts';
import type { RouteOpenApi } from '../../platform/http/route-openapi.ts';
import { answeredText, requiredInstant } from '../../platform/validation/field-types.schema.ts';
import { batchStatuses } from '../populate/population-batch.rules.ts';
import {
  EXAMPLE_BATCH,
  EXAMPLE_PROGRESS,
  batchCounts,
  batchOwners,
  batchStatus,
  networkOperatorPath,
} from '../supply-points.openapi.ts';

/** `GET population-batches/`. */
export const listBatchesForOperatorOpenApi: RouteOpenApi = {
  operationId: 'listPopulationBatchesAsOperator',
  tag: 'Operations',
  summary: 'List batches of supply points',
  description: 'Of all organisations, newest first, 50 a page.',
  page: 'docs/operators/suppliers-and-options.md#what-is-stored-of-an-account',
  query: {
    status: {
      description: 'Only batches of this status.',
      example: 'IN_PROGRESS',
      schema: { type: 'string', enum: [...batchStatuses] },
      violations: ['invalid_choice'],
    },
    import_supplier: { description: 'Code of an import supplier.', example: 'SUPPLIER_FR' },
    cursor: {
      description: '`next_cursor` of the page before.',
      example: EXAMPLE_BATCH,
      schema: idCursor,
      violations: ['invalid'],
    },
  },
  replies: {
    200: {
      description: 'A page of batches, without their identifiers.',
      schema: Type.Object(
        {
          batches: Type.Array(
            Type.Object(
              {
                batch_id: Type.String(),
                status: batchStatus(),
                import_suppliers: batchOwners(),
                counts: batchCounts(),
                rate_per_second: Type.Number({ description: 'Identifiers completed a second, lately.' }),
                estimated_end: answeredText({ format: 'date-time' }),
                created_at: requiredInstant(),
                ended_at: answeredText({ format: 'date-time' }),
              },
              { title: 'PopulationBatchInList' },
            ),
          ),
          next_cursor: answeredText(),
        },
        { title: 'PopulationBatches' },
      ),
      example: {
        batches: [
          { batch_id: EXAMPLE_BATCH, status: 'IN_PROGRESS', import_suppliers: ['SUPPLIER_FR'], ...EXAMPLE_PROGRESS },
        ],
        next_cursor: null,
      },
    },
  },
  refusals: ['validation_failed'],
};

/** `GET look-ups/<operator>/set-aside/`. */
export const listDeferredLookupsOpenApi: RouteOpenApi = {
  operationId: 'listSetAsideLookUps',
  tag: 'Operations',
  summary: 'List identifiers that a network operator has failed on',
  description: 'In the order in which they are asked for again, 50 a page.',
  page: 'docs/operators/suppliers-and-options.md#what-is-stored-of-an-account',
  path: networkOperatorPath,
  query: {
    cursor: {
      description: '`next_cursor` of the page before.',
      example: '1763658000000000-4711',
      schema: { type: 'string', minLength: 1, pattern: '^[0-9]{1,16}-[0-9]{1,18}$' },
      violations: ['invalid'],
    },
  },
  replies: {
    200: {
      description: 'A page of lookups.',
      schema: Type.Object(
        {
          look_ups: Type.Array(
            Type.Object({
              identifier: Type.String(),
              customer_authorisation: Type.Boolean(),
              tries: Type.Integer(),
              last_failure: answeredText(),
              set_aside_at: answeredText({ format: 'date-time' }),
              next_attempt_at: requiredInstant(),
              wanted: Type.Boolean({ description: 'False: its batches were cancelled, and nobody waits for it.' }),
            }),
          ),
          next_cursor: answeredText(),
        },
        { title: 'SetAsideLookUps' },
      ),
      example: {
        look_ups: [
          {
            identifier: '25014987360059',
            customer_authorisation: true,
            tries: 5,
            last_failure: 'network_operator_unreachable',
            set_aside_at: '2026-11-20T17:00:00.000Z',
            next_attempt_at: '2026-11-20T18:00:00.000Z',
            wanted: true,
          },
        ],
        next_cursor: null,
      },
    },
  },
  refusals: ['validation_failed', 'not_found'],
};
