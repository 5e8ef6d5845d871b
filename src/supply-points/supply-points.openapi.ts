import { Type } from 'typebox';
import { answeredInstant, oneOf, requiredInstant } from '../platform/validation/field-types.schema.ts';

/** The batch that examples show. */
export const EXAMPLE_BATCH = '0199a3c2-6f1e-7c40-9a53-1b2f6d0c8e77';

/** The batch in a path. */
export const batchPath = {
  batch: { description: 'The `batch_id` from the response of operation 14.', example: EXAMPLE_BATCH },
};

/** The network operator in a path. */
export const networkOperatorPath = {
  operator: { description: 'The network operator: `enedis` or `grdf`.', example: 'enedis' },
};

/** The facts of a supply point. */
export const facts = (example: Record<string, string>) =>
  Type.Unsafe<Record<string, string | number> | null>({ type: ['object', 'null'], opaque: true, examples: [example] });

/** The id of a batch. */
export const batchId = () => Type.String({ examples: [EXAMPLE_BATCH] });

/** The members that identify a batch. */
export const batchHead = {
  batch_id: batchId(),
  status: oneOf(['IN_PROGRESS', 'COMPLETED', 'CANCELLED']),
  import_suppliers: Type.Array(Type.String(), {
    description: 'The import suppliers of the batch.',
    examples: [['SUPPLIER_FR']],
  }),
};

const byList = (description: string, prms: number, pces: number) =>
  Type.Object(
    { prm_ids: Type.Integer({ examples: [prms] }), pce_ids: Type.Integer({ examples: [pces] }) },
    { description },
  );

/** The progress of a batch. */
export const batchProgress = {
  counts: Type.Object({
    accepted: byList('Each identifier once.', 3, 1),
    imported: byList('Looked up.', 1, 1),
    pending: byList('Not completed yet.', 1, 0),
    errored: byList('Ended with a reason.', 1, 0),
  }),
  rate_per_second: Type.Number({ description: 'Identifiers completed per second, recently.', examples: [2.69] }),
  estimated_end: answeredInstant({ examples: ['2026-11-20T17:00:12.000Z'] }),
  created_at: requiredInstant({ examples: ['2026-11-20T17:00:10.000Z'] }),
  ended_at: answeredInstant(),
};
