import { Type } from 'typebox';
import { refuseMissingAccount } from '../accounts/index.ts';
import type { Clock } from '../platform/clock.ts';
import type { WritableDatabase } from '../platform/database/database.ts';
import type { Route } from '../platform/http/route.ts';
import type { RouteOpenApi } from '../platform/http/route-openapi.ts';
import { compilePayload } from '../platform/validation/compile-payload.ts';
import { answeredText, oneOf, requiredInstant } from '../platform/validation/field-types.schema.ts';
import { warningsMember } from '../platform/validation/warning.schema.ts';
import {
  findSupplierInScope,
  readingOptionsOf,
  type DocumentCheck,
  type SupplierDirectory,
} from '../suppliers/index.ts';
import { isRefused, refuse } from '../vocabulary/refusals.ts';
import { warningsOf } from '../vocabulary/warnings.ts';
import { instantOf } from '../vocabulary/wire-forms.ts';
import { createNotesSchema, type CreateNotesRequest } from './notes.schema.ts';
import { createNotes as createNotesInDatabase } from './notes.store.ts';
import { findNoteViolations, noteDocumentPositions } from './note.rules.ts';

const check = compilePayload<CreateNotesRequest, { now: string }>(createNotesSchema, findNoteViolations);

export interface NotesDeps {
  database: WritableDatabase;
  suppliers: SupplierDirectory;
  documents: DocumentCheck;
  clock: Clock;
  bodyLimitBytes: number;
  /** The import job whose lines are processed. */
  importJobId?: string;
}

const noteResult = Type.Object(
  {
    created_at: requiredInstant(),
    body: answeredText(),
    status: oneOf(['NOTE_CREATION_SUCCESS', 'NOTE_ALREADY_EXISTS']),
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

const openApi: RouteOpenApi = {
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
  refusals: ['account_not_found', 'account_being_withdrawn'],
};

/** Operation 4: adds notes to an imported account, and reports existing ones. */
export const createNotes = (deps: NotesDeps): Route => ({
  method: 'POST',
  path: '/v1/data-import/notes/create',
  access: 'supplier',
  openApi,
  bodyLimitBytes: deps.bodyLimitBytes,
  handle: async (request) => {
    const now = instantOf(deps.clock.now().toISOString());
    const supplier = await findSupplierInScope(deps.suppliers, request, 'import_supplier');
    const { data, violations, truncated, payloadWarnings } = await check.ofRequest(
      request,
      { now },
      readingOptionsOf(supplier),
    );
    if (violations.length > 0) return refuse('validation_failed', { violations, truncated });
    if (supplier === undefined) return refuse('account_not_found');
    const missing = await deps.documents.findMissing(
      supplier,
      noteDocumentPositions(data.notes, ['notes']),
      request.log,
    );
    if (isRefused(missing)) return missing;
    if (missing.length > 0) return refuse('validation_failed', { violations: missing });
    const outcome = await createNotesInDatabase(deps.database, data, {
      now,
      documentRoot: supplier.documentRoot,
      importJobId: deps.importJobId ?? null,
    });
    if (outcome.kind === 'account-not-found') {
      return refuseMissingAccount(deps.database, data.import_supplier, data.external_account_number);
    }
    const warnings = Map.groupBy(payloadWarnings, ({ attr }) => noteNamedBy(attr));
    return {
      status: 201,
      body: outcome.notes.map(({ createdAt, isNew, ignoredDocuments }, index) => ({
        created_at: toTheSecond(createdAt),
        body: data.notes[index]?.body || null,
        status: isNew ? 'NOTE_CREATION_SUCCESS' : 'NOTE_ALREADY_EXISTS',
        ...(ignoredDocuments.length === 0
          ? {}
          : { document_paths: ignoredDocuments.map((path) => ({ document_path: path })) }),
        ...warningsOf(warnings.get(index) ?? []),
      })),
    };
  },
});

/** The index of the note in whose result a warning is shown. Warnings about the whole request are shown in the first result. */
function noteNamedBy(attr: string): number {
  return Number(/^notes\.(\d+)/.exec(attr)?.[1] ?? 0);
}

/** `YYYY-MM-DDTHH:MM:SSZ`, the only format of timestamps in responses. */
function toTheSecond(instant: string): string {
  return `${instant.slice(0, 19)}Z`;
}
