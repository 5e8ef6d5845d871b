import type { EntityManager } from '@mikro-orm/postgresql';
import { type Actor, recordAudit } from '../../access/index.ts';
import type { WritableDatabase } from '../../platform/database/database.ts';
import type { AuthenticatedRequest, Reply } from '../../platform/http/route.ts';
import type { WorkRuns } from '../../platform/temporal/start-run.ts';
import { isRefused, refuse, type Refused } from '../../vocabulary/refusals.ts';
import { isUuid } from '../../vocabulary/wire-forms.ts';
import { changeJob, type JobViewer, jobWorkItem, lockJob, findJob, insertJob } from '../import-job.store.ts';
import {
  changeOfKeyRevoked,
  type StateChange,
  changeOfCancel,
  changeOfPause,
  changeOfResume,
  hasEnded,
} from '../import-job.rules.ts';
import { ImportJob, type ImportJobRecord } from '../import-job.entity.ts';
import { sql } from 'kysely';
import { v7 as uuidv7 } from 'uuid';
import { kyselyOf, type Queryable } from '../../platform/database/prepared-query.ts';
import { enqueueWork, signalWork, type WorkItem } from '../../platform/work-items/work-item.store.ts';
import type { ImportJobOptions } from '../import-job.schema.ts';

export interface SteerJobDeps {
  database: WritableDatabase;
  runs: WorkRuns;
}

/** A requested change of status. */
interface JobSteering {
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

/** The wave for which a job is opened. */
interface WaveOfJob {
  id: string;
  importSupplier: string;
  organisation: string;
  apiKeyId: string;
  name: string;
  operationsTeam: string;
}

/** Opens and starts a job over the members of a wave. @returns its id; a refusal if the organization has too many open jobs */
export async function startJobOfWave(
  em: EntityManager,
  wave: WaveOfJob,
  goal: 'REHEARSE' | 'CREATE',
  options: ImportJobOptions,
): Promise<string | Refused> {
  const { id: waveId, importSupplier, organisation, apiKeyId, operationsTeam } = wave;
  const id = uuidv7();
  const refused = await insertJob(em, {
    id,
    importSupplier,
    organisation,
    apiKeyId,
    kind: 'accounts',
    goal,
    selection: 'wave',
    waveId,
    name: wave.name,
    operationsTeam,
    options,
  });
  if (refused) return refused;
  const job = (await lockJob(em, id))!;
  await changeJob(em, job, { status: 'VALIDATING' });
  await enqueueWork(em, [jobWorkItem(job)], 0);
  return id;
}

/** The state of a job of a wave. */
export async function findJobState(
  on: Queryable,
  jobId: string,
): Promise<{ hasEnded: boolean; isPaused: boolean } | undefined> {
  const job = await findJob(on, jobId);
  return job && { hasEnded: hasEnded(job.status), isPaused: job.status === 'PAUSED' };
}

/** The work items of those jobs that were started and have not ended, so that their runs look at once. */
export async function findJobsAtWork(on: Queryable, jobIds: readonly string[]): Promise<WorkItem[]> {
  const items: WorkItem[] = [];
  for (const id of jobIds) {
    const job = await findJob(on, id);
    if (job !== undefined && job.status !== 'OPEN' && !hasEnded(job.status)) items.push(jobWorkItem(job));
  }
  return items;
}

/** The recent rate of a job in lines per second; 0 if it does not run. */
export async function findJobRate(on: Queryable, jobId: string): Promise<number> {
  return (await findJob(on, jobId))?.linesPerSecond ?? 0;
}

/** Accounts of the smallest creation whose rate is measured. */
const MEASURED_MIN = 1_000;

/** The rate of the last large creation job of a supplier, or of any supplier; undefined if there is none. */
export async function findMeasuredRate(on: Queryable, importSupplier: string): Promise<number | undefined> {
  const { rows } = await sql<{ rate: number }>`
    select (succeeded + failed) / greatest(1, extract(epoch from ended_at - started_at))::float8 as rate
    from import_job
    where goal = 'CREATE' and status = 'COMPLETED' and succeeded >= ${MEASURED_MIN} and selection <> 'uploaded'
    order by import_supplier = ${importSupplier} desc, id desc limit 1`.execute(kyselyOf<object>(on));
  return rows[0]?.rate;
}

/** Pauses a job of a wave. A job that has ended stays so. */
export function pauseJobOfWave(em: EntityManager, jobId: string): Promise<void> {
  return change(em, jobId, changeOfPause);
}

/** Resumes a job of a wave, and accepts the reason for its pause. */
export function resumeJobOfWave(em: EntityManager, jobId: string): Promise<void> {
  return change(em, jobId, changeOfResume);
}

/** Cancels a job of a wave. */
export function cancelJobOfWave(em: EntityManager, jobId: string): Promise<void> {
  return change(em, jobId, changeOfCancel);
}

async function change(
  em: EntityManager,
  jobId: string,
  decide: (job: ImportJobRecord) => StateChange | undefined | Refused,
): Promise<void> {
  const job = await lockJob(em, jobId);
  const wanted = job && decide(job);
  if (job === undefined || wanted === undefined || isRefused(wanted)) return;
  const changed = await changeJob(em, job, wanted);
  if (!hasEnded(changed.status)) await signalWork(em, [jobWorkItem(changed)], 0);
}
