import { type Static, Type } from 'typebox';
import { importedAccountFields } from '../accounts/account-key.schema.ts';
import {
  answeredInstant,
  endInstant,
  instant,
  list,
  requiredDocumentPath,
  text,
} from '../platform/validation/field-types.schema.ts';

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

/** Body of `PUT accounts/<supplier>/<external>/notes/<note>/pin/`. */
export const pinNoteSchema = Type.Object({ unpin_at: Type.Optional(instant()), reason: Type.Optional(text(1_000)) });

/** Optional body of the `DELETE` request on the same path. */
export const unpinNoteSchema = Type.Object({ reason: Type.Optional(text(1_000)) });

export type PinSent = Static<typeof pinNoteSchema>;

/** Whether a note is pinned, as operators see it. */
export const pinSchema = Type.Object(
  {
    note: Type.Integer({ description: 'Position among the notes of the account, from 0.', examples: [0] }),
    is_pinned: Type.Boolean(),
    unpin_at: answeredInstant({ description: 'Time at which it is unpinned automatically; null for never.' }),
  },
  { title: 'PinOfNote' },
);
