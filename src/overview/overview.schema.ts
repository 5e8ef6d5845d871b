import { Type, type Static } from 'typebox';
import { answeredText, requiredChoice, requiredInstant } from '../platform/validation/field-types.schema.ts';
import { engineStates, partyStates } from '../vocabulary/health.ts';
import { dueWorkSchema } from '../stuck/stuck.schema.ts';
import { listedJob } from '../import-jobs/find/find-import-job.openapi.ts';

const supplierCounts = Type.Object(
  {
    import_supplier: Type.String(),
    known: Type.Integer({ description: 'All accounts that were ever staged; the next five add up to it.' }),
    staged: Type.Integer({ description: 'Wait to be created.' }),
    refused: Type.Integer({ description: 'Staged accounts whose last creation was refused.' }),
    skipped: Type.Integer(),
    being_created: Type.Integer({
      description: 'Go on alone, because the database refuses them or they take too long.',
    }),
    created: Type.Integer(),
    switch: Type.Object(
      { PENDING: Type.Integer(), IN_PROGRESS: Type.Integer(), REJECTED: Type.Integer(), COMPLETED: Type.Integer() },
      { description: 'What was created, by the status of its switch.' },
    ),
  },
  { title: 'AccountCounts' },
);

const lookupLoad = Type.Object(
  {
    network_operator: Type.String(),
    open_batches: Type.Integer(),
    pending: Type.Integer({
      description: 'Over all open batches; an identifier that two of them wait for counts for both.',
    }),
    per_second: Type.Number({ description: 'Outcomes a second, lately, counted in the same way.' }),
    requests_per_second: Type.Number(),
    requests_per_hour: Type.Number(),
    used_per_second: Type.Number({ description: 'What lookups run at where there are enough of them.' }),
    blocked_until: answeredText({ format: 'date-time' }),
    estimated_end_at: answeredText({ format: 'date-time', description: 'At the present rate; null while it is 0.' }),
  },
  { title: 'LookUpLoad' },
);

const partyHealth = Type.Object(
  {
    party: Type.String(),
    state: requiredChoice(partyStates),
    answered_at: answeredText({ format: 'date-time', description: 'When it last answered, be it with a no.' }),
    failed_at: answeredText({ format: 'date-time' }),
    failure: answeredText({ description: 'How it failed then: `busy`, `unavailable`, `misconfigured`.' }),
    rests_until: answeredText({
      format: 'date-time',
      description: 'It failed several times in a row, and a worker asks it nothing until then.',
    }),
  },
  { title: 'PartyHealth' },
);

const stuckMembers = {
  read_at: requiredInstant(),
  total: Type.Integer(),
  counted_all: Type.Boolean({ description: 'False when more is pending than is read at once.' }),
  counts: Type.Array(Type.Object({ cause: Type.String(), count: Type.Integer() })),
};
const stuckObject = () => Type.Object(stuckMembers);

const stuckCounts = Type.Unsafe<Static<ReturnType<typeof stuckObject>> | null>({
  ...stuckObject(),
  type: ['object', 'null'],
  title: 'StuckCounts',
  description: 'What is pending, by cause, the most frequent first; null while Temporal is away.',
});

/** What the overview shows. */
export const overviewSchema = Type.Object(
  {
    read_at: requiredInstant(),
    accounts: Type.Array(supplierCounts),
    creations: Type.Object(
      {
        from: requiredInstant(),
        minutes: Type.Array(Type.Object({ minute: requiredInstant(), created: Type.Integer() }), {
          description: 'Those in which accounts were created.',
        }),
      },
      { description: 'By minute, from three hours ago until now.' },
    ),
    import_jobs: Type.Array(listedJob(), { description: 'Started and not ended; the 50 newest.' }),
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
