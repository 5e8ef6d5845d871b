import { Type, type Static } from 'typebox';
import { importedAccountFields } from '../accounts/account-key.schema.ts';
import { warningsMember } from '../platform/validation/warning.schema.ts';
import {
  documentPath,
  list,
  requiredDay,
  requiredKey,
  requiredMoney,
} from '../platform/validation/field-types.schema.ts';

/** Body of operation 6. */
export const createStatementsSchema = Type.Object({
  ...importedAccountFields,
  statements: list(
    Type.Object({
      bill_period_from_date: requiredDay(),
      bill_period_to_date: requiredDay(),
      statement_id: requiredKey(128),
      issued_date: requiredDay(),
      number: requiredKey(128),
      gross_amount: requiredMoney(),
      statement_path: Type.Optional(documentPath()),
    }),
  ),
});

/** The response of operation 6: the validated data. */
export const createdStatements = Type.Object(
  { ...createStatementsSchema.properties, warnings: Type.Optional(warningsMember) },
  { title: 'CreatedStatements' },
);

export type CreateStatementsRequest = Static<typeof createStatementsSchema>;
