import { type Static, Type } from 'typebox';
import { answeredInstant, answeredText, text } from '../../platform/validation/field-types.schema.ts';

/** Body of `PUT` and `DELETE account-import-processes/<supplier>/<external>/skip/`. */
export const skipMarkSchema = Type.Object({ reason: Type.Optional(text(1_000)) });

export type SkipMark = Static<typeof skipMarkSchema>;

/** A skip mark as shown to operators. Without a mark both values are null. */
export const skipMarkView = Type.Object(
  {
    import_supplier: Type.String(),
    external_account_number: Type.String(),
    skipped_at: answeredInstant(),
    skip_reason: answeredText(),
  },
  { title: 'SkipMark' },
);
export type SkipMarkView = Static<typeof skipMarkView>;
