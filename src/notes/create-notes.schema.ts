import { Type, type Static } from 'typebox';
import { importedAccountFields } from '../accounts/imported-account.schema.ts';
import { endInstant, instant, list, requiredDocumentPath, text } from '../platform/validation/field-types.schema.ts';

const NOTE_BODY_LENGTH_MAX = 65_536;

/** Body of operation 4. */
export const createNotesSchema = Type.Object({
  ...importedAccountFields,
  notes: list(
    Type.Object({
      body: Type.Optional(text(NOTE_BODY_LENGTH_MAX)),
      created_at: Type.Optional(instant()),
      is_pinned: Type.Optional(Type.Boolean()),
      unpin_at: Type.Optional(endInstant()),
      document_paths: Type.Optional(list(Type.Object({ document_path: requiredDocumentPath() }))),
    }),
  ),
});

export type CreateNotesRequest = Static<typeof createNotesSchema>;
export type SentNote = CreateNotesRequest['notes'][number];
