import type { EntityManager } from '@mikro-orm/postgresql';
import { Type } from 'typebox';
import type { Actor } from '../../access/index.ts';
import type { Reply, Route } from '../../platform/http/route.ts';
import { forOperators, type RouteOpenApi } from '../../platform/http/route-openapi.ts';
import { enqueueWork } from '../../platform/work-items/work-item.store.ts';
import { compileOperatorBody } from '../../platform/validation/compile-payload.ts';
import type { PauseReason } from '../../vocabulary/import-jobs.ts';
import { membersIn } from '../../vocabulary/loose-payload.ts';
import { isRefused, refuse, type Refused } from '../../vocabulary/refusals.ts';
import { changeOfCancel, changeOfPause, changeOfResume, changeOfStart, missingParts } from '../import-job.rules.ts';
import { changedJob, jobPath, type SteeringReason, steeringReasonSchema } from '../import-job.schema.ts';
import type { ImportJobRecord } from '../import-job.entity.ts';
import { jobWorkItem, numberPages } from '../import-job.store.ts';
import { beginTotals } from '../manifest/manifest.store.ts';
import { findParts } from '../upload/import-job-part.store.ts';
import { steerJob, type SteerJobDeps } from './steer-import-job.store.ts';

const steerings = {
  pause: { action: 'import_job.paused', change: changeOfPause },
  resume: { action: 'import_job.resumed', change: changeOfResume },
  cancel: { action: 'import_job.cancelled', change: changeOfCancel },
} as const;
/** The changes of status that can be requested after the start. */
export type JobVerb = keyof typeof steerings;

const documented = {
  pause: {
    operationId: 'pauseImportJob',
    summary: 'Pause an import job',
    description:
      'Lines in progress are completed first, within seconds. Pausing a job that was not started has no effect.',
    replies: {
      200: {
        description: 'The job is paused.',
        schema: changedJob,
        example: { status: 'PAUSED', paused_because: 'asked' },
      },
    },
  },
  resume: {
    operationId: 'resumeImportJob',
    summary: 'Resume an import job',
    description: 'Continues a paused job. After a canary or too many failures, this accepts the results so far.',
    replies: { 200: { description: 'The job continues.', schema: changedJob, example: { status: 'RUNNING' } } },
  },
  cancel: {
    operationId: 'cancelImportJob',
    summary: 'Cancel an import job',
    description: 'Processed lines keep their results. The others are unprocessed and can be read as results.',
    replies: { 200: { description: 'The job is canceled.', schema: changedJob, example: { status: 'CANCELLED' } } },
  },
} as const;

const openApiOf = (verb: JobVerb): RouteOpenApi => ({
  ...documented[verb],
  tag: 'Import jobs',
  page: 'docs/suppliers/import-jobs.md',
  path: jobPath,
  refusals: ['import_job_not_found', 'import_job_ended', ...(verb === 'resume' ? (['manifest_differs'] as const) : [])],
});

const withReason: Partial<RouteOpenApi> = {
  request: steeringReasonSchema,
  requestExamples: { reason: { reason: 'Requested by the supplier by telephone.' } },
};

const checkReason = compileOperatorBody<SteeringReason>(steeringReasonSchema);

/** `POST import-jobs/<id>/pause/`, `resume/` and `cancel/`. All are idempotent. */
export const changeImportJob = (verb: JobVerb, deps: SteerJobDeps): Route => ({
  method: 'POST',
  path: `/v1/data-import/import-jobs/:job/${verb}`,
  access: 'supplier',
  openApi: openApiOf(verb),
  handle: (request) => steerJob(deps, request, { ...steerings[verb], viewer: request.caller }),
});

/** The same for operators, on any job. Pause and cancel require a reason, which is stored in the audit. */
export const changeImportJobAsOperator = (verb: JobVerb, deps: SteerJobDeps): Route => ({
  method: 'POST',
  path: `/v1/operations/import-jobs/:job/${verb}`,
  access: 'operator',
  action: 'import-job.steer',
  openApi: forOperators(openApiOf(verb), {
    page: 'docs/suppliers/import-jobs.md#for-operators',
    ...(verb === 'resume' ? {} : withReason),
  }),
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
  // Accepting a canary or failures requires a reason; for any other resume it is optional.
  const isAccepted = seen === 'canary' || seen === 'too_many_failures';
  const hasReason = verb !== 'resume' || isAccepted || membersIn(body)['reason'] !== undefined;
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
  openApi: {
    operationId: 'startImportJob',
    tag: 'Import jobs',
    summary: 'Start an import job',
    description: 'All parts must be uploaded. Starting a job twice has no further effect.',
    page: 'docs/suppliers/import-jobs.md',
    path: jobPath,
    replies: {
      200: { description: 'The job has been started.', schema: changedJob, example: { status: 'VALIDATING' } },
    },
    refusals: ['import_job_not_found', 'import_job_parts_missing', 'import_job_ended'],
    refusalMembers: {
      import_job_parts_missing: Type.Object({
        missing_parts: Type.Array(Type.Integer(), { description: 'The missing numbers, at most 20.', examples: [[3]] }),
      }),
    },
  },
  handle: (request) => steerJob(deps, request, { ...starting, viewer: request.caller }),
});

const starting = { action: 'import_job.started', change: changeOfStart, before: begin };

/** The same for a person of the support site, which has checked that the person may see the job. */
export function startJobForPerson(deps: SteerJobDeps, order: Omit<SteeringOrder, 'body'>): Promise<Reply | Refused> {
  return steerJob(deps, order, { ...starting, viewer: undefined });
}

async function begin(em: EntityManager, job: ImportJobRecord): Promise<Refused | undefined> {
  if (job.selection === 'uploaded') {
    const parts = await findParts(em, job.id);
    const missing = missingParts(parts.map(({ part }) => part));
    if (missing.length > 0) return partsMissing(missing, parts.length === 0);
    await numberPages(em, job.id);
  }
  await beginTotals(em, job);
  await enqueueWork(em, [jobWorkItem(job)]);
  return undefined;
}

function partsMissing(missing: readonly number[], hasNone: boolean): Refused {
  const detail = hasNone
    ? 'The job has no parts. Upload part 1.'
    : `The part numbers have a gap. Upload the missing ${missing.length === 1 ? 'part' : 'parts'} ${missing.join(', ')}.`;
  return refuse('import_job_parts_missing', { detail, extras: { missing_parts: missing } });
}
