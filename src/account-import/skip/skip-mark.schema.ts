import { Type, type Static } from 'typebox';
import { text } from '../../platform/validation/field-types.schema.ts';

/** Body of `PUT account-import-processes/<supplier>/<external>/skip/`, and of its DELETE. */
export const skipMarkSchema = Type.Object({ reason: Type.Optional(text(1_000)) });

export type SkipMark = Static<typeof skipMarkSchema>;

/** A skip mark as operators see it; without a mark the times are null. */
export interface SkipMarkView {
  import_supplier: string;
  external_account_number: string;
  skipped_at: string | null;
  skip_reason: string | null;
}
