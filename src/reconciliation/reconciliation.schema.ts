import { type Static, Type } from 'typebox';
import {
  answeredChoice,
  answeredInstant,
  answeredInteger,
  answeredText,
  requiredChoice,
  requiredInstant,
  text,
} from '../platform/validation/field-types.schema.ts';
import { CANONICALIZATION } from './compare/hashed-lines.rules.ts';
import { emptyTally } from './tally.rules.ts';
import {
  differenceKinds,
  differenceReasons,
  differenceSubjects,
  notQueriedReasons,
  reconciliationStatuses,
} from '../vocabulary/reconciliation.ts';
import { membersOf } from '../vocabulary/value-sets.ts';

/** A total in which received records differ from a manifest. */
export const totalDifference = Type.Object(
  {
    path: Type.String({ examples: ['transactions.by_type.PAYMENT.sum'] }),
    expected: Type.String({ description: 'By the manifest.', examples: ['133650.50'] }),
    received: Type.String({ description: 'By the accepted records.', examples: ['133650.49'] }),
    difference: answeredText({ description: 'Received minus expected; null for digests.', examples: ['-0.01'] }),
  },
  { title: 'TotalDifference' },
);

/** Body of `POST reconciliations/`: one of the two members. */
export const createReconciliationSchema = Type.Object(
  { import_supplier: Type.Optional(text()), job_id: Type.Optional(text()) },
  { additionalProperties: false },
);

export type CreateReconciliationRequest = Static<typeof createReconciliationSchema>;

/** The reconciliation that examples show. */
export const EXAMPLE_RECONCILIATION = '019ac3f2-9a41-7f0e-8c1d-5b7d9e1f3a5c';

/** The id of a reconciliation. */
export const reconciliationId = () => Type.String({ examples: [EXAMPLE_RECONCILIATION] });

/** Counts of differences. */
const differencesByKind = Type.Object(
  { changed: Type.Integer(), missing: Type.Integer(), extra: Type.Integer() },
  { description: 'Differences without a reason, by kind.', examples: [{ changed: 1, missing: 0, extra: 0 }] },
);

/** Counts of differences with a reason. */
const differencesByReason = Type.Object(
  Object.fromEntries(membersOf(differenceReasons).map((reason) => [reason, Type.Optional(Type.Integer())])),
  { description: 'Differences with a reason.', examples: [{ note_added: 4 }] },
);

/** Counts by outside parties. */
const parties = Type.Object(
  Object.fromEntries(Object.keys(emptyTally().parties).map((name) => [name, Type.Integer()])),
  {
    description: 'Records of outside parties, by our records and their messages.',
    examples: [
      {
        ...emptyTally().parties,
        payment_instructions_in_force: 40,
        supply_points: 14_000,
        switches_asked: 9_000,
        switches_unanswered: 3,
      },
    ],
  },
);

/** Results of querying payment vendors. */
const queriedVendors = Type.Array(
  Type.Object(
    {
      vendor: Type.String({ description: 'OTHER: unknown vendors.', examples: ['GOCARDLESS'] }),
      in_force: Type.Integer({
        description:
          'Instructions in force here, of compared accounts. While the reconciliation runs, some of them are pending.',
        examples: [40],
      }),
      asked: Type.Integer({ examples: [39] }),
      usable: Type.Integer({ description: 'The vendor confirms them.', examples: [38] }),
      different: Type.Integer({
        description: 'Listed as differences of the subject payment_instruction.',
        examples: [1],
      }),
      not_asked: Type.Array(
        Type.Object({
          reason: requiredChoice(notQueriedReasons, { examples: ['not_verified'] }),
          instructions: Type.Integer({ examples: [1] }),
        }),
      ),
    },
    { title: 'AskedVendor' },
  ),
);

/** The opening balance of an account. */
export const balanceView = Type.Object(
  {
    external_account_number: Type.String({ examples: ['HOME-00004711'] }),
    balance: Type.String({
      description: "Payments and credits minus charges and repayments; a positive balance is the customer's credit.",
      examples: ['-62.00'],
    }),
  },
  { title: 'AccountBalance' },
);

const accountDigest = {
  external_account_number: Type.String({ examples: ['HOME-00004711'] }),
  digest: answeredText({
    description:
      'The sum of the hashes of all fields and transactions. Null if no copy of the accepted payload is kept.',
    examples: ['5d41402abc4b2a76b9719d911017c592ae2b7f1c9d8e6f5a4b3c2d1e0f9a8b7c'],
  }),
};

/** The digest of the accepted data of an account. */
export const accountDigestView = Type.Object(accountDigest, { title: 'AccountDigest' });

