import type { EntityManager } from '@mikro-orm/postgresql';
import type { Actor } from '../../access/index.ts';
import type { Reply, Route } from '../../platform/http/route.ts';
import { enqueueWork } from '../../platform/work-items/work-item.store.ts';
import { compileOperatorBody } from '../../platform/validation/compile-operator-body.ts';
import type { PauseReason } from '../../vocabulary/import-jobs.ts';
import { membersIn } from '../../vocabulary/loose-payload.ts';
import { isRefused, refuse, type Refused } from '../../vocabulary/refusals.ts';
import { changeOfCancel, changeOfPause, changeOfResume, changeOfStart, missingParts } from '../import-job.rules.ts';
import { type SteeringReason, steeringReasonSchema } from '../import-job.schema.ts';
import type { ImportJobRecord } from '../import-job.entity.ts';
import { jobWorkItem, numberPages } from '../import-job.store.ts';
import { startImportJobOpenApi, steerJobAsOperatorOpenApi, steerJobOpenApi } from '../import-jobs.openapi.ts';
import { findParts } from '../upload/import-job-part.store.ts';
import { steerJob, type SteerJobDeps } from './steer-import-job.store.ts';

const steerings = {
  pause: { action: 'import_job.paused', change: changeOfPause },
  resume: { action: 'import_job.resumed', change: changeOfResume },
  cancel: { action: 'import_job.cancelled', change: changeOfCancel },
} as const;
/** The changes of status that can be requested after the start. */
export type JobVerb = keyof typeof steerings;

const checkReason = compileOperatorBody<SteeringReason>(steeringReasonSchema);

/** `POST import-jobs/<id>/pause/`, `resume/` and `cancel/`. All are idempotent. */
export const changeImportJob = (verb: JobVerb, deps: SteerJobDeps): Route => ({
  method: 'POST',
  path: `/v1/data-import/import-jobs/:job/${verb}`,
  access: 'supplier',
  openApi: steerJobOpenApi[verb],
  handle: (request) => steerJob(deps, request, { ...steerings[verb], viewer: request.caller }),
});

/** The same for operators, on any job. Pause and cancel require a reason, which is stored in the audit. */
export const changeImportJobAsOperator = (verb: JobVerb, deps: SteerJobDeps): Route => ({
  method: 'POST',
  path: `/v1/operations/import-jobs/:job/${verb}`,
  access: 'operator',
  action: 'import-job.steer',
  openApi: steerJobAsOperatorOpenApi[verb],
  ...(verb === 'resume' ? {} : { bodyLimitBytes: 16_384 }),
  handle: (request) => steerJobAsOperator(deps, verb, request),
});

/** An operator's request, by the API or by a form of the support site. */
interface SteeringOrder {
  params: Readonly<Record<string, string>>;
  body: unknown;
  caller: Actor;
  /** The pause reason that the operator saw. If the job is now paused for another reason, nothing changes. Undefined skips this check. */
  seen?: PauseReason | undefined;
}

/** Pauses, resumes or cancels any job, and records it in the audit. @returns the response of the API */
export async function steerJobAsOperator(
  deps: SteerJobDeps,
  verb: JobVerb,
  { params, body, caller, seen }: SteeringOrder,
): Promise<Reply | Refused> {
  // The approval of a canary requires a reason; for any other resume it is optional.
  const hasReason = verb !== 'resume' || seen === 'canary' || membersIn(body)['reason'] !== undefined;
  const sent = hasReason ? checkReason(body) : { reason: undefined };
  if (isRefused(sent)) return sent;
  const { action, change } = steerings[verb];
  const order = { params, caller };
  return steerJob(deps, order, {
    action,
    change: (job) => (seen === undefined || job.pausedBecause === seen ? change(job) : undefined),
    viewer: undefined,
    reason: sent.reason,
  });
}

/** `POST import-jobs/<id>/start/`: numbers all lines and starts the job. Repeating it has no effect. */
export const startImportJob = (deps: SteerJobDeps): Route => ({
  method: 'POST',
  path: '/v1/data-import/import-jobs/:job/start',
  access: 'supplier',
  openApi: startImportJobOpenApi,
  handle: (request) =>
    steerJob(deps, request, {
      action: 'import_job.started',
      viewer: request.caller,
      change: changeOfStart,
      before: (em, job) => begin(em, job),
    }),
});

async function begin(em: EntityManager, job: ImportJobRecord): Promise<Refused | undefined> {
  if (job.selection === 'uploaded') {
    const parts = await findParts(em, job.id);
    const missing = missingParts(parts.map(({ part }) => part));
    if (missing.length > 0) return partsMissing(missing, parts.length === 0);
    await numberPages(em, job.id);
  }
  await enqueueWork(em, [jobWorkItem(job)]);
  return undefined;
}

function partsMissing(missing: readonly number[], hasNone: boolean): Refused {
  const detail = hasNone
    ? 'The job has no parts. Upload part 1.'
    : `The part numbers have a gap. Upload the missing ${missing.length === 1 ? 'part' : 'parts'} ${missing.join(', ')}.`;
  return refuse('import_job_parts_missing', { detail, extras: { missing_parts: missing } });
}
