import { type Actor, recordAudit } from '../../access/index.ts';
import type { Reply, Route } from '../../platform/http/route.ts';
import { compileOperatorBody } from '../../platform/validation/compile-payload.ts';
import { isRefused, refuse, type Refused } from '../../vocabulary/refusals.ts';
import { isUuid } from '../../vocabulary/wire-forms.ts';
import { changeOfAcceptance } from '../import-job.rules.ts';
import { changedJob, jobPath, type SteeringReason, steeringReasonSchema } from '../import-job.schema.ts';
import { changeJob, jobWorkItem, lockJob } from '../import-job.store.ts';
import type { SteerJobDeps } from '../steer/steer-import-job.store.ts';
import { readJobManifest, storeAcceptance } from './manifest.store.ts';

const checkReason = compileOperatorBody<SteeringReason>(steeringReasonSchema);

/** `POST import-jobs/<id>/accept-differences/` for operators: the job continues although its records differ from its manifest. */
export const acceptJobDifferences = (deps: SteerJobDeps): Route => ({
  method: 'POST',
  path: '/v1/operations/import-jobs/:job/accept-differences',
  access: 'operator',
  action: 'manifest.accept',
  bodyLimitBytes: 16_384,
  openApi: {
    operationId: 'acceptDifferencesOfImportJob',
    tag: 'Import jobs',
    summary: 'Accept the differences of a job from its manifest',
    description:
      'Exactly the totals that differ now. A job that is paused for them continues; certificates name them with the reason.',
    page: 'docs/suppliers/proof.md#arrival',
    path: jobPath,
    request: steeringReasonSchema,
    requestExamples: { reason: { reason: 'The supplier removed two test customers after its count.' } },
    replies: {
      200: { description: 'The differences are accepted.', schema: changedJob, example: { status: 'RUNNING' } },
    },
    refusals: ['import_job_not_found', 'manifest_not_compared'],
  },
  handle: (request) => acceptDifferencesOfJob(deps, request),
});

/** Accepts the differences of a job as an operator, by the API or by a form of the support site. */
export async function acceptDifferencesOfJob(
  { database, runs }: SteerJobDeps,
  { params, body, caller }: { params: Readonly<Record<string, string>>; body: unknown; caller: Actor },
): Promise<Reply | Refused> {
  const sent = checkReason(body);
  if (isRefused(sent)) return sent;
  const jobId = params['job'] ?? '';
  const outcome = await database.transaction(async (em) => {
    const job = isUuid(jobId) ? await lockJob(em, jobId) : undefined;
    if (job === undefined) return refuse('import_job_not_found');
    const compared = await readJobManifest(em, job);
    if (compared === undefined || compared.differences.length === 0) return refuse('manifest_not_compared');
    const { manifest, differences } = compared;
    await storeAcceptance(em, manifest, { differences, actor: caller, reason: sent.reason });
    await recordAudit(em, caller, {
      action: 'import_job.differences_accepted',
      subject: `import-jobs/${job.id}`,
      after: { manifest_sha256: manifest.sha256, differences },
      reason: sent.reason,
    });
    const change = changeOfAcceptance(job);
    return change === undefined ? job : changeJob(em, job, change);
  });
  if (isRefused(outcome)) return outcome;
  if (outcome.startedAt !== null && outcome.endedAt === null) void runs.start([jobWorkItem(outcome)]);
  const { id, status, pausedBecause } = outcome;
  return { status: 200, body: { job_id: id, status, paused_because: pausedBecause } };
}