/** The hashes of the accepted values of an account. */
export const accountValuesView = Type.Object(
  {
    external_account_number: accountDigest.external_account_number,
    values: Type.Array(
      Type.Object({
        path: Type.String({ examples: ['customers.0.email'] }),
        sha256: Type.String({ examples: ['7c8b9a0f1e2d3c4b5a6f8e9d1c7f2bae592c01719d91b7766a4bbc2a40415dff'] }),
      }),
    ),
  },
  { title: 'AccountValues' },
);

const sum = {
  name: Type.String({ examples: ['payment_schedules'] }),
  accepted: Type.String({ examples: ['133650.5'] }),
  stored: Type.String({ examples: ['133650.5'] }),
};

/** A reconciliation as it is shown. */
export const reconciliationView = Type.Object(
  {
    reconciliation_id: reconciliationId(),
    import_supplier: Type.String(),
    job_id: answeredText(),
    status: requiredChoice(reconciliationStatuses, { examples: ['COMPLETED'] }),
    counts: Type.Object({
      accounts: Type.Integer({ examples: [10_000] }),
      without_copy: Type.Integer({
        description: 'Accounts that cannot be compared, because their accepted data is no longer kept.',
        examples: [0],
      }),
      by_hashes: Type.Integer({
        description: 'Accounts that were compared by hashes of the accepted data.',
        examples: [0],
      }),
      withdrawn: Type.Integer({
        description: 'Accounts of the job that were withdrawn. They are not compared.',
        examples: [0],
      }),
      businesses: Type.Integer({ examples: [12] }),
      different: Type.Integer({ description: 'Accounts and businesses that differ without a reason.', examples: [1] }),
      values: Type.Integer({ description: 'Compared values.', examples: [1_412_000] }),
      differences: differencesByKind,
      reasons: differencesByReason,
      parties,
      differences_listed: Type.Integer({
        description: 'At most 100,000; further differences are only counted.',
        examples: [5],
      }),
    }),
    payment_vendors: queriedVendors,
    accounts_in_all: answeredInteger({ description: 'Created accounts to compare; null after the end.' }),
    estimated_end_at: answeredInstant({
      description:
        'At the pace so far, including queries to payment vendors; null before the first comparison and after the end.',
    }),
    sums: Type.Array(Type.Object(sum)),
    workflow_id: Type.String({
      description: "The workflow id in the operators' web UI.",
      examples: [`reconcile/${EXAMPLE_RECONCILIATION}`],
    }),
    created_at: requiredInstant({ examples: ['2026-11-22T14:00:00.000Z'] }),
    compared_at: answeredInstant({
      description: 'When the comparison ended. Queries to payment vendors may continue.',
      examples: ['2026-11-22T14:00:08.400Z'],
    }),
    ended_at: answeredInstant({ examples: ['2026-11-22T14:00:11.000Z'] }),
  },
  { title: 'Reconciliation' },
);

/** A difference between stored and accepted data. */
export const differenceView = Type.Object(
  {
    number: Type.Integer({ examples: [1] }),
    subject: requiredChoice(differenceSubjects, { examples: ['account'] }),
    key: Type.String({
      description: 'External number of the account, or external identifier of the business.',
      examples: ['HOME-00004711'],
    }),
    path: Type.String({
      description: 'As in the payload; empty for the whole account.',
      examples: ['customers.0.email'],
    }),
    kind: requiredChoice(differenceKinds, { examples: ['changed'] }),
    table: Type.String({ examples: ['customer'] }),
    column: answeredText({ description: 'Null if a whole row is missing or extra.', examples: ['email'] }),
    reason: answeredChoice(differenceReasons, { description: 'Set if the cause is known.' }),
    vendor_answer: answeredText({
      description: 'The response of the payment vendor about an instruction in force here: a code, or its status.',
    }),
  },
  { title: 'Difference' },
);

const digest = () => Type.String({ examples: ['5d41402abc4b2a76b9719d911017c592ae2b7f1c9d8e6f5a4b3c2d1e0f9a8b7c'] });

const pair = { description: 'Equal if the stored data equals the accepted data.' };

