import type { Clock } from '../platform/clock.ts';
import type { WritableDatabase } from '../platform/database/database.ts';
import type { Route } from '../platform/http/route.ts';
import { compilePayload } from '../platform/validation/compile-payload.ts';
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
import { createNotesOpenApi } from './notes.openapi.ts';

const check = compilePayload<CreateNotesRequest, { now: string }>(createNotesSchema, findNoteViolations);

export interface NotesDeps {
  database: WritableDatabase;
  suppliers: SupplierDirectory;
  documents: DocumentCheck;
  clock: Clock;
  bodyLimitBytes: number;
}

/** Operation 4: adds notes to an imported account, and reports existing ones. */
export const createNotes = (deps: NotesDeps): Route => ({
  method: 'POST',
  path: '/v1/data-import/notes/create',
  access: 'supplier',
  openApi: createNotesOpenApi,
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
    const outcome = await createNotesInDatabase(deps.database, data, { now, documentRoot: supplier.documentRoot });
    if (outcome.kind === 'account-not-found') return refuse('account_not_found');
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
