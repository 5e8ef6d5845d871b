import type { Clock } from '../platform/clock.ts';
import type { Database } from '../platform/database/database.ts';
import type { Route } from '../platform/http/route.ts';
import { changeNotePin, NOTE_PIN_PATH } from './change-note-pin.client.ts';
import { deleteNotePinOpenApi } from './notes.openapi.ts';

/** `DELETE accounts/<supplier>/<external>/notes/<note>/pin/`: unpins a note. */
export const deleteNotePin = (deps: { database: Database; clock: Clock }): Route => ({
  method: 'DELETE',
  path: NOTE_PIN_PATH,
  access: 'operator',
  action: 'note.pin',
  openApi: deleteNotePinOpenApi,
  bodyLimitBytes: 16_384,
  bodyIsOptional: true,
  handle: (request) => changeNotePin(deps, request, 'note.unpinned'),
});
