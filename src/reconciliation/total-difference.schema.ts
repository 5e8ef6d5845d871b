import { Type } from 'typebox';
import { answeredText } from '../platform/validation/field-types.schema.ts';

/** A total in which received records differ from a manifest. */
export const totalDifference = Type.Object(
  {
    path: Type.String({ examples: ['transactions.by_type.PAYMENT.sum'] }),
    expected: Type.String({ description: 'By the manifest.', examples: ['133650.50'] }),
    received: Type.String({ description: 'By the accepted records.', examples: ['133650.49'] }),
    difference: answeredText({ description: 'Received minus expected; null for digests.', examples: ['-0.01'] }),
  },
  { title: 'TotalDifference' },
);
