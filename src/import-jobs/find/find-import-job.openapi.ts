import { Type } from 'typebox';
import { idCursor } from '../../platform/http/cursor-schema.ts';
import type { RouteOpenApi } from '../../platform/http/route-openapi.ts';
import { answeredText, requiredChoice, requiredInstant } from '../../platform/validation/field-types.schema.ts';
import {
  importJobGoals,
  importJobKinds,
  importJobSelections,
  importJobStatuses,
} from '../../vocabulary/import-jobs.ts';
import { membersOf } from '../../vocabulary/value-sets.ts';
import { causeSchema } from '../results/results.schema.ts';
import { importJobOptions } from '../import-job.schema.ts';
import { EXAMPLE_JOB, jobPath, partSchema, pausedBecause } from '../import-jobs.openapi.ts';

const listedMembers = () => ({
  job_id: Type.String(),
  import_supplier: Type.String(),
  kind: requiredChoice(importJobKinds),
  goal: requiredChoice(importJobGoals),
  name: answeredText(),
  operations_team_name: answeredText(),
  selection: requiredChoice(importJobSelections),
  options: importJobOptions,
  status: requiredChoice(importJobStatuses),
  paused_because: pausedBecause(),
  counts: Type.Object(
    { accepted: Type.Integer(), succeeded: Type.Integer(), failed: Type.Integer(), unprocessed: Type.Integer() },
    { description: 'Records; `accepted` is 0 until the start. The other three always add up to `accepted`.' },
  ),
  steps: Type.Object(
    { judged: Type.Integer(), staged: Type.Integer(), created: Type.Integer() },
    { description: 'Records that have passed each step of the goal.' },
  ),
  warnings: Type.Integer({ description: 'Records that have a warning.' }),
  lines_per_second: Type.Number({ description: 'The recent rate.' }),
  estimated_end_at: answeredText({
    format: 'date-time',
    description: 'At the current rate; null while the job does not run.',
  }),
  workflow_id: Type.String({ description: "The job's run in the operators' web UI." }),
  created_at: requiredInstant(),
  started_at: answeredText({ format: 'date-time' }),
  ended_at: answeredText({ format: 'date-time' }),
});

/** A job in a list. */
export const listedJob = () => Type.Object(listedMembers(), { title: 'ListedImportJob' });

const job = () =>
  Type.Object(
    {
      ...listedMembers(),
      causes: Type.Array(causeSchema, { description: 'The ten causes that block most records; `causes/` lists all.' }),
      parts: Type.Array(partSchema()),
    },
    { title: 'ImportJob' },
  );

/** The example job in a list. */
export const listedExample = {
  job_id: EXAMPLE_JOB,
  import_supplier: 'SUPPLIER_FR',
  kind: 'accounts',
  goal: 'CREATE',
  name: 'Migration of November',
  operations_team_name: 'Migration',
  selection: 'uploaded',
  options: { canary: 100 },
  status: 'RUNNING',
  paused_because: null,
  counts: { accepted: 10_000, succeeded: 4_200, failed: 37, unprocessed: 5_763 },
  steps: { judged: 10_000, staged: 9_963, created: 4_200 },
  warnings: 12,
  lines_per_second: 1_180.5,
  estimated_end_at: '2026-11-20T17:00:15.000Z',
  workflow_id: `import-job/${EXAMPLE_JOB}`,
  created_at: '2026-11-20T16:59:50.000Z',
  started_at: '2026-11-20T17:00:00.000Z',
  ended_at: null,
};

const common = {
  path: jobPath,
  replies: {
    200: {
      description: 'The job with its progress.',
      schema: job(),
      example: {
        ...listedExample,
        causes: [
          {
            code: 'invalid_prm',
            place: 'supply_addresses.*.supply_points.*.identifier',
            is_warning: false,
            records: 37,
            alone: 35,
            example: { line: 17, value: '2501498736004' },
            detail: 'The PRM is not 14 digits.',
            remedy: 'Send the 14 digits of the PRM as a string, including leading zeros.',
            page: '/docs/codes/invalid_prm/',
          },
        ],
        parts: [
          {
            part: 1,
            lines: 10_000,
            bytes: 41_216_900,
            sha256: '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08',
          },
        ],
      },
    },
  },
  refusals: ['import_job_not_found'],
} as const satisfies Partial<RouteOpenApi>;

/** `GET import-jobs/<id>/`. */
export const findImportJobOpenApi: RouteOpenApi = {
  ...common,
  operationId: 'findImportJob',
  tag: 'Import jobs',
  summary: 'Read the progress of an import job',
  page: 'docs/suppliers/import-jobs.md',
};

/** The same for operators. */
export const findImportJobForOperatorOpenApi: RouteOpenApi = {
  ...common,
  operationId: 'findImportJobForOperator',
  tag: 'Operations',
  summary: 'Read the progress of any import job',
  page: 'docs/suppliers/import-jobs.md#for-operators',
};

const commonOfList = {
  query: {
    import_supplier: {
      description: 'Only jobs of this import supplier.',
      example: 'SUPPLIER_FR',
      violations: ['null_characters_not_allowed'],
    },
    status: {
      description: 'Only jobs with this status.',
      example: 'PAUSED',
      schema: { type: 'string', enum: membersOf(importJobStatuses) },
      violations: ['invalid_choice'],
    },
    limit: {
      description: 'Jobs per page, 20 by default; the Link header leads to the next page.',
      example: 20,
      schema: { type: 'integer', minimum: 1, maximum: 100 },
      violations: ['invalid'],
    },
    cursor: {
      description: 'Start of the page, from the Link header of the previous page.',
      example: EXAMPLE_JOB,
      schema: idCursor,
      violations: ['invalid'],
    },
  },
  replies: {
    200: {
      description: 'The jobs, without their causes and parts.',
      hasLink: true,
      schema: Type.Array(listedJob()),
      example: [listedExample],
    },
  },
  refusals: ['validation_failed'],
} as const satisfies Partial<RouteOpenApi>;

/** `GET import-jobs/`. */
export const listImportJobsOpenApi: RouteOpenApi = {
  ...commonOfList,
  operationId: 'listImportJobs',
  tag: 'Import jobs',
  summary: 'List the newest import jobs',
  description: 'The jobs of your organization for the import suppliers of your key, newest first.',
  page: 'docs/suppliers/import-jobs.md',
};

/** The same for operators. */
export const listImportJobsForOperatorOpenApi: RouteOpenApi = {
  ...commonOfList,
  operationId: 'listImportJobsForOperator',
  tag: 'Operations',
  summary: 'List the newest import jobs of all suppliers',
  page: 'docs/suppliers/import-jobs.md#for-operators',
};
