import { type Static, Type } from 'typebox';
import type { ParameterOpenApi, RouteOpenApi } from '../platform/http/route-openapi.ts';
import { answeredText, requiredChoice, requiredInstant, text } from '../platform/validation/field-types.schema.ts';
import { emptyTally } from './tally.rules.ts';
import {
  differenceKinds,
  differenceReasons,
  differenceSubjects,
  notQueriedReasons,
  reconciliationStatuses,
} from '../vocabulary/reconciliation.ts';
import { membersOf } from '../vocabulary/value-sets.ts';

/** Body of `POST reconciliations/`: one of the two members. */
export const createReconciliationSchema = Type.Object(
  { import_supplier: Type.Optional(text()), job_id: Type.Optional(text()) },
  { additionalProperties: false },
);

export type CreateReconciliationRequest = Static<typeof createReconciliationSchema>;

/** The page of suppliers. */
export const PAGE = 'docs/suppliers/reconciliation.md';
const OPERATORS_PAGE = 'docs/suppliers/reconciliation.md#for-operators';
/** The reconciliation that examples show. */
export const EXAMPLE_RECONCILIATION = '019ac3f2-9a41-7f0e-8c1d-5b7d9e1f3a5c';

const path: Readonly<Record<string, ParameterOpenApi>> = {
  reconciliation: {
    description: 'The `reconciliation_id` from the response to its start.',
    example: EXAMPLE_RECONCILIATION,
  },
};

const started = {
  request: createReconciliationSchema,
  rules: { import_supplier: ['required', 'invalid_choice'], job_id: ['invalid', 'invalid_choice'] },
  requestExamples: { supplier: { import_supplier: 'SUPPLIER_FR' } },
  replies: {
    201: {
      description: 'It is running. If one with the same subject is already running, the response names that one.',
      schema: Type.Object(
        { reconciliation_id: Type.String(), status: requiredChoice({ RUNNING: 'specified' } as const) },
        { title: 'StartedReconciliation' },
      ),
      example: { reconciliation_id: EXAMPLE_RECONCILIATION, status: 'RUNNING' },
    },
  },
  refusals: ['validation_failed'],
} as const satisfies Partial<RouteOpenApi>;

/** `POST reconciliations/`. */
export const createReconciliationOpenApi: RouteOpenApi = {
  ...started,
  operationId: 'createReconciliation',
  tag: 'Reconciliations',
  summary: 'Compare stored with accepted data',
  description:
    'Compares every created account of an import supplier, or of one import job, field by field with the payload it was created from, and its transactions with the accepted ones.',
  page: PAGE,
};

/** The same for operators. */
export const createReconciliationForOperatorOpenApi: RouteOpenApi = {
  ...started,
  operationId: 'createReconciliationForOperator',
  tag: 'Operations',
  summary: 'Compare stored with accepted data of any import supplier',
  page: OPERATORS_PAGE,
};

/** Counts of differences. */
export const differencesByKind = () =>
  Type.Object(
    { changed: Type.Integer(), missing: Type.Integer(), extra: Type.Integer() },
    { description: 'Differences without a reason, by kind.' },
  );
/** Counts of differences with a reason. */
export const differencesByReason = () =>
  Type.Object(
    Object.fromEntries(membersOf(differenceReasons).map((reason) => [reason, Type.Optional(Type.Integer())])),
    { description: 'Differences with a reason.' },
  );
/** Counts by outside parties. */
export const parties = () =>
  Type.Object(Object.fromEntries(Object.keys(emptyTally().parties).map((name) => [name, Type.Integer()])), {
    description: 'Records of outside parties, by our records and their messages.',
  });
/** Results of querying payment vendors. */
export const queriedVendors = () =>
  Type.Array(
    Type.Object(
      {
        vendor: Type.String({ description: 'OTHER: unknown vendors.' }),
        in_force: Type.Integer({
          description:
            'Instructions in force here, of compared accounts. While the reconciliation runs, some of them are pending.',
        }),
        asked: Type.Integer(),
        usable: Type.Integer({ description: 'The vendor confirms them.' }),
        different: Type.Integer({ description: 'Listed as differences of the subject payment_instruction.' }),
        not_asked: Type.Array(Type.Object({ reason: requiredChoice(notQueriedReasons), instructions: Type.Integer() })),
      },
      { title: 'AskedVendor' },
    ),
  );
/** Payment vendors in examples. */
export const exampleVendors = [
  {
    vendor: 'GOCARDLESS',
    in_force: 40,
    asked: 39,
    usable: 38,
    different: 1,
    not_asked: [{ reason: 'not_verified', instructions: 1 }],
  },
];

const counts = () =>
  Type.Object({
    accounts: Type.Integer(),
    without_copy: Type.Integer({
      description: 'Accounts that cannot be compared, because their accepted data is no longer kept.',
    }),
    by_hashes: Type.Integer({ description: 'Accounts that were compared by hashes of the accepted data.' }),
    businesses: Type.Integer(),
    different: Type.Integer({ description: 'Accounts and businesses that differ without a reason.' }),
    values: Type.Integer({ description: 'Compared values.' }),
    differences: differencesByKind(),
    reasons: differencesByReason(),
    parties: parties(),
    differences_listed: Type.Integer({ description: 'At most 100,000; further differences are only counted.' }),
  });

