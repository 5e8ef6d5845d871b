import type { EntityManager } from '@mikro-orm/postgresql';
import { recordAudit, type Actor } from '../../access/index.ts';
import type { Database } from '../../platform/database/database.ts';
import type { AuthenticatedRequest, Reply } from '../../platform/http/route.ts';
import { isRefused, type Refused } from '../../vocabulary/refusals.ts';
import { isJobId, unknownJob } from '../import-job-request.store.ts';
import type { ImportJobRuns } from '../import-job-runs.client.ts';
import { changeOfKeyRevoked, type StandingChange } from '../import-job.rules.ts';
import { ImportJob } from '../import-job.entity.ts';
import { changeJob, lockJob, type ImportJobRecord, type JobViewer } from '../import-job.store.ts';

/** What a route needs that changes the status of a job. */
export interface SteerJobDeps {
  database: Database;
  runs: ImportJobRuns;
}

/** A change of status as somebody asks for it. */
export interface JobSteering {
  /** As the audit calls it. */
  action: string;
  /** Undefined for operators, who steer all jobs. */
  viewer: JobViewer | undefined;
  reason?: string | undefined;
  /** What it does to a job as it stands. */
  change(job: ImportJobRecord): StandingChange | undefined | Refused;
  /** What else is done with it in the same transaction, if anything changes. */
  before?(em: EntityManager, job: ImportJobRecord): Promise<Refused | undefined>;
}

/** Changes the status of the job in the path with its row of the audit, then tells the run. What changes nothing is answered all the same. */
export async function steerJob(
  deps: SteerJobDeps,
  { params, caller }: Pick<AuthenticatedRequest, 'params'> & { caller: Actor },
  steering: JobSteering,
): Promise<Reply | Refused> {
  const jobId = params['job'] ?? '';
  if (!isJobId(jobId)) return unknownJob();
  const outcome = await deps.database.transaction(async (em) => {
    const job = await lockJob(em, jobId, steering.viewer);
    if (job === undefined) return unknownJob();
    const change = steering.change(job);
    if (isRefused(change)) return change;
    if (change === undefined) return { job, isChanged: false };
    const refused = await steering.before?.(em, job);
    if (refused) return refused;
    // A supplier's job works for the key that started or resumed it: the revocation of that key pauses it.
    const isTakenOver = steering.viewer !== undefined && (job.status === 'OPEN' || job.status === 'PAUSED');
    const changed = await changeJob(em, job, { ...change, ...(isTakenOver ? { apiKeyId: caller.keyId } : {}) });
    await recordAudit(em, caller, {
      action: steering.action,
      subject: `import-jobs/${job.id}`,
      before: standingOf(job),
      after: standingOf(changed),
      reason: steering.reason,
    });
    return { job: changed, isChanged: true };
  });
  if (isRefused(outcome)) return outcome;
  // Not waited for: the change is written down. A job that is open has no run, and gets none.
  if (outcome.isChanged && outcome.job.startedAt !== null) void deps.runs.tell(outcome.job);
  return { status: 200, body: { job_id: outcome.job.id, ...standingOf(outcome.job) } };
}

function standingOf({ status, pausedBecause }: ImportJobRecord) {
  return { status, paused_because: pausedBecause };
}

/** Pauses the jobs that a key started or resumed last, in the transaction that revokes it. A worker stops before its next page. */
export async function pauseJobsOfKey(em: EntityManager, actor: Actor, keyId: string): Promise<void> {
  const started = { apiKeyId: keyId, status: { $in: ['VALIDATING', 'RUNNING', 'PAUSED'] } } as const;
  for (const { id } of await em.find(ImportJob, started, { fields: ['id'], orderBy: { id: 'asc' } })) {
    const job = await lockJob(em, id);
    const change = job?.apiKeyId === keyId ? changeOfKeyRevoked(job) : undefined;
    if (job === undefined || change === undefined) continue;
    await changeJob(em, job, change);
    await recordAudit(em, actor, {
      action: 'import_job.paused',
      subject: `import-jobs/${id}`,
      before: { status: job.status, paused_because: job.pausedBecause },
      after: { status: 'PAUSED', paused_because: 'key_revoked' },
    });
  }
}
