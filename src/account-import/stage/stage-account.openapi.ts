import { Type } from 'typebox';
import type { RouteOpenApi } from '../../platform/http/route-openapi.ts';
import { warningsMember } from '../../platform/validation/warning.schema.ts';
import { payloadRequest } from '../validate/account-payload.openapi.ts';

/** Both numbers of an imported account. */
export const alreadyImportedMembers = Type.Object(
  {
    external_account_number: Type.String({ examples: ['HOME-00004711'] }),
    service_account_number: Type.String({ examples: ['A-7KQ2M9XDT'] }),
  },
  { title: 'AlreadyImported' },
);

const stagedReply = Type.Object(
  { import_supplier: Type.String(), external_account_number: Type.String(), warnings: Type.Optional(warningsMember) },
  { title: 'StagedAccount' },
);
const STAGED_EXAMPLE = { import_supplier: 'SUPPLIER_FR', external_account_number: 'HOME-00004711' };

/** Operation 2. */
export const stageAccountOpenApi: RouteOpenApi = {
  operationId: 'stageAccount',
  tag: 'Accounts',
  summary: 'Stage an account, or replace the staged data',
  description:
    'Validates the account like validate-account, and stores it. Can be repeated until the account is created. `warnings` lists data that needs attention; warnings do not block the account.',
  ...payloadRequest,
  replies: {
    200: { description: 'The staged data is replaced.', schema: stagedReply, example: STAGED_EXAMPLE },
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
