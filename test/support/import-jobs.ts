import { gzipSync, zstdCompressSync } from 'node:zlib';
import type { Answer, Service } from './harness.ts';

export const IMPORT_JOBS = '/v1/data-import/import-jobs/';
export const OPERATORS_IMPORT_JOBS = '/v1/operations/import-jobs/';
/** The id of a job that does not exist. */
export const UNKNOWN_JOB = '019ac3f2-7c51-7c6e-9d1f-3a5b7c9d1e2f';

const packers = {
  identity: (content: Buffer) => content,
  // The fastest compression, because the tests are about decompression.
  gzip: (content: Buffer) => gzipSync(content, { level: 1 }),
  zstd: (content: Buffer) => zstdCompressSync(content),
} as const;

/** A supplier's requests for a job. */
export interface JobClient {
  token: string;
  open(more?: object): Promise<string>;
  put(jobId: string, part: number | string, content: string | Buffer, encoding?: keyof typeof packers): Promise<Answer>;
  /** Sends bytes unchanged, with these headers. */
  putRaw(jobId: string, part: number | string, body: Buffer, headers: Record<string, string>): Promise<Answer>;
  post(jobId: string, verb: string): Promise<Answer>;
}

/** A supplier with a new key; its jobs validate accounts by default. */
export async function jobClient(service: Service, codes: string[] = ['SUPPLIER_FR']): Promise<JobClient> {
  const token = await service.supplierToken(codes);
  const putRaw: JobClient['putRaw'] = (jobId, part, body, headers) =>
    service.call('PUT', `${IMPORT_JOBS}${jobId}/parts/${part}/`, {
      token,
      body,
      headers: { 'content-type': 'application/x-ndjson', ...headers },
    });
  return {
    token,
    open: async (more = {}) => {
      const body = { import_supplier: codes[0], kind: 'accounts', goal: 'VALIDATE', ...more };
      const answer = await service.call('POST', IMPORT_JOBS, { token, body });
      return answer.body.job_id as string;
    },
    put: (jobId, part, content, encoding = 'identity') =>
      putRaw(
        jobId,
        part,
        packers[encoding](Buffer.from(content as string)),
        encoding === 'identity' ? {} : { 'content-encoding': encoding },
      ),
    putRaw,
    post: (jobId, verb) => service.call('POST', `${IMPORT_JOBS}${jobId}/${verb}/`, { token }),
  };
}

/** Lines for an upload, which does not parse them. */
export function someLines(count: number, from = 1): string {
  return Array.from({ length: count }, (_, index) => `{"external_account_number":"${from + index}"}\n`).join('');
}

/** Reads the stored pages of a job, decompressed. */
export async function storedPages(
  service: Service,
  jobId: string,
): Promise<
  { body: Buffer; physical_lines: number; lines: number; number: number | null; first_line: number | null }[]
> {
  const { rows } = await service.database.pool.query(
    `select p.body, p.physical_lines, p.lines, p.number, p.first_line from import_job_page p
     join import_job_part t on t.upload_id = p.upload_id where t.job_id = $1 order by t.part, p.upload_page`,
    [jobId],
  );
  return rows;
}

/** Number of pages of a job, including those of replaced uploads. */
export async function pageCount(service: Service, jobId: string): Promise<number> {
  const { rows } = await service.database.pool.query(
    'select count(*)::integer as count from import_job_page where job_id = $1',
    [jobId],
  );
  return rows[0].count;
}
