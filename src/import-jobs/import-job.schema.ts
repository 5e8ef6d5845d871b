import { Type, type Static } from 'typebox';
import {
  answeredChoice,
  answeredInstant,
  answeredText,
  choice,
  decimalNumber,
  integer,
  requiredChoice,
  requiredInstant,
  requiredText,
  text,
} from '../platform/validation/field-types.schema.ts';
import {
  importJobGoals,
  importJobKinds,
  importJobSelections,
  importJobStatuses,
  pauseReasons,
} from '../vocabulary/import-jobs.ts';

import { manifestSchema } from '../manifest/manifest.schema.ts';
import { answeredManifest } from './manifest-view.schema.ts';
import { causeSchema } from './results.schema.ts';

/** Most lines of one job. */
export const LINES_MAX = 1_000_000;

/** An hour of the day in Europe/Paris, as `22:00`. */
const hourOfDay = requiredText(5, 'hour-of-day');
/** Unknown members are rejected: if a misspelled `canary` were ignored, the job would create everything. */
const CLOSED = { additionalProperties: false };

/** Options of a job (docs/suppliers/import-jobs.md). */
const importJobOptions = Type.Object(
  {
    canary: Type.Optional(integer(1, LINES_MAX)),
    stop_after_failures: Type.Optional(
      Type.Object(
        { count: Type.Optional(integer(1, LINES_MAX)), percent: Type.Optional(decimalNumber(0, 100)) },
        CLOSED,
      ),
    ),
    window: Type.Optional(Type.Object({ from: hourOfDay, to: hourOfDay }, CLOSED)),
    max_per_second: Type.Optional(integer(1, 100_000)),
  },
  { ...CLOSED, examples: [{ canary: 100 }] },
);
export type ImportJobOptions = Static<typeof importJobOptions>;

/** Body of `POST import-jobs/`. */
export const createImportJobSchema = Type.Object(
  {
    import_supplier: requiredText(),
    kind: requiredChoice(importJobKinds),
    goal: requiredChoice(importJobGoals),
    name: Type.Optional(text(200)),
    operations_team_name: Type.Optional(text()),
    selection: Type.Optional(choice(importJobSelections)),
    wave_id: Type.Optional(text()),
    options: Type.Optional(importJobOptions),
    manifest: Type.Optional(manifestSchema),
  },
  CLOSED,
);
export type CreateImportJobRequest = Static<typeof createImportJobSchema>;

/** Body of an operator's pause or cancel. */
export const steeringReasonSchema = Type.Object({ reason: requiredText() });
export type SteeringReason = Static<typeof steeringReasonSchema>;

/** The job that examples show. */
export const EXAMPLE_JOB = '019ac3f2-7c51-7c6e-9d1f-3a5b7c9d1e2f';
/** The id of a job. */
export const jobId = () => Type.String({ examples: [EXAMPLE_JOB] });

/** The job in a path. */
export const jobPath = {
  job: { description: 'The `job_id` from the response that opened the job.', example: EXAMPLE_JOB },
};

const pausedBecause = () =>
  answeredChoice(pauseReasons, { description: 'Why the job is paused; null unless its status is PAUSED.' });

/** The status of a job after a change. */
export const changedJob = Type.Object(
  { job_id: jobId(), status: requiredChoice(importJobStatuses), paused_because: pausedBecause() },
  { title: 'ChangedImportJob' },
);

/** A part as it is stored. */
export const partSchema = Type.Object(
  {
    part: Type.Integer({ examples: [1] }),
    lines: Type.Integer({ description: 'Number of records in the part.', examples: [10_000] }),
    bytes: Type.Integer({ description: 'Bytes of the content, decompressed.', examples: [41_216_900] }),
    sha256: Type.String({
      description: 'SHA-256 of the decompressed content, in hexadecimal digits.',
      examples: ['9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08'],
    }),
  },
  { title: 'ImportJobPart' },
);

const listedMembers = {
  job_id: jobId(),
  import_supplier: Type.String(),
  kind: requiredChoice(importJobKinds, { examples: ['accounts'] }),
  goal: requiredChoice(importJobGoals, { examples: ['CREATE'] }),
  name: answeredText({ examples: ['Migration of November'] }),
  operations_team_name: answeredText({ examples: ['Migration'] }),
  selection: requiredChoice(importJobSelections, { examples: ['uploaded'] }),
  wave_id: answeredText({
    description: 'The wave of the job, if any.',
    examples: ['019ac3f2-8b21-7d3c-9e4f-6a7b8c9d0e1f'],
  }),
  options: importJobOptions,
  status: requiredChoice(importJobStatuses, { examples: ['RUNNING'] }),
  paused_because: pausedBecause(),
  counts: Type.Object(
    { accepted: Type.Integer(), succeeded: Type.Integer(), failed: Type.Integer(), unprocessed: Type.Integer() },
    {
      description: 'Records; `accepted` is 0 until the start. The other three always add up to `accepted`.',
      examples: [{ accepted: 10_000, succeeded: 4_200, failed: 37, unprocessed: 5_763 }],
    },
  ),
  steps: Type.Object(
    { judged: Type.Integer(), staged: Type.Integer(), created: Type.Integer() },
    {
      description: 'Records that have passed each step of the goal.',
      examples: [{ judged: 10_000, staged: 9_963, created: 4_200 }],
    },
  ),
  warnings: Type.Integer({ description: 'Records that have a warning.', examples: [12] }),
  lines_per_second: Type.Number({ description: 'The recent rate.', examples: [1_180.5] }),
  estimated_end_at: answeredInstant({
    description: 'At the current rate; null while the job does not run.',
    examples: ['2026-11-20T17:00:15.000Z'],
  }),
  workflow_id: Type.String({
    description: "The job's run in the operators' web UI.",
    examples: [`import-job/${EXAMPLE_JOB}`],
  }),
  created_at: requiredInstant({ examples: ['2026-11-20T16:59:50.000Z'] }),
  started_at: answeredInstant({ examples: ['2026-11-20T17:00:00.000Z'] }),
  ended_at: answeredInstant(),
};

/** A job in a list. */
export const listedJob = Type.Object(listedMembers, { title: 'ListedImportJob' });

/** A job with its causes and parts. */
export const importJobSchema = Type.Object(
  {
    ...listedMembers,
    causes: Type.Array(causeSchema, { description: 'The ten causes that block most records; `causes/` lists all.' }),
    parts: Type.Array(partSchema),
    manifest: answeredManifest(),
  },
  { title: 'ImportJob' },
);
