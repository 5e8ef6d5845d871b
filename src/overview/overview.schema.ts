import { Type, type Static } from 'typebox';
import { answeredText, requiredChoice, requiredInstant } from '../platform/validation/field-types.schema.ts';
import { engineStates, partyStates } from '../vocabulary/health.ts';
import { dueWorkSchema } from '../stuck/stuck.schema.ts';
import { listedJob } from '../import-jobs/find/find-import-job.openapi.ts';

const supplierCounts = Type.Object(
  {
    import_supplier: Type.String(),
    known: Type.Integer({ description: 'All accounts that were ever staged: the sum of the next five counts.' }),
    staged: Type.Integer({ description: 'Staged accounts that are not created and not counted below.' }),
    refused: Type.Integer({ description: 'Staged accounts whose last creation was rejected.' }),
    skipped: Type.Integer({ description: 'Accounts with a skip mark.' }),
    being_created: Type.Integer({
      description: 'Quarantined accounts: the database rejects their data, or their creation takes too long.',
    }),
    created: Type.Integer(),
    switch: Type.Object(
      { PENDING: Type.Integer(), IN_PROGRESS: Type.Integer(), REJECTED: Type.Integer(), COMPLETED: Type.Integer() },
      { description: 'Created accounts by the status of their switch.' },
    ),
  },
  { title: 'AccountCounts' },
);

const lookupLoad = Type.Object(
  {
    network_operator: Type.String(),
    open_batches: Type.Integer(),
    pending: Type.Integer({
      description: 'Identifiers without a result in open batches. An identifier in two batches is counted twice.',
    }),
    per_second: Type.Number({ description: 'Recent number of results per second, counted in the same way.' }),
    requests_per_second: Type.Number(),
    requests_per_hour: Type.Number(),
    used_per_second: Type.Number({
      description: 'Effective speed: the number of calls per second while enough lookups are pending.',
    }),
    blocked_until: answeredText({
      format: 'date-time',
      description: 'The network operator asked for a pause until then; otherwise null.',
    }),
    estimated_end_at: answeredText({
      format: 'date-time',
      description: 'At the current rate; null while the rate is 0.',
    }),
  },
  { title: 'LookUpLoad' },
);

const partyHealth = Type.Object(
  {
    party: Type.String(),
    state: requiredChoice(partyStates),
    answered_at: answeredText({ format: 'date-time', description: 'Time of its last response, including rejections.' }),
    failed_at: answeredText({ format: 'date-time', description: 'Time of the last failed call.' }),
    failure: answeredText({ description: 'The last failure: `busy`, `unavailable` or `misconfigured`.' }),
    rests_until: answeredText({
      format: 'date-time',
      description: 'End of the pause in calls (circuit breaker) after several failures in a row; otherwise null.',
    }),
  },
  { title: 'PartyHealth' },
);

const stuckMembers = {
  read_at: requiredInstant(),
  total: Type.Integer(),
  counted_all: Type.Boolean({
    description: 'False if there is more stuck work than is read at once: the counts are then lower bounds.',
  }),
  counts: Type.Array(Type.Object({ cause: Type.String(), count: Type.Integer() })),
};
const stuckObject = () => Type.Object(stuckMembers);

const stuckCounts = Type.Unsafe<Static<ReturnType<typeof stuckObject>> | null>({
  ...stuckObject(),
  type: ['object', 'null'],
  title: 'StuckCounts',
  description: 'Stuck work by cause, most frequent first; null while Temporal is unavailable.',
});

/** The response of the overview. */
export const overviewSchema = Type.Object(
  {
    read_at: requiredInstant(),
    accounts: Type.Array(supplierCounts),
    creations: Type.Object(
      {
        from: requiredInstant(),
        minutes: Type.Array(Type.Object({ minute: requiredInstant(), created: Type.Integer() }), {
          description: 'Only minutes in which accounts were created.',
        }),
      },
      { description: 'Creations by minute in the last three hours.' },
    ),
    import_jobs: Type.Array(listedJob(), { description: 'Jobs in progress, at most the 50 newest.' }),
    look_ups: Type.Array(lookupLoad),
    stuck: stuckCounts,
    parties: Type.Array(partyHealth),
    database: Type.Object({ answered_in_ms: Type.Integer() }),
    temporal: Type.Object({ state: requiredChoice(engineStates) }),
    due_work: dueWorkSchema,
  },
  { title: 'Overview' },
);

export type Overview = Static<typeof overviewSchema>;
