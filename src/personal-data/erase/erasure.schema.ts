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

const erasedTables = (description: string) =>
  Type.Array(
    Type.Object({
      table: Type.String(),
      rows: Type.Integer(),
      columns: Type.Array(Type.String(), { description: 'What is replaced; empty where rows are deleted.' }),
    }),
    { description },
  );

const customerPlace = () =>
  Type.Unsafe<number | null>({ type: ['integer', 'null'], description: 'Null: all of the account.' });

/** What an erasure would change. */
export const erasurePreviewSchema = Type.Object(
  {
    import_supplier: Type.String(),
    external_account_number: Type.String(),
    customer: customerPlace(),
    customers: Type.Integer({ description: 'How many the account has.' }),
    is_created: Type.Boolean({ description: 'False: what is staged is deleted as a whole.' }),
    tables: erasedTables('In which something would be erased; of the audit it is told by the receipt only.'),
  },
  { title: 'ErasurePreview' },
);

export type ErasurePreview = Static<typeof erasurePreviewSchema>;

/** What an erasure has done, table by table. */
export const erasureReceiptSchema = Type.Object(
  {
    erasure_id: Type.String({ format: 'uuid' }),
    import_supplier: Type.String(),
    external_account_number: Type.String(),
    customer: customerPlace(),
    erased_at: Type.String({ format: 'date-time', minLength: 1 }),
    tables: erasedTables('Those in which something was erased.'),
    sha256: Type.String({
      description: 'Of the receipt without this member, as compact JSON in the order of its members.',
    }),
  },
  { title: 'ErasureReceipt' },
);

export type ErasureReceipt = Static<typeof erasureReceiptSchema>;
