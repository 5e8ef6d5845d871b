import { Type } from 'typebox';
import type { RouteOpenApi } from '../platform/http/route-openapi.ts';
import { answeredText, requiredChoice } from '../platform/validation/field-types.schema.ts';
import { warningsMember } from '../platform/validation/warning.schema.ts';
import { accountDescribingPlaces } from '../vocabulary/value-sets.ts';
import {
  accountFieldRules,
  businessAccountExample,
  domesticAccountExample,
} from './validate/account-payload.openapi.ts';
import { accountPayloadSchema } from './validate/account-payload.schema.ts';
import { createAccountSchema } from './create/create-account.schema.ts';
import type { ListKind } from './list/import-process.store.ts';

const SUPPLIER_PARAMETER = { description: 'Code of the import supplier.', example: 'SUPPLIER_FR' };

/** Names what was imported before. */
export const alreadyImportedMembers = Type.Object(
  {
    external_account_number: Type.String({ examples: ['HOME-00004711'] }),
    service_account_number: Type.String({ examples: ['A-7KQ2M9XDT'] }),
  },
  { title: 'AlreadyImported' },
);

const stagedReply = Type.Object(
  { import_supplier: Type.String(), external_account_number: Type.String() },
  { title: 'StagedAccount' },
);
const STAGED_EXAMPLE = { import_supplier: 'SUPPLIER_FR', external_account_number: 'HOME-00004711' };

const payload = {
  request: accountPayloadSchema,
  rules: accountFieldRules,
  describingPlaces: accountDescribingPlaces,
  requestExamples: { domestic: domesticAccountExample, business: businessAccountExample },
};

/** Operation 1. */
export const validateAccountOpenApi: RouteOpenApi = {
  operationId: 'validateAccount',
  tag: 'Accounts',
  summary: 'Check an account without keeping anything',
  description:
    'Answers what would be staged: values as sent, blanks around texts cut, undocumented members left out. All faults come back at once.',
  ...payload,
  replies: {
    200: {
      description: 'The account is valid: the validated data.',
      schema: accountPayloadSchema,
      example: domesticAccountExample,
    },
  },
  refusals: ['account_failed_validation'],
};

/** Operation 2. */
export const stageAccountOpenApi: RouteOpenApi = {
  operationId: 'stageAccount',
  tag: 'Accounts',
  summary: 'Stage an account, or replace what is staged',
  description:
    'Checks the account as validate-account does and keeps it. May be repeated until the account is created.',
  ...payload,
  replies: {
    200: { description: 'What was staged before is replaced.', schema: stagedReply, example: STAGED_EXAMPLE },
    201: { description: 'The account is staged for the first time.', schema: stagedReply, example: STAGED_EXAMPLE },
  },
  refusals: [
    'account_failed_validation',
    'account_import_process_already_imported',
    'import_process_marked_to_skip',
    'import_supplier_migration_not_ongoing',
  ],
  refusalMembers: { account_import_process_already_imported: alreadyImportedMembers },
};

/** Operation 3. */
export const createAccountOpenApi: RouteOpenApi = {
  operationId: 'createAccount',
  tag: 'Accounts',
  summary: 'Create an account from what is staged',
  description:
    'Waits until the account is created. With `dry_run` everything is tried and rolled back; success is then a 400 with `dry_run_succeeded`, with `warnings` if anything stands out. Sent again, it never creates a second account.',
  request: createAccountSchema,
  rules: {
    '': ['max_depth'],
    external_account_number: ['import_process_does_not_exist'],
    import_supplier_code: ['invalid_choice'],
    operations_team_name: ['operations_team_name_does_not_exist'],
  },
  requestExamples: {
    create: {
      external_account_number: 'HOME-00004711',
      import_supplier_code: 'SUPPLIER_FR',
      operations_team_name: 'Migration',
    },
    'dry run': {
      external_account_number: 'HOME-00004711',
      import_supplier_code: 'SUPPLIER_FR',
      operations_team_name: 'Migration',
      dry_run: true,
    },
  },
  replies: {
    201: {
      description: 'The account is created.',
      schema: Type.Object(
        { service_account_number: Type.String({ description: 'Number of the account on the platform.' }) },
        { title: 'CreatedAccount' },
      ),
      example: { service_account_number: 'A-7KQ2M9XDT' },
    },
  },
  refusals: [
    'validation_failed',
    'account_import_process_already_imported',
    'import_process_marked_to_skip',
    'import_supplier_migration_not_ongoing',
    'import_process_failed_validation',
    'dry_run_succeeded',
    'throttled',
    'creation_pending',
  ],
  refusalMembers: {
    account_import_process_already_imported: alreadyImportedMembers,
    dry_run_succeeded: Type.Object({ warnings: Type.Optional(warningsMember) }, { title: 'DryRunSucceeded' }),
  },
};

