import { Type, type Static } from 'typebox';
import {
  answeredChoice,
  answeredInstant,
  answeredInteger,
  answeredText,
  decimalNumber,
  integer,
  list,
  nullableDecimalNumber,
  nullableInteger,
  nullableText,
  requiredChoice,
  requiredInstant,
  requiredKey,
  requiredText,
  text,
} from '../platform/validation/field-types.schema.ts';
import { EXAMPLE_JOB, LINES_MAX } from '../import-jobs/import-job.schema.ts';
import { answeredManifest } from '../import-jobs/manifest-view.schema.ts';
import { gateNames, gateStates, wavePauseReasons, waveStatuses } from '../vocabulary/waves.ts';

/** Unknown members are rejected: if a misspelled `create_until` were ignored, the wave would be created at any time. */
const CLOSED = { additionalProperties: false };

/** Options of a wave (docs/suppliers/waves.md). The first three are those of its creation job. */
const waveOptions = Type.Object(
  {
    canary: Type.Optional(integer(1, LINES_MAX)),
    stop_after_failures: Type.Optional(
      Type.Object(
        { count: Type.Optional(integer(1, LINES_MAX)), percent: Type.Optional(decimalNumber(0, 100)) },
        CLOSED,
      ),
    ),
    max_per_second: Type.Optional(integer(1, 100_000)),
    hold_switches_hours: Type.Optional(integer(0, 720)),
    requires_approval: Type.Optional(Type.Boolean()),
  },
  { ...CLOSED, examples: [{ canary: 100, hold_switches_hours: 24 }] },
);
export type WaveOptions = Static<typeof waveOptions>;

/** The plan and the options of a wave, as responses and approvals show them. */
export interface PlannedWave {
  plan: {
    create_from: string | null;
    create_until: string | null;
    supply_start_from: string | null;
    supply_start_to: string | null;
    expected_accounts: number | null;
  };
  options: WaveOptions;
}

/** Accounts that a supplier delivers for one wave, at most. */
const EXPECTED_MAX = 10_000_000;

const wavePlan = Type.Object(
  {
    create_from: Type.Optional(text(64, 'date-time')),
    create_until: Type.Optional(text(64, 'date-time')),
    supply_start_from: Type.Optional(text(10, 'date')),
    supply_start_to: Type.Optional(text(10, 'date')),
    expected_accounts: Type.Optional(integer(1, EXPECTED_MAX)),
  },
  CLOSED,
);

/** Body of `POST waves/`. */
export const createWaveSchema = Type.Object(
  {
    import_supplier: requiredText(),
    name: requiredText(200, 'no-control-characters'),
    operations_team_name: requiredText(),
    plan: Type.Optional(wavePlan),
    options: Type.Optional(waveOptions),
  },
  CLOSED,
);
export type CreateWaveRequest = Static<typeof createWaveSchema>;

/** Body of a change that has to be explained. */
export const waveReasonSchema = Type.Object({ reason: requiredText(1_000) }, CLOSED);

/** Body of `PATCH waves/<id>/`: absent members stay, null removes a value. */
export const changePlanSchema = Type.Object(
  {
    plan: Type.Optional(
      Type.Object(
        {
          create_from: Type.Optional(nullableText(64, 'date-time')),
          create_until: Type.Optional(nullableText(64, 'date-time')),
          supply_start_from: Type.Optional(nullableText(10, 'date')),
          supply_start_to: Type.Optional(nullableText(10, 'date')),
          expected_accounts: Type.Optional(nullableInteger(1, EXPECTED_MAX)),
        },
        CLOSED,
      ),
    ),
    options: Type.Optional(
      Type.Object(
        {
          canary: Type.Optional(nullableInteger(1, LINES_MAX)),
          stop_after_failures: Type.Optional(
            Type.Object(
              {
                count: Type.Optional(nullableInteger(1, LINES_MAX)),
                percent: Type.Optional(nullableDecimalNumber(0, 100)),
              },
              CLOSED,
            ),
          ),
          max_per_second: Type.Optional(nullableInteger(1, 100_000)),
          hold_switches_hours: Type.Optional(nullableInteger(0, 720)),
        },
        CLOSED,
      ),
    ),
    reason: requiredText(1_000),
  },
  CLOSED,
);
export type ChangePlanRequest = Static<typeof changePlanSchema>;

/** Body of `POST waves/<id>/exclude/`: accounts by number, or all that are faulty now. */
export const excludeSchema = Type.Object(
  {
    accounts: Type.Optional(list(requiredKey(128))),
    faulty: Type.Optional(Type.Boolean()),
    reason: requiredText(1_000),
  },
  CLOSED,
);
export type ExcludeRequest = Static<typeof excludeSchema>;

