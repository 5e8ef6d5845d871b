import { Type, type Static } from 'typebox';
import { requiredText } from '../../platform/validation/field-types.schema.ts';
import { accountKeySchema } from '../../accounts/account-key.schema.ts';

/** Body of `POST erasures/`. */
export const createErasureSchema = Type.Object({
  ...accountKeySchema.properties,
  customer: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: 100_000,
      description: 'Place of the person among the customers of the account, from 0; without it all of them.',
    }),
  ),
  reason: requiredText(1_000),
});

export type CreateErasure = Static<typeof createErasureSchema>;

/** What an erasure has done, table by table. */
export const erasureReceiptSchema = Type.Object(
  {
    erasure_id: Type.String({ format: 'uuid' }),
    import_supplier: Type.String(),
    external_account_number: Type.String(),
    customer: Type.Unsafe<number | null>({ type: ['integer', 'null'], description: 'Null: all of the account.' }),
    erased_at: Type.String({ format: 'date-time', minLength: 1 }),
    tables: Type.Array(
      Type.Object({
        table: Type.String(),
        rows: Type.Integer(),
        columns: Type.Array(Type.String(), { description: 'What was replaced; empty where rows were deleted.' }),
      }),
      { description: 'Those in which something was erased.' },
    ),
    sha256: Type.String({
      description: 'Of the receipt without this member, as compact JSON in the order of its members.',
    }),
  },
  { title: 'ErasureReceipt' },
);

export type ErasureReceipt = Static<typeof erasureReceiptSchema>;
