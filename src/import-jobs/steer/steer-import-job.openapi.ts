import type { RouteOpenApi } from '../../platform/http/route-openapi.ts';
import { jobPath, statusReply } from '../import-jobs.openapi.ts';
import { steeringReasonSchema } from '../import-job.schema.ts';

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
    replies: statusReply('The job is cancelled.', 'CANCELLED'),
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
    requestExamples: { reason: { reason: 'The supplier asked for it by telephone.' } },
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
