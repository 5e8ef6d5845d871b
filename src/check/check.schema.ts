import { Type, type Static } from 'typebox';
import { answeredInstant, answeredText, requiredChoice, text } from '../platform/validation/field-types.schema.ts';
import { mismatchKinds, mismatchRemedies } from '../vocabulary/mismatches.ts';

/** Body of `POST checks/mend/`. */
export const repairSchema = Type.Object({ cursor: Type.Optional(text(2_000)) });

export type RepairRequest = Static<typeof repairSchema>;

/** The cursor in examples. */
export const EXAMPLE_CURSOR = 'WyJydW5zIiwiIl0';

/** A difference between Postgres and Temporal, or something that a restore may have left behind. */
const mismatchSchema = Type.Object(
  {
    kind: requiredChoice(mismatchKinds, { examples: ['work_item_without_run'] }),
    subject: Type.String({
      description: 'Id of the workflow, the slot or the message; or the name of the table.',
      examples: ['populate-supply-points/019a9d3e-6c00-7000-8000-000000000001'],
    }),
    accounts: Type.Array(Type.Object({ import_supplier: Type.String(), external_account_number: Type.String() }), {
      examples: [[]],
    }),
    since: answeredInstant({ examples: ['2026-11-20T17:00:00.000Z'] }),
    detail: Type.String({
      examples: ['Temporal has no open run for it. The dispatcher starts one after 2026-11-20T17:05:00.000Z.'],
    }),
    what_to_do: Type.String({ examples: [mismatchRemedies.work_item_without_run] }),
    mendable: Type.Boolean({ description: 'False if a person must decide.', examples: [true] }),
    outcome: answeredText({ description: '`mended`; null if nothing was repaired.' }),
  },
  { title: 'Mismatch' },
);

/** One page of a check. */
export const checkPageSchema = Type.Object(
  {
    mismatches: Type.Array(mismatchSchema),
    looked_at: Type.Integer({ description: 'Number of items compared for this page.', examples: [3] }),
    next_cursor: answeredText({
      description: 'Cursor of the next page; null on the last page.',
      examples: [EXAMPLE_CURSOR],
    }),
  },
  { title: 'CheckPage' },
);

export type MismatchView = Static<typeof mismatchSchema>;
export type CheckPage = Static<typeof checkPageSchema>;
