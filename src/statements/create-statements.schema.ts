import { Type, type Static } from 'typebox';
import { importedAccountFields } from '../accounts/account-key.schema.ts';
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

export type CreateStatementsRequest = Static<typeof createStatementsSchema>;
