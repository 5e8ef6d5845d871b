import { idCursor } from '../../platform/http/cursor-schema.ts';
import { Type } from 'typebox';
import type { RouteOpenApi } from '../../platform/http/route-openapi.ts';
import { answeredText, requiredInstant } from '../../platform/validation/field-types.schema.ts';
import { EXAMPLE_BATCH, batchCounts, batchOwners, batchStatus } from '../supply-points.openapi.ts';

/** `GET supply-point/populate/`. */
export const listBatchesOpenApi: RouteOpenApi = {
  operationId: 'listPopulationBatches',
  tag: 'Supply points',
  summary: 'List the newest batches of supply points',
  description:
    "The batches of your organisation whose import suppliers are all your key's, newest first. A batch whose `batch_id` did not reach you is found here by its time and its counts.",
  page: 'docs/suppliers/supply-points.md',
  query: {
    limit: {
      description: 'Batches per page, 20 unless given; the header Link then leads to older ones.',
      example: 20,
      schema: { type: 'integer', minimum: 1, maximum: 100 },
      violations: ['invalid'],
    },
    cursor: {
      description: 'Where a page begins; taken from the Link of the page before.',
      example: EXAMPLE_BATCH,
      schema: idCursor,
      violations: ['invalid'],
    },
  },
  replies: {
    200: {
      description: 'The batches, without their identifiers.',
      hasLink: true,
      schema: Type.Array(
        Type.Object(
          {
            batch_id: Type.String(),
            status: batchStatus(),
            import_suppliers: batchOwners(),
            counts: batchCounts(),
            created_at: requiredInstant(),
            ended_at: answeredText({ format: 'date-time' }),
          },
          { title: 'ListedPopulationBatch' },
        ),
      ),
      example: [
        {
          batch_id: EXAMPLE_BATCH,
          status: 'COMPLETED',
          import_suppliers: ['SUPPLIER_FR'],
          created_at: '2026-11-20T17:00:10.000Z',
          ended_at: '2026-11-20T17:00:12.000Z',
          counts: {
            accepted: { prm_ids: 3, pce_ids: 1 },
            imported: { prm_ids: 2, pce_ids: 1 },
            pending: { prm_ids: 0, pce_ids: 0 },
            errored: { prm_ids: 1, pce_ids: 0 },
          },
        },
      ],
    },
  },
  refusals: ['validation_failed'],
};
