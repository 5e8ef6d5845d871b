import { Type } from 'typebox';
import type { ParameterOpenApi } from '../platform/http/route-openapi.ts';
import type { BatchStatus } from './populate/population-batch.rules.ts';

/** The batch that examples show. */
export const EXAMPLE_BATCH = '0199a3c2-6f1e-7c40-9a53-1b2f6d0c8e77';

/** The progress of the example batch. */
export const EXAMPLE_PROGRESS = {
  counts: {
    accepted: { prm_ids: 3, pce_ids: 1 },
    imported: { prm_ids: 1, pce_ids: 1 },
    pending: { prm_ids: 1, pce_ids: 0 },
    errored: { prm_ids: 1, pce_ids: 0 },
  },
  rate_per_second: 2.69,
  estimated_end: '2026-11-20T17:00:12.000Z',
  created_at: '2026-11-20T17:00:10.000Z',
  ended_at: null,
};

/** The batch in a path. */
export const batchPath: Readonly<Record<string, ParameterOpenApi>> = {
  batch: { description: 'The `batch_id` from the response of operation 14.', example: EXAMPLE_BATCH },
};

/** The network operator in a path. */
export const networkOperatorPath: Readonly<Record<string, ParameterOpenApi>> = {
  operator: { description: 'The network operator: `enedis` or `grdf`.', example: 'enedis', schema: { type: 'string' } },
};

/** The facts of a supply point. */
export const facts = () =>
  Type.Unsafe<Record<string, string | number> | null>({ type: ['object', 'null'], opaque: true });

/** The status of a batch. */
export const batchStatus = () =>
  Type.Unsafe<BatchStatus>({ type: 'string', minLength: 1, enum: ['IN_PROGRESS', 'COMPLETED', 'CANCELLED'] });

/** The import suppliers of a batch. */
export const batchOwners = () => Type.Array(Type.String(), { description: 'The import suppliers of the batch.' });

const byList = (description: string) =>
  Type.Object({ prm_ids: Type.Integer(), pce_ids: Type.Integer() }, { description });

/** Counts of a batch's identifiers by state. */
export const batchCounts = () =>
  Type.Object({
    accepted: byList('Each identifier once.'),
    imported: byList('Looked up.'),
    pending: byList('Not completed yet.'),
    errored: byList('Ended with a reason.'),
  });
