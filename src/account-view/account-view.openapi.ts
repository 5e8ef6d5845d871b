import { Type } from 'typebox';
import { accountKeyPath } from '../accounts/account-key.openapi.ts';
import type { RouteOpenApi } from '../platform/http/route-openapi.ts';
import { opaqueObject } from '../platform/validation/field-types.schema.ts';
import { warningsMember } from '../platform/validation/warning.schema.ts';

/** `GET accounts/<supplier>/<external>/`. */
export const findAccountOpenApi: RouteOpenApi = {
  operationId: 'findAccount',
  tag: 'Operations',
  summary: 'See all that is stored of an account',
  description:
    'The import process with its staged payload, and the account that was made of it. Each read leaves a line in the audit.',
  path: accountKeyPath,
  replies: {
    200: {
      description: 'The import process and its account.',
      schema: Type.Object(
        {
          import_supplier: Type.String(),
          external_account_number: Type.String(),
          workflow_ids: Type.Array(Type.String(), {
            description:
              'Runs that the account waits in. That of its switch, `switch-supplier/<account number>`, stands here until the switch is completed; the run itself begins on the day on which it is due.',
          }),
          import_process: opaqueObject(),
          account: Type.Unsafe<object | null>({ type: ['object', 'null'], description: 'Null until it is created.' }),
          warnings: warningsMember,
        },
        { title: 'StoredAccount' },
      ),
      example: {
        import_supplier: 'SUPPLIER_FR',
        external_account_number: 'HOME-00004711',
        workflow_ids: ['create-account/SUPPLIER_FR/HOME-00004711'],
        import_process: { revision: 1 },
        account: null,
        warnings: [],
      },
    },
  },
  refusals: ['not_found'],
};
