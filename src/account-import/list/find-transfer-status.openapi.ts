import { Type } from 'typebox';
import type { RouteOpenApi } from '../../platform/http/route-openapi.ts';
import { requiredChoice } from '../../platform/validation/field-types.schema.ts';

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
  summary: 'Read the progress of the import of an account',
  path: {
    supplier: { description: 'Code of the import supplier.', example: 'SUPPLIER_FR' },
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
