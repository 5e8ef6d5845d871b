import { createHash } from 'node:crypto';
import { v7 as uuidv7 } from 'uuid';
import { insertPage } from '../../src/import-jobs/import-job-page.store.ts';
import type { ImportJobRecord } from '../../src/import-jobs/import-job.entity.ts';
import { findJob, jobWorkItem, numberPages } from '../../src/import-jobs/import-job.store.ts';
import type { ImportJobOptions } from '../../src/import-jobs/import-job.schema.ts';
import type { Database } from '../../src/platform/database/database.ts';
import { startRun } from '../../src/platform/temporal/start-run.ts';
import type { TemporalGateway } from '../../src/platform/temporal/temporal-gateway.ts';
import { enqueueWork } from '../../src/platform/work-items/work-item.store.ts';
import type { ImportJobGoal, ImportJobKind, ImportJobSelection } from '../../src/vocabulary/import-jobs.ts';
import { until } from './until.ts';

/** A job to insert into the tables directly. */
export interface JobToPut {
  goal: ImportJobGoal;
  kind?: ImportJobKind;
  importSupplier?: string;
  operationsTeam?: string | null;
  selection?: ImportJobSelection;
  options?: ImportJobOptions;
  /** Objects, or lines as text. */
  lines?: readonly (object | string)[];
  linesOfPage?: number;
}

/** Stores a started job with its pages and its work item; `startJob` or the dispatcher starts its run. */
export async function putJob(database: Database, job: JobToPut): Promise<string> {
  const id = uuidv7();
  const uploadId = uuidv7();
  const { lines = [], linesOfPage = 250, importSupplier = 'SUPPLIER_FR' } = job;
  await database.transaction(async (em) => {
    await em.execute(
      `insert into import_job (id, import_supplier, organisation, api_key_id, kind, goal, selection, operations_team, options, status, started_at)
       values (?, ?, 'Tests', ?, ?, ?, ?, ?, ?::jsonb, 'VALIDATING', now())`,
      [
        id,
        importSupplier,
        uuidv7(),
        job.kind ?? 'accounts',
        job.goal,
        job.selection ?? 'uploaded',
        job.operationsTeam === undefined ? 'Migration' : job.operationsTeam,
        JSON.stringify(job.options ?? {}),
      ],
    );
    for (let from = 0; from < lines.length; from += linesOfPage) {
      const some = lines
        .slice(from, from + linesOfPage)
        .map((line) => (typeof line === 'string' ? line : JSON.stringify(line)));
      await insertPage(em, {
        jobId: id,
        uploadId,
        uploadPage: from / linesOfPage + 1,
        body: Buffer.from(some.join('\n')),
        physicalLines: some.length,
        lines: some.filter((line) => line.trim() !== '').length,
      });
    }
    await em.execute(
      'insert into import_job_part (job_id, part, upload_id, lines, bytes, sha256) values (?, 1, ?, ?, 1, ?)',
      [id, uploadId, lines.length, createHash('sha256').update(id).digest('hex')],
    );
    await numberPages(em, id);
    await enqueueWork(em, [jobWorkItem({ id, importSupplier })]);
  });
  return id;
}

/** Starts the run of a job, like the route. */
export async function startJob(gateway: TemporalGateway, jobId: string, importSupplier = 'SUPPLIER_FR'): Promise<void> {
  await startRun(gateway.client(), jobWorkItem({ id: jobId, importSupplier }));
}

/** Signals the run of a job that the job has changed. */
export async function signalJob(gateway: TemporalGateway, jobId: string): Promise<void> {
  await gateway.client().workflow.getHandle(`import-job/${jobId}`).signal('jobChanged');
}

/** Waits until a job has the expected state, and returns it. */
export async function untilJob(
  database: Database,
  jobId: string,
  isSo: (job: ImportJobRecord) => boolean = ({ status }) => status === 'COMPLETED',
): Promise<ImportJobRecord> {
  let job: ImportJobRecord | undefined;
  await until(async () => {
    job = await findJob(database, jobId);
    return job !== undefined && isSo(job);
  });
  return job!;
}