/** Body of `POST waves/<id>/move/`: accounts of other open waves. */
export const moveSchema = Type.Object({ accounts: list(requiredKey(128), 1), reason: requiredText(1_000) }, CLOSED);
export type MoveRequest = Static<typeof moveSchema>;

/** The wave that examples show. */
export const EXAMPLE_WAVE = '019ac3f2-8b21-7d3c-9e4f-6a7b8c9d0e1f';
/** The id of a wave. */
export const waveId = () => Type.String({ examples: [EXAMPLE_WAVE] });

/** The wave in a path. */
export const wavePath = {
  wave: { description: 'The `wave_id` from the response that opened the wave.', example: EXAMPLE_WAVE },
};

const pausedBecause = () =>
  answeredChoice(wavePauseReasons, { description: 'Why the wave is paused; null unless its status is PAUSED.' });

/** The status of a wave after a change. */
export const changedWave = Type.Object(
  { wave_id: waveId(), status: requiredChoice(waveStatuses), paused_because: pausedBecause() },
  { title: 'ChangedWave' },
);

const counts = Type.Object(
  {
    accounts: Type.Integer({ description: 'Members of the wave.' }),
    excluded: Type.Integer({ description: 'Accounts and lines that the wave leaves out, with a reason.' }),
    pending: Type.Integer({ description: 'Members that can be created.' }),
    created: Type.Integer(),
    rejected: Type.Integer({ description: 'Members that creation rejected, until they are staged again.' }),
    skipped: Type.Integer({ description: 'Members that operators marked to be skipped.' }),
    quarantined: Type.Integer(),
    failed_attachments: Type.Integer({
      description: 'Lines of attachments that failed, without those corrected or excluded.',
    }),
    invalid_lines: Type.Integer({ description: 'Lines of uploads that failed, without those corrected or excluded.' }),
    not_rehearsed: Type.Integer({ description: 'Pending members without a rehearsal of their present revision.' }),
    failed_rehearsal: Type.Integer({
      description: 'Those of them that the last rehearsal rejected in their present revision.',
    }),
    not_approved: Type.Integer({ description: 'Pending members without an approval of their present revision.' }),
    switches: Type.Object(
      { pending: Type.Integer(), in_progress: Type.Integer(), rejected: Type.Integer(), completed: Type.Integer() },
      { description: 'Created accounts by the status of their switch.' },
    ),
  },
  {
    title: 'WaveCounts',
    examples: [
      {
        accounts: 12_400,
        excluded: 3,
        pending: 12_397,
        created: 0,
        rejected: 0,
        skipped: 0,
        quarantined: 0,
        invalid_lines: 0,
        failed_attachments: 0,
        not_rehearsed: 0,
        failed_rehearsal: 0,
        not_approved: 12_397,
        switches: { pending: 0, in_progress: 0, rejected: 0, completed: 0 },
      },
    ],
  },
);

const supplyStarts = Type.Object(
  {
    requests_from: answeredText({
      format: 'date',
      description:
        'The day on which the first switches of the wave can be requested: after its creation and `hold_switches_hours`.',
    }),
    before_requests: Type.Integer({ description: 'Rehearsed accounts whose supply starts before that day.' }),
    within_lead_time: Type.Integer({
      description: 'Further ones whose switch cannot be requested as many days before as the industry needs.',
    }),
    earliest: answeredText({ format: 'date', description: 'The earliest supply start of these accounts.' }),
    examples: Type.Array(Type.String(), { description: 'The first three of these accounts, by external number.' }),
    link: answeredText({ description: 'The list of these accounts, below the address of the API.' }),
  },
  {
    title: 'EarlySupplyStarts',
    examples: [
      {
        requests_from: '2026-12-13',
        before_requests: 0,
        within_lead_time: 0,
        earliest: null,
        examples: [],
        link: null,
      },
    ],
  },
);

const gate = Type.Object(
  {
    name: requiredChoice(gateNames, { examples: ['rehearsed'] }),
    state: requiredChoice(gateStates, { examples: ['passed'] }),
    evidence: Type.String({
      description: 'What the state follows from.',
      examples: ['The rehearsal tried all 12,397 accounts in their present revision.'],
    }),
    link: answeredText({
      description: 'Where to see it, below the address of the API.',
      examples: ['/v1/data-import/import-jobs/019ac3f2-7c51-7c6e-9d1f-3a5b7c9d1e2f/'],
    }),
  },
  { title: 'GateOfWave' },
);

