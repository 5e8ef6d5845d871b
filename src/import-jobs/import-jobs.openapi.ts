import { Type } from 'typebox';
import type { ParameterOpenApi, RouteOpenApi } from '../platform/http/route-openapi.ts';
import { requiredChoice } from '../platform/validation/field-types.schema.ts';
import { importJobStatuses, pauseReasons } from '../vocabulary/import-jobs.ts';
import { membersOf } from '../vocabulary/value-sets.ts';
import { createImportJobSchema } from './import-job.schema.ts';

const PAGE = 'docs/suppliers/import-jobs.md';

/** The job that examples show. */
export const EXAMPLE_JOB = '019ac3f2-7c51-7c6e-9d1f-3a5b7c9d1e2f';

/** The job in a path. */
export const jobPath: Readonly<Record<string, ParameterOpenApi>> = {
  job: { description: 'The job_id that was answered when the job was opened.', example: EXAMPLE_JOB },
};

/** Why a job is paused. */
export const pausedBecause = () =>
  Type.Unsafe<string | null>({
    type: ['string', 'null'],
    enum: [...membersOf(pauseReasons), null],
    description: 'Why the job is paused; null unless its status is PAUSED.',
  });

/** A job with its status alone, as changes answer it. */
const jobStatus = () =>
  Type.Object(
    { job_id: Type.String(), status: requiredChoice(importJobStatuses), paused_because: pausedBecause() },
    { title: 'ChangedImportJob' },
  );

/** The answer of what changes the status of a job. */
export const statusReply = (description: string, status: string, because: string | null = null) => ({
  200: { description, schema: jobStatus(), example: { job_id: EXAMPLE_JOB, status, paused_because: because } },
});

/** A part as it is stored. */
export const partSchema = () =>
  Type.Object(
    {
      part: Type.Integer(),
      lines: Type.Integer({ description: 'Records in it.' }),
      bytes: Type.Integer({ description: 'Of the content, unpacked.' }),
      sha256: Type.String({ description: 'Of the content, unpacked; in hexadecimal digits.' }),
    },
    { title: 'ImportJobPart' },
  );

/** `POST import-jobs/`. */
export const createImportJobOpenApi: RouteOpenApi = {
  operationId: 'createImportJob',
  tag: 'Import jobs',
  summary: 'Open an import job',
  description:
    'A job takes records of one kind, a line each; a line is the body of the single call of its kind. It is open for parts until it is started, or for seven days.',
  page: PAGE,
  request: createImportJobSchema,
  rules: {
    import_supplier: ['invalid_choice'],
    goal: ['invalid_choice'],
    selection: ['invalid_choice'],
    operations_team_name: ['required', 'operations_team_name_does_not_exist'],
    'options.stop_after_failures': ['required'],
    'options.window.to': ['invalid'],
  },
  requestExamples: {
    accounts: {
      import_supplier: 'SUPPLIER_FR',
      kind: 'accounts',
      goal: 'CREATE',
      name: 'Migration of November',
      operations_team_name: 'Migration',
      options: { canary: 100, stop_after_failures: { percent: 5 }, window: { from: '20:00', to: '06:00' } },
    },
    notes: { import_supplier: 'SUPPLIER_FR', kind: 'notes', goal: 'IMPORT' },
  },
  replies: {
    201: {
      description: 'The job is open.',
      schema: Type.Object(
        { job_id: Type.String(), status: requiredChoice({ OPEN: 'specified' } as const) },
        { title: 'OpenedImportJob' },
      ),
      example: { job_id: EXAMPLE_JOB, status: 'OPEN' },
    },
  },
  refusals: ['validation_failed'],
};

/** `PUT import-jobs/<id>/parts/<n>/`. */
export const uploadPartOpenApi: RouteOpenApi = {
  operationId: 'uploadImportJobPart',
  tag: 'Import jobs',
  summary: 'Upload a part of an import job',
  description:
    'Lines of JSON (NDJSON), in parts that are numbered from 1 and come in any order. The same content again changes nothing; another one replaces the part while the job is open. Lines are counted and stored, and judged once the job runs: a blank line is no record and keeps its number.',
  page: PAGE,
  path: {
    ...jobPath,
    part: {
      description: 'The number of the part.',
      example: 1,
      schema: { type: 'integer', minimum: 1, maximum: 10_000 },
      violations: ['invalid'],
    },
  },
  replies: {
    200: {
      description: 'The part is stored.',
      schema: partSchema(),
      example: {
        part: 1,
        lines: 10_000,
        bytes: 41_216_900,
        sha256: '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08',
      },
    },
  },
  refusals: ['validation_failed', 'import_job_not_found', 'import_job_not_open', 'import_job_ended'],
};

/** `POST import-jobs/<id>/start/`. */
export const startImportJobOpenApi: RouteOpenApi = {
  operationId: 'startImportJob',
  tag: 'Import jobs',
  summary: 'Start an import job',
  description: 'All parts must be there. A job that was started already stays as it is.',
  page: PAGE,
  path: jobPath,
  replies: statusReply('The job has been started.', 'VALIDATING'),
  refusals: ['import_job_not_found', 'import_job_parts_missing', 'import_job_ended'],
  refusalMembers: {
    import_job_parts_missing: Type.Object({
      missing_parts: Type.Array(Type.Integer(), {
        description: 'Numbers that are missing, at most 20.',
        examples: [[3]],
      }),
    }),
  },
};