const transferStatuses = {
  UNKNOWN: 'specified',
  PENDING: 'specified',
  IN_PROGRESS: 'specified',
  REJECTED: 'specified',
  COMPLETED: 'specified',
} as const;

/** Operation 8. */
export const findTransferStatusOpenApi: RouteOpenApi = {
  operationId: 'findAccountTransferStatus',
  tag: 'Accounts',
  summary: 'See how far the import of an account is',
  path: {
    supplier: SUPPLIER_PARAMETER,
    external: { description: 'Number of the account in the external system.', example: 'HOME-00004711' },
  },
  replies: {
    200: {
      description: 'The state of the import.',
      schema: Type.Object(
        {
          status: requiredChoice(transferStatuses),
          service_account_number: Type.String({ description: 'Empty until the account is created.' }),
        },
        { title: 'AccountTransferStatus' },
      ),
      example: { status: 'PENDING', service_account_number: 'A-7KQ2M9XDT' },
    },
  },
  refusals: ['not_found'],
};

const listItem = Type.Object(
  {
    external_account_number: Type.String(),
    service_account_number: answeredText({ description: 'Null until the account is created.' }),
    account_created_at: answeredText({ description: 'Null until the account is created.', format: 'date-time' }),
  },
  { title: 'AccountImportProcess' },
);

const listed: Record<ListKind, { words: string; example: unknown[] }> = {
  all: {
    words: 'all account imports',
    example: [
      {
        external_account_number: 'HOME-00004711',
        service_account_number: 'A-7KQ2M9XDT',
        account_created_at: '2026-11-02T21:15:09Z',
      },
      { external_account_number: 'HOME-00004712', service_account_number: null, account_created_at: null },
    ],
  },
  pending: {
    words: 'the account imports that have no account yet',
    example: [{ external_account_number: 'HOME-00004712', service_account_number: null, account_created_at: null }],
  },
  imported: {
    words: 'the account imports that have their account',
    example: [
      {
        external_account_number: 'HOME-00004711',
        service_account_number: 'A-7KQ2M9XDT',
        account_created_at: '2026-11-02T21:15:09Z',
      },
    ],
  },
};

/** Operations 9, 10 and 11. */
export function listImportProcessesContract(list: ListKind): RouteOpenApi {
  const { words, example } = listed[list];
  return {
    operationId: `list${list.charAt(0).toUpperCase()}${list.slice(1)}ImportProcesses`,
    tag: 'Accounts',
    summary: `List ${words} of an import supplier`,
    description: 'Ordered by external account number. Without `limit` the whole list is streamed as one array.',
    path: { supplier: SUPPLIER_PARAMETER },
    query: {
      limit: {
        description: 'Items per page; the header Link then leads to the next one.',
        example: 100,
        schema: { type: 'integer', minimum: 1, maximum: 1_000 },
        violations: ['invalid'],
      },
      cursor: {
        description: 'Where a page begins; taken from the Link of the page before.',
        example: 'SE9NRS0wMDAwNDcxMQ',
        violations: ['invalid'],
      },
    },
    replies: { 200: { description: `The list of ${words}.`, schema: Type.Array(listItem), example, hasLink: true } },
    refusals: ['validation_failed', 'not_found'],
  };
}
