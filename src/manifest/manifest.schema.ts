import { type Static, Type } from 'typebox';
import {
  decimalText,
  INTEGER_MAX,
  integer,
  key,
  list,
  requiredChoice,
  requiredKey,
  requiredText,
} from '../platform/validation/field-types.schema.ts';
import { CANONICALIZATION } from '../reconciliation/compare/hashed-lines.rules.ts';
import { importJobKinds, manifestTypes } from '../vocabulary/import-jobs.ts';
import { membersOf, supplyTypes, transactionTypes } from '../vocabulary/value-sets.ts';

/** The `type` of a manifest, which contains the version of its format. */
export const MANIFEST_TYPE = 'gangway-manifest/1';

const DIGEST_LENGTH = 64;
const closed = { additionalProperties: false };

const count = (description: string, example: number) =>
  Type.Optional({ ...integer(0), maximum: INTEGER_MAX, description, examples: [example] });

const sum = (description: string) =>
  Type.Optional({ ...decimalText(), description: `${description}, as a decimal string.`, examples: ['133650.50'] });

const hexDigits = (description: string) =>
  Type.String({
    ...requiredText(DIGEST_LENGTH),
    description,
    examples: ['5d41402abc4b2a76b9719d911017c592ae2b7f1c9d8e6f5a4b3c2d1e0f9a8b7c'],
  });

const amounts = () =>
  Type.Object(
    { count: count('Number of items.', 2_140), sum: sum('Sum of their amounts') },
    { ...closed, title: 'AmountsOfManifest' },
  );

/** A total for each value of a set. A value that is omitted has no records. */
const byValue = <Total extends ReturnType<typeof amounts> | ReturnType<typeof integer>>(
  values: readonly string[],
  totalOf: (value: string) => Total,
  description: string,
) =>
  Type.Optional(
    Type.Object(Object.fromEntries(values.map((value) => [value, Type.Optional(totalOf(value))])), {
      ...closed,
      description,
    }),
  );

const digests = Type.Optional(
  Type.Array(
    Type.Object(
      {
        name: { ...requiredText(), examples: ['customers.*.email'] },
        digest: hexDigits('The sum of the hashes of its values, as in certificates: 64 lowercase hexadecimal digits.'),
      },
      { ...closed, title: 'DigestOfManifest' },
    ),
    {
      maxItems: 500,
      description: 'Digests of all fields that have values. Omit the member if you cannot compute them.',
    },
  ),
);

const records = count('Number of records: lines of the files.', 10_000);
const contracts = count('Number of contracts.', 12);

const kinds = Type.Object(
  {
    accounts: Type.Optional(
      Type.Object(
        {
          records,
          customers: count('Number of customers.', 11_200),
          supply_points: byValue(
            membersOf(supplyTypes),
            () => ({ ...integer(0), examples: [14_000] }),
            'Number of supply points of accounts, by type.',
          ),
          business_contracts: contracts,
          notes: count('Number of notes in the accounts.', 3_000),
          statements: count('Number of statements in the accounts.', 20_000),
          payment_schedules: Type.Optional(amounts()),
          energy_cheques: Type.Optional(amounts()),
          digests,
        },
        closed,
      ),
    ),
    businesses: Type.Optional(Type.Object({ records, business_contracts: contracts }, closed)),
    'business-contracts': Type.Optional(Type.Object({ records, business_contracts: contracts }, closed)),
    notes: Type.Optional(Type.Object({ records, notes: count('Number of notes.', 400) }, closed)),
    statements: Type.Optional(
      Type.Object(
        { records, statements: count('Number of statements.', 9_000), gross_sum: sum('Sum of the gross amounts') },
        closed,
      ),
    ),
    transactions: Type.Optional(
      Type.Object(
        {
          records,
          transactions: count('Number of transactions.', 120_000),
          by_type: byValue(membersOf(transactionTypes), () => amounts(), 'Transactions by type.'),
          digests,
        },
        closed,
      ),
    ),
    'payment-instructions': Type.Optional(Type.Object({ records }, closed)),
  },
  { ...closed, description: 'Totals by kind of record. Only totals that are present are compared.' },
);

const file = Type.Object(
  {
    name: { ...requiredText(), examples: ['accounts.ndjson.zst'] },
    kind: requiredChoice(importJobKinds, { examples: ['accounts'] }),
    bytes: Type.Integer({ minimum: 0, examples: [41_216_900] }),
    sha256: hexDigits('SHA-256 of the file as it is, compressed or not.'),
    records: { ...integer(0), examples: [10_000] },
  },
  { ...closed, title: 'FileOfManifest' },
);

/** Rejects a manifest of another version, whose digests cannot be compared. */
const VERSION_DETAIL = `The digests have version {value} of the notation, and this service computes version ${CANONICALIZATION}. Write the manifest with \`gangway manifest\` of the service's release, or omit \`canonicalization\` and all \`digests\`.`;

const canonicalization = Type.Integer({
  minimum: CANONICALIZATION,
  maximum: CANONICALIZATION,
  description: 'Version of the notation from which digests are computed.',
  examples: [CANONICALIZATION],
});

/** What a source system says that it exported. Its JSON Schema is published for suppliers. */
export const manifestSchema = Type.Object(
  {
    type: requiredChoice(manifestTypes, { examples: [MANIFEST_TYPE] }),
    canonicalization: Type.Optional({ ...canonicalization, rangeDetail: VERSION_DETAIL }),
    import_supplier: Type.Optional(requiredKey(32)),
    created_by: Type.Optional({
      ...key(128),
      description: 'The program that wrote it.',
      examples: ['billing-export 4.2'],
    }),
    files: Type.Optional(list(file)),
    kinds,
  },
  { ...closed, title: 'Manifest' },
);

export type Manifest = Static<typeof manifestSchema>;

/** Totals by kind of record. */
export type ManifestKinds = Manifest['kinds'];

/**
 * The JSON Schema as docs/suppliers publishes it.
 * @public compared with the file by a test
 */
export const publishedManifestSchema = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  $id: MANIFEST_TYPE,
  ...manifestSchema,
  properties: { ...manifestSchema.properties, canonicalization },
};
