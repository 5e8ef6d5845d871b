import { Type } from 'typebox';
import type { ParameterOpenApi, RouteOpenApi } from '../platform/http/route-openapi.ts';
import { requiredChoice } from '../platform/validation/field-types.schema.ts';
import { importJobStatuses, pauseReasons } from '../vocabulary/import-jobs.ts';
import { membersOf } from '../vocabulary/value-sets.ts';
import { createImportJobSchema, steeringReasonSchema } from './import-job.schema.ts';

const PAGE = 'docs/suppliers/import-jobs.md';

/** The job that examples show. */
export const EXAMPLE_JOB = '019ac3f2-7c51-7c6e-9d1f-3a5b7c9d1e2f';

/** The job in a path. */
export const jobPath: Readonly<Record<string, ParameterOpenApi>> = {
  job: { description: 'The `job_id` from the response that opened the job.', example: EXAMPLE_JOB },
};

/** Why a job is paused. */
export const pausedBecause = () =>
  Type.Unsafe<string | null>({
    type: ['string', 'null'],
    enum: [...membersOf(pauseReasons), null],
    description: 'Why the job is paused; null unless its status is PAUSED.',
  });

/** The status of a job after a change. */
const jobStatus = () =>
  Type.Object(
    { job_id: Type.String(), status: requiredChoice(importJobStatuses), paused_because: pausedBecause() },
    { title: 'ChangedImportJob' },
  );

/** The response of operations that change the status of a job. */
const statusReply = (description: string, status: string, because: string | null = null) => ({
  200: { description, schema: jobStatus(), example: { job_id: EXAMPLE_JOB, status, paused_because: because } },
});

/** A part as it is stored. */
export const partSchema = () =>
  Type.Object(
    {
      part: Type.Integer(),
      lines: Type.Integer({ description: 'Number of records in the part.' }),
      bytes: Type.Integer({ description: 'Bytes of the content, decompressed.' }),
      sha256: Type.String({ description: 'SHA-256 of the decompressed content, in hexadecimal digits.' }),
    },
    { title: 'ImportJobPart' },
  );

/** `POST import-jobs/`. */
export const createImportJobOpenApi: RouteOpenApi = {
  operationId: 'createImportJob',
  tag: 'Import jobs',
  summary: 'Open an import job',
  description:
    'A job imports records of one kind, one per line; a line is the body of the single request of its kind. Upload parts until the job is started; it expires if it is not started within seven days.',
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
    'Lines of JSON (NDJSON). Parts are numbered from 1 and can be sent in any order. Sending the same content again changes nothing; other content replaces the part while the job is open. Lines are only counted and stored here; the running job validates them. A blank line is not a record but is counted in line numbers.',
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
  description: 'All parts must be uploaded. Starting a job twice has no further effect.',
  page: PAGE,
  path: jobPath,
  replies: statusReply('The job has been started.', 'VALIDATING'),
  refusals: ['import_job_not_found', 'import_job_parts_missing', 'import_job_ended'],
  refusalMembers: {
    import_job_parts_missing: Type.Object({
      missing_parts: Type.Array(Type.Integer(), { description: 'The missing numbers, at most 20.', examples: [[3]] }),
    }),
  },
};

type JobVerb = 'pause' | 'resume' | 'cancel';
type SteeringOpenApi = Readonly<Record<JobVerb, RouteOpenApi>>;

const operations = {
  pause: {
    operationId: 'pauseImportJob',
    summary: 'Pause an import job',
    description:
      'Lines in progress are completed first, within seconds. Pausing a job that was not started has no effect.',
    replies: statusReply('The job is paused.', 'PAUSED', 'asked'),
  },
  resume: {
    operationId: 'resumeImportJob',
    summary: 'Resume an import job',
    description: 'Continues a paused job. After a canary or too many failures, this accepts the results so far.',
    replies: statusReply('The job continues.', 'RUNNING'),
  },
  cancel: {
    operationId: 'cancelImportJob',
    summary: 'Cancel an import job',
    description: 'Processed lines keep their results. The others are unprocessed and can be read as results.',
    replies: statusReply('The job is canceled.', 'CANCELLED'),
  },
} as const;

const common = {
  page: 'docs/suppliers/import-jobs.md',
  path: jobPath,
  refusals: ['import_job_not_found', 'import_job_ended'],
} as const;

function forSupplier(verb: JobVerb): RouteOpenApi {
  return { ...operations[verb], ...common, tag: 'Import jobs' };
}

function forOperator(verb: JobVerb): RouteOpenApi {
  const operation: RouteOpenApi = {
    ...operations[verb],
    ...common,
    operationId: `${operations[verb].operationId}ForOperator`,
    tag: 'Operations',
    page: 'docs/suppliers/import-jobs.md#for-operators',
  };
  if (verb === 'resume') return operation;
  return {
    ...operation,
    request: steeringReasonSchema,
    requestExamples: { reason: { reason: 'Requested by the supplier by telephone.' } },
    refusals: [...common.refusals, 'validation_failed'],
  };
}

/** `POST import-jobs/<id>/pause/`, `resume/`, `cancel/`. */
export const steerJobOpenApi: SteeringOpenApi = {
  pause: forSupplier('pause'),
  resume: forSupplier('resume'),
  cancel: forSupplier('cancel'),
};

/** The same for operators. */
export const steerJobAsOperatorOpenApi: SteeringOpenApi = {
  pause: forOperator('pause'),
  resume: forOperator('resume'),
  cancel: forOperator('cancel'),
};
