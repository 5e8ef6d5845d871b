import { Type, type Static } from 'typebox';
import { answeredText, requiredChoice, text } from '../platform/validation/field-types.schema.ts';
import { mismatchKinds } from '../vocabulary/mismatches.ts';

/** Body of `POST checks/mend/`. */
export const repairSchema = Type.Object({ cursor: Type.Optional(text(2_000)) });

export type RepairRequest = Static<typeof repairSchema>;

/** A difference between Postgres and Temporal, or something that a restore may have left behind. */
const mismatchSchema = Type.Object(
  {
    kind: requiredChoice(mismatchKinds),
    subject: Type.String({ description: 'Id of the workflow, the slot or the message.' }),
    accounts: Type.Array(Type.Object({ import_supplier: Type.String(), external_account_number: Type.String() })),
    since: answeredText({ format: 'date-time' }),
    detail: Type.String(),
    what_to_do: Type.String(),
    mendable: Type.Boolean({ description: 'False if a person must decide.' }),
    outcome: answeredText({ description: '`mended`; null if nothing was repaired.' }),
  },
  { title: 'Mismatch' },
);

/** One page of a check. */
export const checkPageSchema = Type.Object(
  {
    mismatches: Type.Array(mismatchSchema),
    looked_at: Type.Integer({ description: 'Number of items compared for this page.' }),
    next_cursor: answeredText({ description: 'Cursor of the next page; null on the last page.' }),
  },
  { title: 'CheckPage' },
);

export type MismatchView = Static<typeof mismatchSchema>;
export type CheckPage = Static<typeof checkPageSchema>;
