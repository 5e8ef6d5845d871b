import { Type } from 'typebox';
import { accountKeyPath } from '../../accounts/account-key.openapi.ts';
import type { RouteOpenApi } from '../../platform/http/route-openapi.ts';
import { CUSTOMER_MAX } from '../erase/sent-person.validation.ts';
import { opaqueObject } from '../../platform/validation/field-types.schema.ts';

/** `GET exports/<supplier>/<external>/`. */
export const findPersonExportOpenApi: RouteOpenApi = {
  operationId: 'findPersonExport',
  tag: 'Operations',
  page: 'docs/operators/personal-data.md',
  summary: 'Export all that is stored of a person',
  description: 'The rows of the account in every table, with all columns. Each export leaves a line in the audit.',
  path: accountKeyPath,
  query: {
    customer: {
      description: 'Place of the person among the customers of the account, from 0: the others are left out.',
      example: 1,
      schema: Type.Integer({ minimum: 0, maximum: CUSTOMER_MAX }),
      violations: ['invalid'],
    },
  },
  replies: {
    200: {
      description: 'The rows, by table.',
      schema: Type.Object(
        {
          import_supplier: Type.String(),
          external_account_number: Type.String(),
          customer: Type.Unsafe<number | null>({ type: ['integer', 'null'] }),
          exported_at: Type.String({ format: 'date-time', minLength: 1 }),
          tables: opaqueObject(),
        },
        { title: 'PersonExport' },
      ),
      example: {
        import_supplier: 'SUPPLIER_FR',
        external_account_number: 'HOME-00004711',
        customer: null,
        exported_at: '2026-11-22T14:00:00.000Z',
        tables: { customer: [{ position: 0, given_name: 'Camille' }] },
      },
    },
  },
  refusals: ['validation_failed', 'not_found'],
};
