import { newestPageLimit, readNewestPage, idCursor } from '../../platform/http/newest-page.ts';
import { Type } from 'typebox';
import { workflowIds } from '../../../temporal.config.ts';
import type { Database } from '../../platform/database/database.ts';
import type { Queryable } from '../../platform/database/prepared-query.ts';
import { readRoute, type AuthenticatedRequest, type Reply, type Route } from '../../platform/http/route.ts';
import { forOperators, type RouteOpenApi } from '../../platform/http/route-openapi.ts';
import { isRefused, type Refused } from '../../vocabulary/refusals.ts';
import type { ImportJobRecord } from '../import-job.entity.ts';
import { EXAMPLE_JOB, importJobSchema, jobPath, listedJob } from '../import-job.schema.ts';
import { findJobOfRequest, findJobsUnderWay, findNewestJobs, type JobViewer } from '../import-job.store.ts';
import { readJobManifest } from '../manifest/manifest.store.ts';
import { type ManifestView, viewOfManifest } from '../manifest/manifest-state.rules.ts';
import type { CauseView } from '../results.schema.ts';
import { findCauses } from '../results/import-job-cause.store.ts';
import { findParts } from '../upload/import-job-part.store.ts';
import { importJobStatuses } from '../../vocabulary/import-jobs.ts';

/** Most causes shown with a job; `causes/` lists all. */
const CAUSES_SHOWN = 10;

const findOpenApi: RouteOpenApi = {
  operationId: 'findImportJob',
  tag: 'Import jobs',
  summary: 'Read the progress of an import job',
  page: 'docs/suppliers/import-jobs.md',
  path: jobPath,
  replies: { 200: { description: 'The job with its progress.', schema: importJobSchema } },
  refusals: ['import_job_not_found'],
};

const findForOperatorsOpenApi = forOperators(findOpenApi, {
  summary: 'Read the progress of any import job',
  page: 'docs/suppliers/import-jobs.md#for-operators',
});

/** `GET import-jobs/<id>/`: the progress of a job. Responds 404 for jobs that the key may not see. */
export const findImportJob = (deps: { database: Database }, access: 'supplier' | 'operator'): Route => {
  const openApi = access === 'supplier' ? findOpenApi : findForOperatorsOpenApi;
  return readRoute(access, 'import-jobs/:job', { openApi }, (request, viewer) => findAnswer(deps, request, viewer));
};

async function findAnswer(
  { database }: { database: Database },
  request: AuthenticatedRequest,
  viewer: JobViewer | undefined,
): Promise<Reply | Refused> {
  const found = await readJob(database, request, { viewer, causesMax: CAUSES_SHOWN });
  if (isRefused(found)) return found;
  const parts = await findParts(database, found.job.job_id);
  const shownParts = parts.map(({ part, lines, bytes, sha256 }) => ({ part, lines, bytes, sha256 }));
  return { status: 200, body: { ...found.job, causes: found.causes, parts: shownParts, manifest: found.manifest } };
}

/** A job with its causes and the comparison with its manifest. */
export interface FoundJob {
  job: JobView;
  causes: CauseView[];
  manifest: ManifestView | null;
  /** Since when it is paused. */
  pausedAt: Date | null;
}

/**
 * Reads the job in a path, with its causes and the comparison with its manifest.
 * @param wanted `viewer` undefined for operators; `causesMax` undefined for all causes
 */
