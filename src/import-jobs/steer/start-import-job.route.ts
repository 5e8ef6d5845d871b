import type { EntityManager } from '@mikro-orm/postgresql';
import { enqueueWork } from '../../platform/work-items/work-item.store.ts';
import type { Route } from '../../platform/http/route.ts';
import { refuse, type Refused } from '../../vocabulary/refusals.ts';
import { changeOfStart, missingParts } from '../import-job.rules.ts';
import { findParts } from '../upload/import-job-part.store.ts';
import { jobWorkItem, numberPages, type ImportJobRecord } from '../import-job.store.ts';
import { startImportJobOpenApi } from '../import-jobs.openapi.ts';
import { steerJob, type SteerJobDeps } from './steer-import-job.store.ts';

/** `POST import-jobs/<id>/start/`: numbers all lines and lets the job begin. A job that was started already stays as it is. */
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
    ? 'Nothing was uploaded; upload part 1.'
    : `The numbers of the parts have a gap: ${missing.join(', ')} ${missing.length === 1 ? 'is' : 'are'} missing.`;
  return refuse('import_job_parts_missing', { detail, extras: { missing_parts: missing } });
}
