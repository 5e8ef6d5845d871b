import { Type, type Static } from 'typebox';
import { requiredText, text } from '../platform/validation/field-types.schema.ts';

/** Supplier and number in the path of an operator's call about one account. */
export const accountKeySchema = Type.Object({
  import_supplier: requiredText(32, 'no-control-characters'),
  external_account_number: requiredText(128, 'no-control-characters'),
});

export type AccountKey = Static<typeof accountKeySchema>;

/** Body of `PUT account-import-processes/<supplier>/<external>/skip/`, and of its DELETE. */
export const skipMarkSchema = Type.Object({ reason: Type.Optional(text(1_000)) });

export type SkipMark = Static<typeof skipMarkSchema>;

/** A skip mark as operators see it; times are null when there is none. */
export interface SkipMarkView {
  import_supplier: string;
  external_account_number: string;
  skipped_at: string | null;
  skip_reason: string | null;
}
