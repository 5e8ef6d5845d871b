import type { Route } from '../../platform/http/route.ts';
import { compileOperatorBody } from '../../platform/validation/compile-operator-body.ts';
import { isRefused } from '../../vocabulary/refusals.ts';
import { changeOfCancel, changeOfPause, changeOfResume } from '../import-job.rules.ts';
import { steeringReasonSchema, type SteeringReason } from '../import-job.schema.ts';
import { steerJob, type SteerJobDeps } from './steer-import-job.store.ts';
import { steerJobAsOperatorOpenApi, steerJobOpenApi } from './steer-import-job.openapi.ts';

const steerings = {
  pause: { action: 'import_job.paused', change: changeOfPause },
  resume: { action: 'import_job.resumed', change: changeOfResume },
  cancel: { action: 'import_job.cancelled', change: changeOfCancel },
} as const;
/** What can be asked of a job that was started. */
export type JobVerb = keyof typeof steerings;

const checkReason = compileOperatorBody<SteeringReason>(steeringReasonSchema);

/** `POST import-jobs/<id>/pause/`, `resume/` and `cancel/`: each may be sent twice. */
export const changeImportJob = (verb: JobVerb, deps: SteerJobDeps): Route => ({
  method: 'POST',
  path: `/v1/data-import/import-jobs/:job/${verb}`,
  access: 'supplier',
  openApi: steerJobOpenApi[verb],
  handle: (request) => steerJob(deps, request, { ...steerings[verb], viewer: request.caller }),
});

/** The same for operators, on any job; pause and cancel take the reason, which is kept in the audit. */
export const changeImportJobAsOperator = (verb: JobVerb, deps: SteerJobDeps): Route => ({
  method: 'POST',
  path: `/v1/operations/import-jobs/:job/${verb}`,
  access: 'operator',
  action: 'import-job.steer',
  openApi: steerJobAsOperatorOpenApi[verb],
  ...(verb === 'resume' ? {} : { bodyLimitBytes: 16_384 }),
  handle: async (request) => {
    const sent = verb === 'resume' ? { reason: undefined } : checkReason(request.body);
    if (isRefused(sent)) return sent;
    return steerJob(deps, request, { ...steerings[verb], viewer: undefined, reason: sent.reason });
  },
});
