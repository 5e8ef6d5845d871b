import { Type } from 'typebox';
import type { RouteOpenApi } from '../platform/http/route-openapi.ts';
import { warningsMember } from '../platform/validation/warning.schema.ts';
import { createStatementsSchema } from './create-statements.schema.ts';

const example = {
  import_supplier: 'SUPPLIER_FR',
  external_account_number: 'HOME-00004711',
  statements: [
    {
      bill_period_from_date: '2026-09-01',
      bill_period_to_date: '2026-09-30',
      statement_id: 'BILL-2026-09',
      issued_date: '2026-10-03',
      number: '2026-09-4711',
      gross_amount: 84.5,
      statement_path: 'statements/2026/09/bill.pdf',
    },
  ],
};

/** Operation 6. */
export const createStatementsOpenApi: RouteOpenApi = {
  operationId: 'createHistoricalStatements',
  tag: 'Attachments',
  summary: 'Add historical statements to an imported account',
  description:
    'Adds all statements or none. The latest end of a statement closes the period before it for transactions.',
  request: createStatementsSchema,
  rules: {
    '': ['max_depth'],
    'statements.*.bill_period_to_date': ['start_date_later_than_end_date', 'date_too_far_ahead'],
    'statements.*.statement_id': ['historical_statement_already_exists'],
    'statements.*.statement_path': ['path_does_not_exist_in_file_store'],
  },
  requestExamples: { 'one statement': example },
  replies: {
    201: {
      description: 'The statements are added: the validated data.',
      schema: Type.Object(
        { ...createStatementsSchema.properties, warnings: Type.Optional(warningsMember) },
        { title: 'CreatedStatements' },
      ),
      example,
    },
  },
  refusals: ['validation_failed', 'account_not_found'],
};
