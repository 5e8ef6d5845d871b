import { type Static, Type } from 'typebox';
import type { RouteOpenApi } from '../../platform/http/route-openapi.ts';
import { warningsMember } from '../../platform/validation/warning.schema.ts';
import { alreadyImportedMembers } from '../stage/already-imported.schema.ts';
import { requiredKey, requiredText } from '../../platform/validation/field-types.schema.ts';

/** Body of operation 3 of the specification. */
export const createAccountSchema = Type.Object({
  external_account_number: requiredKey(128),
  import_supplier_code: requiredKey(32),
  operations_team_name: requiredText(128),
  dry_run: Type.Optional(Type.Boolean()),
});

export type CreateAccountRequest = Static<typeof createAccountSchema>;

/** Operation 3 of the specification. */
export const createAccountOpenApi: RouteOpenApi = {
  operationId: 'createAccount',
  tag: 'Accounts',
  summary: 'Create an account from its staged data',
  description:
    'Waits until the account is created. `dry_run` tries everything and rolls it back; success is then a 400 with the code `dry_run_succeeded`, with `warnings` if there are any. An unknown member that resembles a known one is rejected (`unknown_member`); other unknown members are dropped with a warning. Repeating the request never creates a second account.',
  request: createAccountSchema,
  rules: {
    '': ['max_depth', 'unknown_member'],
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
        {
          service_account_number: Type.String({ description: 'Number of the account on the platform.' }),
          warnings: Type.Optional(warningsMember),
        },
        { title: 'CreatedAccount' },
      ),
    },
  },
  refusals: [
    'account_import_process_already_imported',
    'import_process_marked_to_skip',
    'import_supplier_migration_not_ongoing',
    'import_process_failed_validation',
    'dry_run_succeeded',
    'throttled',
    'creation_pending',
    'account_quarantined',
    'approval_required',
    'account_being_withdrawn',
  ],
  refusalMembers: {
    account_import_process_already_imported: alreadyImportedMembers,
    dry_run_succeeded: Type.Object({ warnings: Type.Optional(warningsMember) }, { title: 'DryRunSucceeded' }),
  },
};
