import type { EntityManager } from '@mikro-orm/postgresql';
import { type Actor, recordAudit } from '../../access/index.ts';
import type { WritableDatabase } from '../../platform/database/database.ts';
import type { AuthenticatedRequest, Reply } from '../../platform/http/route.ts';
import type { WorkRuns } from '../../platform/temporal/start-run.ts';
import { isRefused, refuse, type Refused } from '../../vocabulary/refusals.ts';
import { isUuid } from '../../vocabulary/wire-forms.ts';
import { changeJob, type JobViewer, jobWorkItem, lockJob } from '../import-job.store.ts';
import { changeOfKeyRevoked, type StateChange } from '../import-job.rules.ts';
import { ImportJob, type ImportJobRecord } from '../import-job.entity.ts';

export interface SteerJobDeps {
  database: WritableDatabase;
  runs: WorkRuns;
}

/** A requested change of status. */
export interface JobSteering {
  /** The name in the audit. */
  action: string;
  /** Undefined for operators, who may change all jobs. */
  viewer: JobViewer | undefined;
  reason?: string | undefined;
  /** Decides the change; undefined if nothing changes. */
  change(job: ImportJobRecord): StateChange | undefined | Refused;
  /** Runs before the change in the same transaction, if anything changes. */
  before?(em: EntityManager, job: ImportJobRecord): Promise<Refused | undefined>;
}

/** Changes the status of the job in the path, records it in the audit and notifies the run. A change without effect returns 200 too. */
export async function steerJob(
  deps: SteerJobDeps,
  { params, caller }: Pick<AuthenticatedRequest, 'params'> & { caller: Actor },
  steering: JobSteering,
): Promise<Reply | Refused> {
  const jobId = params['job'] ?? '';
  const outcome = await deps.database.transaction(async (em) => {
    const job = isUuid(jobId) ? await lockJob(em, jobId, steering.viewer) : undefined;
    if (job === undefined) return refuse('import_job_not_found');
    const change = steering.change(job);
    if (isRefused(change)) return change;
    if (change === undefined) return { job, isChanged: false };
    const refused = await steering.before?.(em, job);
    if (refused) return refused;
    // A supplier's job runs on behalf of the key that started or resumed it; revoking that key pauses the job.
    const changesKey = steering.viewer !== undefined && (job.status === 'OPEN' || job.status === 'PAUSED');
    const changed = await changeJob(em, job, { ...change, ...(changesKey ? { apiKeyId: caller.keyId } : {}) });
    await recordAudit(em, caller, {
      action: steering.action,
      subject: `import-jobs/${job.id}`,
      before: stateOf(job),
      after: stateOf(changed),
      reason: steering.reason,
    });
    return { job: changed, isChanged: true };
  });
  if (isRefused(outcome)) return outcome;
  // Not awaited: the change is committed. An open job has no run.
  if (outcome.isChanged && outcome.job.startedAt !== null) void deps.runs.start([jobWorkItem(outcome.job)]);
  return { status: 200, body: { job_id: outcome.job.id, ...stateOf(outcome.job) } };
}

function stateOf({ status, pausedBecause }: ImportJobRecord) {
  return { status, paused_because: pausedBecause };
}

/** Pauses the jobs that a key started or resumed last, in the transaction that revokes the key. Workers stop before their next page. */
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
