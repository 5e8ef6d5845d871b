import { Type, type Static } from 'typebox';
import {
  answeredInstant,
  answeredText,
  requiredChoice,
  requiredInstant,
} from '../platform/validation/field-types.schema.ts';
import { countsByCause, dueWorkSchema } from '../stuck/stuck.schema.ts';
import { listedJob } from '../import-jobs/import-job.schema.ts';
import { engineStates, partyStates } from '../vocabulary/health.ts';

const supplierCounts = Type.Object(
  {
    import_supplier: Type.String(),
    known: Type.Integer({
      description: 'All accounts that were ever staged: the sum of the next five counts.',
      examples: [10000],
    }),
    staged: Type.Integer({
      description: 'Staged accounts that are not created and not counted below.',
      examples: [5763],
    }),
    refused: Type.Integer({ description: 'Staged accounts whose last creation was rejected.', examples: [37] }),
    skipped: Type.Integer({ description: 'Accounts with a skip mark.', examples: [0] }),
    being_created: Type.Integer({
      description: 'Quarantined accounts: the database rejects their data, or their creation takes too long.',
      examples: [0],
    }),
    created: Type.Integer({ examples: [4_200] }),
    switch: Type.Object(
      { PENDING: Type.Integer(), IN_PROGRESS: Type.Integer(), REJECTED: Type.Integer(), COMPLETED: Type.Integer() },
      {
        description: 'Created accounts by the status of their switch.',
        examples: [{ PENDING: 4_190, IN_PROGRESS: 8, REJECTED: 1, COMPLETED: 1 }],
      },
    ),
  },
  { title: 'AccountCounts' },
);

const lookupLoad = Type.Object(
  {
    network_operator: Type.String(),
    open_batches: Type.Integer({ examples: [1] }),
    pending: Type.Integer({
      description: 'Identifiers without a result in open batches. An identifier in two batches is counted twice.',
      examples: [8_000],
    }),
    per_second: Type.Number({
      description: 'Recent number of results per second, counted in the same way.',
      examples: [2.6],
    }),
    requests_per_second: Type.Number({ examples: [5] }),
    requests_per_hour: Type.Number({ examples: [10_000] }),
    used_per_second: Type.Number({
      description: 'Effective speed: the number of calls per second while enough lookups are pending.',
      examples: [2.681],
    }),
    blocked_until: answeredInstant({
      description: 'The network operator asked for a pause until then; otherwise null.',
    }),
    estimated_end_at: answeredInstant({
      description: 'At the current rate; null while the rate is 0.',
      examples: ['2026-11-20T17:51:22.000Z'],
    }),
  },
  { title: 'LookUpLoad' },
);

const partyHealth = Type.Object(
  {
    party: Type.String({ examples: ['enedis'] }),
    state: requiredChoice(partyStates, { examples: ['answers'] }),
    answered_at: answeredInstant({
      description: 'Time of its last response, including rejections.',
      examples: ['2026-11-20T17:00:03.000Z'],
    }),
    failed_at: answeredInstant({ description: 'Time of the last failed call.' }),
    failure: answeredText({ description: 'The last failure: `busy`, `unavailable` or `misconfigured`.' }),
    rests_until: answeredInstant({
      description: 'End of the pause in calls (circuit breaker) after several failures in a row; otherwise null.',
    }),
  },
  { title: 'PartyHealth' },
);

const stuckMembers = {
  read_at: requiredInstant({ examples: ['2026-11-20T17:00:04.000Z'] }),
  total: Type.Integer({ examples: [1] }),
  counted_all: Type.Boolean({
    description: 'False if there is more stuck work than is read at once: the counts are then lower bounds.',
    examples: [true],
  }),
  counts: countsByCause(),
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
    read_at: requiredInstant({ examples: ['2026-11-20T17:00:05.000Z'] }),
    accounts: Type.Array(supplierCounts),
    creations: Type.Object(
      {
        from: requiredInstant({ examples: ['2026-11-20T14:01:00.000Z'] }),
        minutes: Type.Array(Type.Object({ minute: requiredInstant(), created: Type.Integer({ examples: [4_200] }) }), {
          description: 'Only minutes in which accounts were created.',
        }),
      },
      { description: 'Creations by minute in the last three hours.' },
    ),
    import_jobs: Type.Array(listedJob, { description: 'Jobs in progress, at most the 50 newest.' }),
    look_ups: Type.Array(lookupLoad),
    stuck: stuckCounts,
    parties: Type.Array(partyHealth),
    database: Type.Object({ answered_in_ms: Type.Integer({ examples: [1] }) }),
    temporal: Type.Object({ state: requiredChoice(engineStates) }),
    due_work: dueWorkSchema,
  },
  { title: 'Overview' },
);

export type Overview = Static<typeof overviewSchema>;
