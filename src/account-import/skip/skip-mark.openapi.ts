import { type Static, Type } from 'typebox';
import { accountKeyPath } from '../../accounts/account-key.schema.ts';
import type { RouteOpenApi } from '../../platform/http/route-openapi.ts';
import { answeredText, text } from '../../platform/validation/field-types.schema.ts';
import { alreadyImportedMembers } from '../stage/stage-account.openapi.ts';

/** Body of `PUT` and `DELETE account-import-processes/<supplier>/<external>/skip/`. */
export const skipMarkSchema = Type.Object({ reason: Type.Optional(text(1_000)) });

export type SkipMark = Static<typeof skipMarkSchema>;

/** A skip mark as shown to operators. Without a mark both values are null. */
const skipMarkView = Type.Object(
  {
    import_supplier: Type.String(),
    external_account_number: Type.String(),
    skipped_at: answeredText({ format: 'date-time' }),
    skip_reason: answeredText(),
  },
  { title: 'SkipMark' },
);
export type SkipMarkView = Static<typeof skipMarkView>;

const skipMark = {
  tag: 'Operations',
  path: accountKeyPath,
  request: skipMarkSchema,
  requestExamples: { 'with a reason': { reason: 'Moved by hand' } },
  refusals: ['validation_failed', 'not_found', 'account_import_process_already_imported'],
  refusalMembers: { account_import_process_already_imported: alreadyImportedMembers },
} as const;

export const putSkipMarkOpenApi: RouteOpenApi = {
  ...skipMark,
  operationId: 'putSkipMark',
  summary: 'Set a skip mark on an account',
  description: 'A marked account can be neither staged nor created.',
  replies: {
    200: {
      description: 'The skip mark.',
      schema: skipMarkView,
      example: {
        import_supplier: 'SUPPLIER_FR',
        external_account_number: 'HOME-00004711',
        skipped_at: '2026-11-20T17:00:00.000Z',
        skip_reason: 'Moved by hand',
      },
    },
  },
};

export const deleteSkipMarkOpenApi: RouteOpenApi = {
  ...skipMark,
  operationId: 'deleteSkipMark',
  summary: 'Remove a skip mark',
  description: 'The body with the reason is optional.',
  replies: {
    200: {
      description: 'The account is not marked.',
      schema: skipMarkView,
      example: {
        import_supplier: 'SUPPLIER_FR',
        external_account_number: 'HOME-00004711',
        skipped_at: null,
        skip_reason: null,
      },
    },
  },
};
