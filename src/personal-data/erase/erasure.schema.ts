import { type Static, Type } from 'typebox';
import { accountKeySchema } from '../../accounts/account-key.schema.ts';
import { answeredInteger, requiredInstant, requiredText } from '../../platform/validation/field-types.schema.ts';

/** Body of `POST erasures/`. */
export const createErasureSchema = Type.Object({
  ...accountKeySchema.properties,
  customer: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: 100_000,
      description: 'Position of the person among the customers of the account, from 0. If omitted, all customers.',
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
      columns: Type.Array(Type.String(), { description: 'Columns that are erased; empty if whole rows are deleted.' }),
    }),
    { description, examples: [[{ table: 'note', rows: 2, columns: ['body', 'fingerprint'] }]] },
  );

const customerIndex = () =>
  answeredInteger({ description: 'Position of the customer; null for all customers.', examples: [1] });

/** Preview of an erasure. */
export const erasurePreviewSchema = Type.Object(
  {
    import_supplier: Type.String(),
    external_account_number: Type.String(),
    customer: customerIndex(),
    customers: Type.Integer({ description: 'Number of customers of the account.', examples: [2] }),
    is_created: Type.Boolean({ description: 'False: the staged data is deleted entirely.', examples: [true] }),
    tables: erasedTables('Tables with data to erase; the audit appears only in the receipt.'),
  },
  { title: 'ErasurePreview' },
);

export type ErasurePreview = Static<typeof erasurePreviewSchema>;

/** Receipt of an erasure. */
export const erasureReceiptSchema = Type.Object(
  {
    erasure_id: Type.String({ format: 'uuid', examples: ['019ac3f2-9a41-7f0e-8c1d-5b7d9e1f3a5c'] }),
    import_supplier: Type.String(),
    external_account_number: Type.String(),
    customer: customerIndex(),
    erased_at: requiredInstant({ examples: ['2026-11-22T14:00:00.000Z'] }),
    tables: erasedTables('Tables in which data was erased.'),
    sha256: Type.String({
      description: 'SHA-256 of the receipt without this member, as compact JSON in the order of its members.',
      examples: ['9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08'],
    }),
  },
  { title: 'ErasureReceipt' },
);

export type ErasureReceipt = Static<typeof erasureReceiptSchema>;
