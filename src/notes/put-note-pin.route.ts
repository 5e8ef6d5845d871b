import type { Clock } from '../platform/clock.ts';
import type { Database } from '../platform/database/database.ts';
import type { Route } from '../platform/http/route.ts';
import { changeNotePin, NOTE_PIN_PATH } from './change-note-pin.client.ts';
import { putNotePinOpenApi } from './notes.openapi.ts';

/** `PUT accounts/<supplier>/<external>/notes/<note>/pin/`: pins a note, until `unpin_at` if there is one. */
export const putNotePin = (deps: { database: Database; clock: Clock }): Route => ({
  method: 'PUT',
  path: NOTE_PIN_PATH,
  access: 'operator',
  action: 'note.pin',
  openApi: putNotePinOpenApi,
  bodyLimitBytes: 16_384,
  bodyIsOptional: true,
  handle: (request) => changeNotePin(deps, request, 'note.pinned'),
});