const certificate = Type.Object(
  {
    type: Type.String({ description: 'gangway-reconciliation/1.', examples: ['gangway-reconciliation/1'] }),
    reconciliation_id: reconciliationId(),
    import_supplier: Type.String(),
    job_id: answeredText(),
    gangway_version: answeredText({ examples: ['0.1.0'] }),
    canonicalization: Type.Integer({
      description: 'Version of the notation from which digests are computed.',
      examples: [CANONICALIZATION],
    }),
    checked_from: requiredInstant({ examples: ['2026-11-22T14:00:00.000Z'] }),
    checked_until: answeredInstant({ examples: ['2026-11-22T14:00:11.000Z'] }),
    is_equal: Type.Boolean({
      description: 'There is no difference without a reason, and no queried payment vendor contradicts it.',
      examples: [false],
    }),
    accounts: Type.Integer({ examples: [10_000] }),
    accounts_without_copy: Type.Integer({
      description: 'Accounts that cannot be compared: accepted data is kept for a limited time.',
      examples: [0],
    }),
    accounts_by_hashes: Type.Integer({
      description:
        'Accounts that were compared by hashes, because no copy of the accepted data is kept. They are in no sum and in no hash of a field.',
      examples: [0],
    }),
    accounts_withdrawn: Type.Integer({
      description: 'Accounts of the job that were withdrawn. They are not compared.',
      examples: [0],
    }),
    businesses: Type.Integer({ examples: [12] }),
    different: Type.Integer({ examples: [1] }),
    values_compared: Type.Integer({ examples: [1_412_000] }),
    differences: differencesByKind,
    differences_with_reason: differencesByReason,
    parties,
    payment_vendors: queriedVendors,
    parties_not_asked: Type.Array(Type.Object({ party: Type.String(), reason: Type.String() }), {
      description: 'Outside parties that were not contacted, with the reason.',
      examples: [[{ party: 'industry_switch', reason: 'It offers no read-only request.' }]],
    }),
    sums: Type.Array(Type.Object(sum, pair), { description: 'Sums of money.' }),
    balances: Type.Object(
      {
        accounts: Type.Integer({ examples: [10_000] }),
        accepted: Type.String({ examples: ['-15.5'] }),
        stored: Type.String({ examples: ['-15.5'] }),
        digest: Type.Object({ accepted: digest(), stored: digest() }),
      },
      {
        description:
          "The total of the opening balances by transactions, and the sum of the SHA-256 of each balance. A positive balance is the customer's credit.",
      },
    ),
    manifests: Type.Array(
      Type.Object(
        {
          job_id: answeredText({ description: 'The job that it describes.' }),
          wave_id: answeredText({ description: 'The wave that it describes.' }),
          sha256: Type.String({ examples: ['9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08'] }),
          agrees: Type.Boolean({ description: 'All totals of the accepted records are those of the manifest.' }),
          differences: Type.Array(
            Type.Object({ ...totalDifference.properties, is_accepted: Type.Boolean() }, { title: 'CitedDifference' }),
          ),
          accepted_at: answeredInstant(),
          accepted_reason: answeredText({ description: 'Why an operator accepted differences.' }),
        },
        { title: 'CitedManifest' },
      ),
      { description: 'The manifests of the source, compared with the accepted records.', examples: [[]] },
    ),
    fields: Type.Array(
      Type.Object(
        {
          name: Type.String({ examples: ['customers.*.email'] }),
          accepted: Type.String({ examples: ['5d41402abc4b2a76b9719d911017c592ae2b7f1c9d8e6f5a4b3c2d1e0f9a8b7c'] }),
          stored: Type.String({ examples: ['7c8b9a0f1e2d3c4b5a6f8e9d1c7f2bae592c01719d91b7766a4bbc2a40415dff'] }),
        },
        pair,
      ),
      { description: 'For each field, the sum of the hashes of its values.' },
    ),
    not_compared: Type.Array(
      Type.Object({
        table: Type.String({ examples: ['account'] }),
        columns: Type.Array(
          Type.Object({
            column: Type.String({ examples: ['number'] }),
            reason: Type.String({ examples: ['Taken from a sequence.'] }),
          }),
        ),
      }),
    ),
    kept_without_copy: Type.Array(Type.Object({ kind: Type.String(), reason: Type.String() }), {
      description: 'Accepted data that cannot be compared, because no copy of it is kept.',
      examples: [
        [
          {
            kind: 'businesses',
            reason:
              'Only the rows of a business and its contracts are kept: the comparison covers what these must agree on.',
          },
        ],
      ],
    }),
  },
  { title: 'Certificate' },
);

/** A certificate with its signed form (a compact JWS). */
export const signedCertificate = Type.Object(
  {
    certificate,
    jws: answeredText({
      description: 'Null if the service has no signing key.',
      examples: ['eyJhbGciOiJFZERTQSJ9.eyJ0eXBlIjoi.c2lnbmF0dXJl'],
    }),
  },
  { title: 'SignedCertificate' },
);

/** The public keys of certificates, as a JSON Web Key Set. */
export const certificateKeysView = Type.Object(
  {
    keys: Type.Array(
      Type.Object(Object.fromEntries(['kty', 'crv', 'x', 'kid', 'alg', 'use'].map((name) => [name, Type.String()])), {
        examples: [
          {
            kty: 'OKP',
            crv: 'Ed25519',
            x: '11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo',
            kid: 'kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k',
            alg: 'EdDSA',
            use: 'sig',
          },
        ],
      }),
    ),
  },
  { title: 'CertificateKeys' },
);
