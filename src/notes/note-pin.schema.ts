import { Type, type Static } from 'typebox';
import { instant, text } from '../platform/validation/field-types.schema.ts';

/** Body of `PUT accounts/<supplier>/<external>/notes/<note>/pin/`. */
export const pinNoteSchema = Type.Object({ unpin_at: Type.Optional(instant()), reason: Type.Optional(text(1_000)) });

/** Body of its DELETE, which may be left out. */
export const unpinNoteSchema = Type.Object({ reason: Type.Optional(text(1_000)) });

export type PinSent = Static<typeof pinNoteSchema>;
