import { Type } from 'typebox';
import { accountKeyPath } from '../accounts/account-key.schema.ts';
import type { RouteOpenApi } from '../platform/http/route-openapi.ts';
import { answeredText } from '../platform/validation/field-types.schema.ts';
import { warningsMember } from '../platform/validation/warning.schema.ts';
import { createNotesSchema, pinNoteSchema, pinSchema, unpinNoteSchema } from './notes.schema.ts';

const noteResult = Type.Object(
  {
    created_at: Type.String({ format: 'date-time', minLength: 1 }),
    body: answeredText(),
    status: Type.Unsafe<string>({
      type: 'string',
      minLength: 1,
      enum: ['NOTE_CREATION_SUCCESS', 'NOTE_ALREADY_EXISTS'],
    }),
    document_paths: Type.Optional(
      Type.Array(Type.Object({ document_path: Type.String() }), {
        description:
          'Only for a note that already exists: paths that the stored note does not have. They were not added.',
      }),
    ),
    warnings: Type.Optional(warningsMember),
  },
  { title: 'NoteResult' },
);

/** Operation 4. */
export const createNotesOpenApi: RouteOpenApi = {
  operationId: 'createNotes',
  tag: 'Attachments',
  summary: 'Add notes to an imported account',
  description:
    'Adds all notes or none. A note that the account already has is not added again: the same body, or without a body the same documents, and the same `created_at` if it is sent. `document_paths` of its result lists the documents that the stored note does not have. A note is pinned until `unpin_at`, which must not be before `created_at` (or before now, if that is omitted). Results are in the order of the request. The result of a note includes its `warnings`; the first result also those of the whole request.',
  request: createNotesSchema,
  rules: {
    '': ['max_depth'],
    'notes.*': ['note_body_or_document_path_not_found'],
    'notes.*.unpin_at': ['note_unpin_at_earlier_than_creation_date'],
    'notes.*.document_paths.*.document_path': ['path_does_not_exist_in_file_store'],
  },
  requestExamples: {
    'two notes': {
      import_supplier: 'SUPPLIER_FR',
      external_account_number: 'HOME-00004711',
      notes: [
        {
          body: 'Asked for a new meter.',
          created_at: '2026-07-14T09:30:00Z',
          is_pinned: true,
          unpin_at: '2027-01-31T23:00:00Z',
        },
        { document_paths: [{ document_path: 'letters/2026/07/meter.pdf' }] },
      ],
    },
  },
  replies: {
    201: {
      description: 'The result of each note.',
      schema: Type.Array(noteResult),
      example: [
        { created_at: '2026-07-14T09:30:00Z', body: 'Asked for a new meter.', status: 'NOTE_CREATION_SUCCESS' },
        { created_at: '2026-11-02T20:01:00Z', body: null, status: 'NOTE_ALREADY_EXISTS' },
      ],
    },
  },
  refusals: ['validation_failed', 'account_not_found'],
};

const pin = {
  tag: 'Operations',
  path: {
    ...accountKeyPath,
    note: { description: 'The member `note` of the note in the account view.', example: '0' },
  },
  refusals: ['validation_failed', 'not_found'],
} as const;

/** `PUT accounts/<supplier>/<external>/notes/<note>/pin/`. */
export const putNotePinOpenApi: RouteOpenApi = {
  ...pin,
  operationId: 'putNotePin',
  summary: 'Pin a note',
  description: 'Pins the note until `unpin_at`, which must be in the future, or without an end. The body is optional.',
  request: pinNoteSchema,
  rules: { unpin_at: ['note_unpin_at_earlier_than_creation_date'] },
  requestExamples: { 'for a while': { unpin_at: '2037-01-31T23:00:00Z', reason: 'The meter is replaced in January' } },
  replies: {
    200: {
      description: 'The pinned note.',
      schema: pinSchema,
      example: { note: 0, is_pinned: true, unpin_at: '2037-01-31T23:00:00.000Z' },
    },
  },
};

/** `DELETE accounts/<supplier>/<external>/notes/<note>/pin/`. */
export const deleteNotePinOpenApi: RouteOpenApi = {
  ...pin,
  operationId: 'deleteNotePin',
  summary: 'Unpin a note',
  description: 'The body with the reason is optional.',
  request: unpinNoteSchema,
  requestExamples: { 'with a reason': { reason: 'The meter was replaced' } },
  replies: {
    200: {
      description: 'The note is not pinned.',
      schema: pinSchema,
      example: { note: 0, is_pinned: false, unpin_at: null },
    },
  },
};
