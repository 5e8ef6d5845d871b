import { setTimeout as sleep } from 'node:timers/promises';
import type { components } from './api.ts';
import { exchangeJson, withKey, type Service } from './exchange.ts';
import { writeLines, type Records } from './lines.ts';
import { assertAllStored, RecordsError, splitIntoParts, uploadParts } from './parts.ts';

export type ImportJob = components['schemas']['ImportJob'];
export type ImportJobRequest = components['schemas']['CreateImportJobRequest'];

const JOBS = '/v1/data-import/import-jobs/';
const POLL_MS = 1_000;
const ENDED: ReadonlySet<string> = new Set(['COMPLETED', 'CANCELLED', 'EXPIRED']);
/** Pauses for these reasons end when a person resumes the job; the others end automatically. */
export const WAIT_FOR_PERSON: ReadonlySet<string> = new Set([
  'asked',
  'canary',
  'too_many_failures',
  'key_revoked',
  'manifest_mismatch',
]);

/**
 * Creates an import job, uploads its records, starts it, and waits until it has ended or is paused until a person decides.
 * @throws RecordsError if there are no records; PartError if the service stored other records
 */
export async function importRecords(service: Service, request: ImportJobRequest, records: Records): Promise<ImportJob> {
  const { job, read } = await uploadParts(service, splitIntoParts(writeLines(records)), () =>
    createJob(service, request),
  );
  if (job === undefined) throw new RecordsError('There are no records.');
  const { job_id: jobId } = job;
  const { parts } = await readJob(service, jobId);
  assertAllStored(read, parts);
  await exchangeJson(service, withKey({ method: 'POST', path: `${pathOf(jobId)}start/` }));
  return waitForJob(service, jobId);
}

/** Waits until a job has ended, or is paused until a person decides. */
export async function waitForJob(service: Service, jobId: string): Promise<ImportJob> {
  for (;;) {
    const job = await readJob(service, jobId);
    const isWaiting = job.status === 'PAUSED' && WAIT_FOR_PERSON.has(job.paused_because ?? '');
    if (ENDED.has(job.status) || isWaiting) return job;
    await sleep(POLL_MS);
  }
}

async function createJob(service: Service, request: ImportJobRequest) {
  const body = JSON.stringify(request);
  const headers = { 'content-type': 'application/json' };
  const sent = withKey({ method: 'POST', path: JOBS, headers, body });
  return { job_id: (await exchangeJson<{ job_id: string }>(service, sent)).job_id, parts: [] };
}

function readJob(service: Service, jobId: string): Promise<ImportJob> {
  return exchangeJson(service, { path: pathOf(jobId), isRepeatable: true });
}

function pathOf(jobId: string): string {
  return `${JOBS}${encodeURIComponent(jobId)}/`;
}
