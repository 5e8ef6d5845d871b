import { type Static, Type } from 'typebox';
import { accountKeyPath, accountKeySchema } from '../../accounts/account-key.schema.ts';
import type { RouteOpenApi } from '../../platform/http/route-openapi.ts';
import { requiredText } from '../../platform/validation/field-types.schema.ts';

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
    { description },
  );

const customerIndex = () =>
  Type.Unsafe<number | null>({
    type: ['integer', 'null'],
    description: 'Position of the customer; null for all customers.',
  });

/** Preview of an erasure. */
const erasurePreviewSchema = Type.Object(
  {
    import_supplier: Type.String(),
    external_account_number: Type.String(),
    customer: customerIndex(),
    customers: Type.Integer({ description: 'Number of customers of the account.' }),
    is_created: Type.Boolean({ description: 'False: the staged data is deleted entirely.' }),
    tables: erasedTables('Tables with data to erase; the audit appears only in the receipt.'),
  },
  { title: 'ErasurePreview' },
);

export type ErasurePreview = Static<typeof erasurePreviewSchema>;

/** Receipt of an erasure. */
const erasureReceiptSchema = Type.Object(
  {
    erasure_id: Type.String({ format: 'uuid' }),
    import_supplier: Type.String(),
    external_account_number: Type.String(),
    customer: customerIndex(),
    erased_at: Type.String({ format: 'date-time', minLength: 1 }),
    tables: erasedTables('Tables in which data was erased.'),
    sha256: Type.String({
      description: 'SHA-256 of the receipt without this member, as compact JSON in the order of its members.',
    }),
  },
  { title: 'ErasureReceipt' },
);

export type ErasureReceipt = Static<typeof erasureReceiptSchema>;

/** `POST erasures/`. */
export const createErasureOpenApi: RouteOpenApi = {
  operationId: 'createErasure',
  tag: 'Operations',
  page: 'docs/operators/personal-data.md',
  summary: 'Erase a person',
  description:
    'Erases names, contacts, dates of birth, free texts and document paths from every table. Amounts, dates and keys are kept. An account that was never created is deleted entirely. An erasure cannot be undone.',
  request: createErasureSchema,
  requestExamples: {
    'one of two customers': {
      import_supplier: 'SUPPLIER_FR',
      external_account_number: 'HOME-00004711',
      customer: 1,
      reason: 'Request of 2026-11-20',
    },
    'all of an account': {
      import_supplier: 'SUPPLIER_FR',
      external_account_number: 'HOME-00004711',
      reason: 'Request of 2026-11-20',
    },
  },
  replies: {
    201: {
      description: 'The erased data by table.',
      schema: erasureReceiptSchema,
      example: {
        erasure_id: '019ac3f2-9a41-7f0e-8c1d-5b7d9e1f3a5c',
        import_supplier: 'SUPPLIER_FR',
        external_account_number: 'HOME-00004711',
        customer: 1,
        erased_at: '2026-11-22T14:00:00.000Z',
        tables: [{ table: 'note', rows: 2, columns: ['body', 'fingerprint'] }],
        sha256: '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08',
      },
    },
  },
  refusals: ['validation_failed', 'not_found', 'erasure_must_wait'],
};

/** `GET erasures/<supplier>/<external>/`. */
export const findErasurePreviewOpenApi: RouteOpenApi = {
  operationId: 'findErasurePreview',
  tag: 'Operations',
  page: 'docs/operators/personal-data.md',
  summary: 'Preview an erasure',
  description: 'Changes nothing.',
  path: accountKeyPath,
  query: {
    customer: {
      description: 'Position of the person among the customers of the account, from 0. If omitted, all customers.',
      example: 1,
      schema: Type.Integer({ minimum: 0, maximum: 999_999 }),
      violations: ['invalid'],
    },
  },
  replies: {
    200: {
      description: 'The data that would be erased, by table.',
      schema: erasurePreviewSchema,
      example: {
        import_supplier: 'SUPPLIER_FR',
        external_account_number: 'HOME-00004711',
        customer: 1,
        customers: 2,
        is_created: true,
        tables: [{ table: 'note', rows: 2, columns: ['body', 'fingerprint'] }],
      },
    },
  },
  refusals: ['validation_failed', 'not_found', 'erasure_must_wait'],
};