const reconciliation = () =>
  Type.Object(
    {
      reconciliation_id: Type.String(),
      import_supplier: Type.String(),
      job_id: answeredText(),
      status: requiredChoice(reconciliationStatuses),
      counts: counts(),
      payment_vendors: queriedVendors(),
      accounts_in_all: Type.Unsafe<number | null>({
        type: ['integer', 'null'],
        description: 'Created accounts to compare; null after the end.',
      }),
      estimated_end_at: answeredText({
        format: 'date-time',
        description:
          'At the pace so far, including queries to payment vendors; null before the first comparison and after the end.',
      }),
      sums: Type.Array(Type.Object({ name: Type.String(), accepted: Type.String(), stored: Type.String() })),
      workflow_id: Type.String({ description: "The workflow id in the operators' web UI." }),
      created_at: requiredInstant(),
      compared_at: answeredText({
        format: 'date-time',
        description: 'When the comparison ended. Queries to payment vendors may continue.',
      }),
      ended_at: answeredText({ format: 'date-time' }),
    },
    { title: 'Reconciliation' },
  );

/** The counts that examples show. */
export const exampleCounts = {
  accounts: 10_000,
  without_copy: 0,
  by_hashes: 0,
  businesses: 12,
  different: 1,
  values: 1_412_000,
  differences: { changed: 1, missing: 0, extra: 0 },
  reasons: { note_added: 4 },
  parties: {
    payment_instructions_in_force: 40,
    payment_instructions_unlike_verification: 0,
    supply_points: 14_000,
    switches_asked: 9_000,
    switches_asked_too_often: 0,
    switches_unanswered: 3,
    switches_accepted_too_often: 0,
    switches_told_without_request: 0,
  },
};

export type Tag = RouteOpenApi['tag'];
/** Operators have the same operations under other names. */
export const named = (tag: Tag, operationId: string): Pick<RouteOpenApi, 'operationId' | 'tag' | 'page' | 'path'> => ({
  operationId: tag === 'Operations' ? `${operationId}ForOperator` : operationId,
  tag,
  page: tag === 'Operations' ? OPERATORS_PAGE : PAGE,
  path,
});

const EXAMPLE = {
  reconciliation_id: EXAMPLE_RECONCILIATION,
  import_supplier: 'SUPPLIER_FR',
  job_id: null,
  status: 'COMPLETED',
  counts: { ...exampleCounts, differences_listed: 5 },
  payment_vendors: exampleVendors,
  accounts_in_all: null,
  estimated_end_at: null,
  sums: [{ name: 'payment_schedules', accepted: '133650.5', stored: '133650.5' }],
  workflow_id: `reconcile/${EXAMPLE_RECONCILIATION}`,
  created_at: '2026-11-22T14:00:00.000Z',
  compared_at: '2026-11-22T14:00:08.400Z',
  ended_at: '2026-11-22T14:00:11.000Z',
};

/** `GET reconciliations/` of operators. */
export const listReconciliationsOpenApi: RouteOpenApi = {
  operationId: 'listReconciliationsForOperator',
  tag: 'Operations',
  summary: 'List reconciliations of all import suppliers and organizations',
  description:
    'Newest first, 50 per page; the header Link leads to the next page. A filter by import supplier scans the 5,000 newest.',
  page: OPERATORS_PAGE,
  query: {
    import_supplier: { description: 'Only reconciliations of this import supplier.', example: EXAMPLE.import_supplier },
    before: {
      description: 'The last `reconciliation_id` of the previous page.',
      example: EXAMPLE_RECONCILIATION,
      violations: ['invalid'],
    },
  },
  replies: {
    200: {
      description: 'A page of reconciliations.',
      schema: Type.Array(reconciliation()),
      example: [EXAMPLE],
      hasLink: true,
    },
  },
  refusals: ['validation_failed'],
};

/** `GET reconciliations/<id>/`. */
export const findReconciliationOpenApi = (tag: Tag): RouteOpenApi => ({
  ...named(tag, 'findReconciliation'),
  summary: 'Get the progress and counts of a reconciliation',
  replies: { 200: { description: 'The reconciliation.', schema: reconciliation(), example: EXAMPLE } },
  refusals: ['reconciliation_not_found'],
});

const difference = Type.Object(
  {
    number: Type.Integer(),
    subject: requiredChoice(differenceSubjects),
    key: Type.String({ description: 'External number of the account, or external identifier of the business.' }),
    path: Type.String({ description: 'As in the payload; empty for the whole account.' }),
    kind: requiredChoice(differenceKinds),
    table: Type.String(),
    column: answeredText({ description: 'Null if a whole row is missing or extra.' }),
    reason: Type.Unsafe<string | null>({
      type: ['string', 'null'],
      enum: [...membersOf(differenceReasons), null],
      description: 'Set if the cause is known.',
    }),
    vendor_answer: answeredText({
      description: 'The response of the payment vendor about an instruction in force here: a code, or its status.',
    }),
  },
  { title: 'Difference' },
);

/** `GET reconciliations/<id>/differences/`. */
export const listDifferencesOpenApi = (tag: Tag): RouteOpenApi => ({
  ...named(tag, 'listDifferences'),
  summary: 'List differences',
  description: 'JSON lines, also while it runs. Values are not included; they are in the account.',
  replies: {
    200: {
      description: 'One JSON line per difference.',
      mediaType: 'application/x-ndjson',
      schema: difference,
      example: {
        number: 1,
        subject: 'account',
        key: 'HOME-00004711',
        path: 'customers.0.email',
        kind: 'changed',
        table: 'customer',
        column: 'email',
        reason: null,
        vendor_answer: null,
      },
    },
  },
  refusals: ['reconciliation_not_found'],
});
