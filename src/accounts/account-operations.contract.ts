import { Type } from 'typebox';
import type { RouteContract } from '../platform/http/route-contract.ts';
import { opaqueObject } from '../platform/validation/field-types.schema.ts';
import { alreadyImportedMembers } from './accounts.contract.ts';
import { putConcurrencyLimitSchema } from './concurrency-limit.schema.ts';
import { warningsMember } from '../platform/validation/warning.schema.ts';
import { skipMarkSchema } from './skip-mark.schema.ts';

const nullableText = (format?: string) => Type.Unsafe<string | null>({ type: ['string', 'null'], ...(format === undefined ? {} : { format, minLength: 1 }) });

const path = {
  supplier: { description: 'Code of the import supplier.', example: 'SUPPLIER_FR' },
  external: { description: 'Number of the account in the external system.', example: 'HOME-00004711' },
};

const skipMarkView = Type.Object({
  import_supplier: Type.String(),
  external_account_number: Type.String(),
  skipped_at: nullableText('date-time'),
  skip_reason: nullableText(),
}, { title: 'SkipMark' });

const skipMark = {
  tag: 'Operations',
  paragraph: 'specification 3.1, design 4',
  path,
  request: skipMarkSchema,
  requestExamples: { 'with a reason': { reason: 'Moved by hand' } },
  refusals: ['validation_failed', 'not_found', 'account_import_process_already_imported'],
  refusalMembers: { account_import_process_already_imported: alreadyImportedMembers },
} as const;

/** `PUT account-import-processes/<supplier>/<external>/skip/`. */
export const putSkipMarkContract: RouteContract = {
  ...skipMark,
  operationId: 'putSkipMark',
  summary: 'Mark an account to skip',
  description: 'It can then be neither staged nor created.',
  replies: {
    200: {
      description: 'The mark.', schema: skipMarkView,
      example: { import_supplier: 'SUPPLIER_FR', external_account_number: 'HOME-00004711', skipped_at: '2026-11-20T17:00:00.000Z', skip_reason: 'Moved by hand' },
    },
  },
};

/** `DELETE account-import-processes/<supplier>/<external>/skip/`. */
export const deleteSkipMarkContract: RouteContract = {
  ...skipMark,
  operationId: 'deleteSkipMark',
  summary: 'Take the mark to skip away',
  description: 'The body with the reason may be left out.',
  replies: {
    200: { description: 'There is no mark.', schema: skipMarkView, example: { import_supplier: 'SUPPLIER_FR', external_account_number: 'HOME-00004711', skipped_at: null, skip_reason: null } },
  },
};

const limitView = Type.Object({
  limit: Type.Unsafe<number | null>({ type: ['integer', 'null'], description: 'Null when there is no limit.' }),
  in_use: Type.Integer({ description: 'Accounts that hold a slot now.' }),
  reason: nullableText(),
  updated_at: nullableText('date-time'),
}, { title: 'ConcurrencyLimit' });

const limitExample = { limit: 50, in_use: 12, reason: 'Night load of the platform', updated_at: '2026-11-20T17:00:00.000Z' };

/** `PUT settings/create-account-concurrency-limit/`. */
export const putConcurrencyLimitContract: RouteContract = {
  operationId: 'putCreateAccountConcurrencyLimit',
  tag: 'Operations',
  summary: 'Limit how many accounts are created at once',
  description: '`null` turns the limit off. Requests beyond it are answered 429. It holds over all processes, within a second.',
  paragraph: 'specification 8.1, design 4',
  request: putConcurrencyLimitSchema,
  requestExamples: { on: { limit: 50, reason: 'Night load of the platform' }, off: { limit: null } },
  replies: { 200: { description: 'The limit.', schema: limitView, example: limitExample } },
  refusals: ['validation_failed'],
};

/** `GET settings/create-account-concurrency-limit/`. */
export const findConcurrencyLimitContract: RouteContract = {
  operationId: 'findCreateAccountConcurrencyLimit',
  tag: 'Operations',
  summary: 'See the limit of creations at once',
  paragraph: 'specification 8.1, design 4',
  replies: { 200: { description: 'The limit.', schema: limitView, example: limitExample } },
  refusals: [],
};

/** `GET accounts/<supplier>/<external>/`. */
export const findAccountContract: RouteContract = {
  operationId: 'findAccount',
  tag: 'Operations',
  summary: 'See all that is stored of an account',
  description: 'The import process with its staged payload, and the account that was made of it. Each read leaves a line in the audit.',
  paragraph: 'design 4',
  path,
  replies: {
    200: {
      description: 'The import process and its account.',
      schema: Type.Object({
        import_supplier: Type.String(),
        external_account_number: Type.String(),
        workflow_ids: Type.Array(Type.String(), { description: 'Runs that the account waits in. That of its switch, `switch-supplier/<account number>`, stands here until the switch is settled; the run itself begins on the day on which it is due.' }),
        import_process: opaqueObject(),
        account: Type.Unsafe<object | null>({ type: ['object', 'null'], description: 'Null until it is created.' }),
        warnings: warningsMember,
      }, { title: 'StoredAccount' }),
      example: { import_supplier: 'SUPPLIER_FR', external_account_number: 'HOME-00004711', workflow_ids: ['create-account/SUPPLIER_FR/HOME-00004711'], import_process: { revision: 1 }, account: null, warnings: [] },
    },
  },
  refusals: ['not_found'],
};
