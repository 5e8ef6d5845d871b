import { Type } from 'typebox';
import { answeredInstant, answeredText, requiredChoice } from '../platform/validation/field-types.schema.ts';
import { totalDifference } from '../reconciliation/reconciliation.schema.ts';
import { manifestStates } from '../vocabulary/import-jobs.ts';

const manifestView = Type.Object(
  {
    sha256: Type.String({
      description: 'SHA-256 of the manifest as canonical JSON: members sorted by name, without white space.',
      examples: ['9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08'],
    }),
    state: requiredChoice(manifestStates, {
      description: '`accepted`: an operator accepted exactly these differences.',
      examples: ['differs'],
    }),
    differences: Type.Array(totalDifference, { description: 'Each total that differs, once all records are counted.' }),
    accepted_at: answeredInstant({ description: 'When an operator last accepted differences.' }),
    accepted_reason: answeredText({ examples: ['The supplier removed two test customers after its count.'] }),
  },
  { title: 'ComparedManifest' },
);

/** The manifest of a job or a wave in a response; null if it has none. */
export const answeredManifest = () =>
  Type.Union([manifestView, Type.Null()], {
    description: 'The manifest, with how the accepted records compare with it.',
    examples: [null],
  });