export async function readJob(
  database: Queryable,
  request: Pick<AuthenticatedRequest, 'params'>,
  { viewer, causesMax }: { viewer: JobViewer | undefined; causesMax: number | undefined },
): Promise<FoundJob | Refused> {
  const job = await findJobOfRequest(database, request, viewer);
  if (isRefused(job)) return job;
  const causes = await findCauses(database, job.id, causesMax === undefined ? {} : { limit: causesMax });
  const manifest = viewOfManifest(await readJobManifest(database, job));
  return { job: jobView(job), causes, manifest, pausedAt: job.pausedAt };
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
    wave_id: job.waveId,
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

const listOpenApi: RouteOpenApi = {
  operationId: 'listImportJobs',
  tag: 'Import jobs',
  summary: 'List the newest import jobs',
  description: 'The jobs of your organization for the import suppliers of your key, newest first.',
  page: 'docs/suppliers/import-jobs.md',
  query: {
    import_supplier: {
      description: 'Only jobs of this import supplier.',
      example: 'SUPPLIER_FR',
      violations: ['null_characters_not_allowed'],
    },
    status: {
      description: 'Only jobs with this status.',
      example: 'PAUSED',
      schema: { type: 'string', enum: Object.keys(importJobStatuses) },
    },
    limit: newestPageLimit('Jobs per page, 20 by default; the Link header leads to the next page.'),
    cursor: {
      description: 'Start of the page, from the Link header of the previous page.',
      example: EXAMPLE_JOB,
      schema: idCursor,
    },
  },
  replies: {
    200: { description: 'The jobs, without their causes and parts.', hasLink: true, schema: Type.Array(listedJob) },
  },
};

const listForOperatorsOpenApi = forOperators(listOpenApi, {
  summary: 'List the newest import jobs of all suppliers',
  description: '',
  page: 'docs/suppliers/import-jobs.md#for-operators',
});

/** `GET import-jobs/`: the newest jobs that the caller may see, for example to find one whose response was lost. */
export const listImportJobs = ({ database }: { database: Database }, access: 'supplier' | 'operator'): Route => {
  const openApi = access === 'supplier' ? listOpenApi : listForOperatorsOpenApi;
  const route = readRoute(access, 'import-jobs', { openApi }, async ({ query }, viewer) => {
    const page = await readJobs(database, query, viewer);
    if (isRefused(page)) return page;
    const headers: Record<string, string> =
      page.onward === undefined ? {} : { link: `<${route.path}/?${page.onward}>; rel="next"` };
    return { status: 200, body: page.jobs, headers };
  });
  return route;
};

/**
 * Lists the newest jobs that match a query.
 * @param viewer undefined for operators
 * @param limitDefault jobs per page if the query does not limit them
 * @returns the jobs, and the cursor and query of the next page if there are more; a refusal if the query is invalid
 */
export async function readJobs(
  database: Queryable,
  query: URLSearchParams,
  viewer: JobViewer | undefined,
  limitDefault?: number,
): Promise<{ jobs: JobView[]; next: string | undefined; onward: string | undefined } | Refused> {
  const page = readNewestPage(query, importJobStatuses, ['import_supplier'], limitDefault);
  if (isRefused(page)) return page;
  const { before, limit, status, filters } = page;
  const jobs = await findNewestJobs(
    database,
    { before, importSupplier: filters.import_supplier, status, limit },
    viewer,
  );
  const onward = page.nextAfter(jobs);
  return { jobs: jobs.map(jobView), next: onward && jobs.at(-1)?.id, onward };
}

/** Counts of lines; succeeded, failed and unprocessed always add up to accepted. */
function countsOf({ accepted, succeeded, failed }: ImportJobRecord) {
  return { accepted, succeeded, failed, unprocessed: accepted - succeeded - failed };
}

/** How many lines have passed each step of the goal. */
function stepsOf({ goal, judged, staged, succeeded }: ImportJobRecord) {
  return { judged, staged: goal === 'STAGE' ? succeeded : staged, created: goal === 'CREATE' ? succeeded : 0 };
}

/** Lines still to validate plus accounts still to create; the rate counts both. */
function stepsLeft(job: ImportJobRecord): number {
  const { unprocessed } = countsOf(job);
  return job.goal === 'CREATE' ? job.accepted - job.judged + unprocessed : unprocessed;
}

/** When the job ends at the current rate; undefined if it is not running or has no rate yet. */
function estimatedEnd(job: ImportJobRecord, nowMs: number): Date | undefined {
  const isAtWork = job.status === 'VALIDATING' || job.status === 'RUNNING';
  if (!isAtWork || job.linesPerSecond <= 0) return undefined;
  return new Date(nowMs + (stepsLeft(job) / job.linesPerSecond) * 1_000);
}
