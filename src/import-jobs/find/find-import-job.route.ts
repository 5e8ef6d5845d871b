import { workflowIds } from '../../../temporal.config.ts';
import type { Database } from '../../platform/database/database.ts';
import type { Queryable } from '../../platform/database/prepared-query.ts';
import type { AuthenticatedRequest, Reply, Route } from '../../platform/http/route.ts';
import { isRefused, type Refused } from '../../vocabulary/refusals.ts';
import { findImportJobForOperatorOpenApi, findImportJobOpenApi } from './find-import-job.openapi.ts';
import { findJobOfRequest } from '../import-job-request.store.ts';
import type { CauseView } from '../results/results.schema.ts';
import { findCauses } from '../results/import-job-cause.store.ts';
import { findParts } from '../upload/import-job-part.store.ts';
import { countsOf, estimatedEnd, stepsOf } from '../import-job-view.rules.ts';
import { findJobsUnderWay, type ImportJobRecord, type JobViewer } from '../import-job.store.ts';

/** Most causes shown with a job; `causes/` lists all. */
const CAUSES_SHOWN = 10;

/** `GET import-jobs/<id>/`: the progress of a job. Jobs that the key may not see are answered as not found. */
export const findImportJob = (deps: { database: Database }): Route => ({
  method: 'GET',
  path: '/v1/data-import/import-jobs/:job',
  access: 'supplier',
  openApi: findImportJobOpenApi,
  handle: (request) => answer(deps, request, request.caller),
});

/** The same for operators, of any job. */
export const findImportJobForOperator = (deps: { database: Database }): Route => ({
  method: 'GET',
  path: '/v1/operations/import-jobs/:job',
  access: 'operator',
  action: 'look',
  openApi: findImportJobForOperatorOpenApi,
  handle: (request) => answer(deps, request, undefined),
});

async function answer(
  { database }: { database: Database },
  request: AuthenticatedRequest,
  viewer: JobViewer | undefined,
): Promise<Reply | Refused> {
  const found = await readJob(database, request, { viewer, causesMax: CAUSES_SHOWN });
  if (isRefused(found)) return found;
  const parts = await findParts(database, found.job.job_id);
  const shownParts = parts.map(({ part, lines, bytes, sha256 }) => ({ part, lines, bytes, sha256 }));
  return { status: 200, body: { ...found.job, causes: found.causes, parts: shownParts } };
}

/**
 * Reads the job in a path, with its causes.
 * @param wanted `viewer` undefined for operators; `causesMax` undefined for all causes
 */
export async function readJob(
  database: Queryable,
  request: Pick<AuthenticatedRequest, 'params'>,
  { viewer, causesMax }: { viewer: JobViewer | undefined; causesMax: number | undefined },
): Promise<{ job: JobView; causes: CauseView[] } | Refused> {
  const job = await findJobOfRequest(database, request, viewer);
  if (isRefused(job)) return job;
  const causes = await findCauses(database, job.id, causesMax === undefined ? {} : { limit: causesMax });
  return { job: jobView(job), causes };
}

/** Reads the newest jobs that were started and have not ended. */
export async function readJobsUnderWay(database: Queryable, limit: number): Promise<ReturnType<typeof jobView>[]> {
  return (await findJobsUnderWay(database, limit)).map(jobView);
}

/** A job in a list, without causes and parts. */
export type JobView = ReturnType<typeof jobView>;

export function jobView(job: ImportJobRecord) {
  return {
    job_id: job.id,
    import_supplier: job.importSupplier,
    kind: job.kind,
    goal: job.goal,
    name: job.name,
    operations_team_name: job.operationsTeam,
    selection: job.selection,
    options: job.options,
    status: job.status,
    paused_because: job.pausedBecause,
    counts: countsOf(job),
    steps: stepsOf(job),
    warnings: job.warned,
    lines_per_second: Math.round(job.linesPerSecond * 10) / 10,
    estimated_end_at: estimatedEnd(job, Date.now())?.toISOString() ?? null,
    workflow_id: workflowIds.importJob(job.id),
    created_at: job.createdAt.toISOString(),
    started_at: job.startedAt?.toISOString() ?? null,
    ended_at: job.endedAt?.toISOString() ?? null,
  };
}