const planned = {
  plan: Type.Object({
    create_from: answeredInstant({ examples: ['2026-12-12T22:00:00.000Z'] }),
    create_until: answeredInstant({ examples: ['2026-12-13T05:00:00.000Z'] }),
    supply_start_from: answeredText({ format: 'date', examples: ['2027-01-01'] }),
    supply_start_to: answeredText({ format: 'date', examples: ['2027-01-01'] }),
    expected_accounts: answeredInteger({
      description: 'The accounts that the supplier delivers, if it said so.',
      examples: [12_400],
    }),
  }),
  options: waveOptions,
};

const listedMembers = {
  wave_id: waveId(),
  import_supplier: Type.String(),
  name: Type.String({ examples: ['Brittany 3'] }),
  operations_team_name: Type.String({ examples: ['Migration'] }),
  ...planned,
  status: requiredChoice(waveStatuses, { examples: ['PREPARING'] }),
  paused_because: pausedBecause(),
  rehearsal_job_id: answeredText({ description: 'The last rehearsal.', examples: [EXAMPLE_JOB] }),
  creation_job_id: answeredText({ description: 'The last creation, once it has begun.', examples: [EXAMPLE_JOB] }),
  counts,
  supply_starts: supplyStarts,
  counted_at: requiredInstant({ examples: ['2026-11-20T17:00:00.000Z'] }),
  gate: answeredChoice(gateNames, {
    description: 'The first gate that is not passed; null if all are.',
    examples: ['approved'],
  }),
  accounts_per_second: Type.Number({ description: 'The recent rate of creation.', examples: [1_180.5] }),
  estimated_end_at: answeredInstant({ description: 'Of the creation at this rate; null while nothing is created.' }),
  workflow_id: Type.String({
    description: "The wave's run in the operators' web UI.",
    examples: [`wave/${EXAMPLE_WAVE}`],
  }),
  created_at: requiredInstant({ examples: ['2026-11-20T16:00:00.000Z'] }),
  ended_at: answeredInstant(),
};

/** A wave in a list. */
export const listedWave = Type.Object(listedMembers, { title: 'ListedWave' });

/** The newest approval of a wave. */
const approvalSchema = Type.Object(
  {
    purpose: Type.String({ examples: ['creation'] }),
    requested_by: Type.String({ examples: ['A. Martin'] }),
    requested_at: requiredInstant(),
    reason: Type.String(),
    members: Type.Integer({ examples: [12_397] }),
    ...planned,
    plan_changed: Type.Boolean({
      description: 'Whether the plan or the options changed since the request.',
      examples: [false],
    }),
    decided_by: answeredText({ examples: ['B. Durand'] }),
    decided_at: answeredInstant(),
    decision: answeredText({ examples: ['approved'] }),
    decision_reason: answeredText(),
    changed: answeredInteger({ description: 'Members staged, added or removed since the request.', examples: [0] }),
    changed_accounts: Type.Array(Type.String(), { description: 'The first 100 of them, by external number.' }),
  },
  { title: 'WaveApproval' },
);

/** A wave with its gates and what blocks it. */
export const waveSchema = Type.Object(
  {
    ...listedMembers,
    gates: Type.Array(gate),
    causes: Type.Array(
      Type.Object(
        { code: Type.String({ examples: ['invalid_choice'] }), records: Type.Integer({ examples: [12] }) },
        { title: 'WaveCause' },
      ),
      { description: 'What blocks accounts of the wave, most frequent first; at most ten.' },
    ),
    jobs: Type.Array(
      Type.Object(
        {
          job_id: Type.String({ examples: [EXAMPLE_JOB] }),
          kind: Type.String({ examples: ['accounts'] }),
          goal: Type.String({ examples: ['STAGE'] }),
          name: answeredText({ examples: ['Accounts of November'] }),
          selection: Type.String({
            description: '`wave` for rehearsals and creations of the wave.',
            examples: ['uploaded'],
          }),
          status: Type.String({ examples: ['COMPLETED'] }),
          paused_because: answeredText({ description: 'Why the job is paused; null unless its status is PAUSED.' }),
          accepted: Type.Integer({ examples: [12_400] }),
          succeeded: Type.Integer({ examples: [12_397] }),
          failed: Type.Integer({ examples: [3] }),
        },
        { title: 'WaveJob' },
      ),
      { description: 'The newest 100 jobs of the wave.' },
    ),
    approval: Type.Union([approvalSchema, Type.Null()], {
      description: 'The newest request for approval.',
      examples: [null],
    }),
    manifest: answeredManifest(),
  },
  { title: 'Wave' },
);
