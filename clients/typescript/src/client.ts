import createFetchClient, { type Client } from 'openapi-fetch';
import type { Lines, paths } from './api.ts';
import { RefusedError } from './errors.ts';
import { accepted, exchange, retryAfterOf, withKey, type Service, type ServiceRequest } from './exchange.ts';
import { importRecords, waitForJob, type ImportJob, type ImportJobRequest } from './import-jobs.ts';
import { readLines, type Records } from './lines.ts';
import { tokensOfKey } from './tokens.ts';

/** Responses of any length: if the service is gone, the connection ends. */
const LINES_TIMEOUT_MS = 24 * 3_600_000;
/** A client of one service. */
export interface Gangway {
  /** Every call of the API, with types. Rejected requests have `error` instead of `data`. */
  api: Client<paths>;
  /** Yields the lines of a response in NDJSON. */
  lines<Path extends keyof Lines>(path: Path, values: Record<string, string>): AsyncGenerator<Lines[Path]>;
  /**
   * Creates an import job, uploads the records, starts the job, and waits until it has ended or is paused until a person decides.
   * @throws RecordsError if there are no records
   */
  importRecords(request: ImportJobRequest, records: Records): Promise<ImportJob>;
  /** Waits until a job has ended, or is paused until a person decides. */
  waitForJob(jobId: string): Promise<ImportJob>;
}

/**
 * Connects to a service with an API key. No request is sent before the first call. Tokens are renewed, temporary failures retried, and every
 * POST of a supplier gets an Idempotency-Key.
 */
export function connect({ url: given, key }: { url: string; key: string }): Gangway {
  const url = new URL(given).href.replace(/\/+$/, '');
  const tokens = tokensOfKey(url, key);
  const service: Service = { url, token: async (isRejected) => (await tokens(isRejected)).token };
  const api = createFetchClient<paths>({
    baseUrl: url,
    fetch: async (request) => exchange(service, await repeatableRequest(url, request)),
  });
  return {
    api,
    lines: (path, values) => readLinesOf(service, path, values),
    importRecords: (request, records) => importRecords(service, request, records),
    waitForJob: (jobId) => waitForJob(service, jobId),
  };
}

/**
 * The data of a typed call.
 * @throws RefusedError if the service rejected it
 */
export async function dataOf<Data>(
  call: Promise<{ data?: Data | undefined; error?: unknown; response: Response }>,
): Promise<Data> {
  const { data, error, response } = await call;
  if (!response.ok) throw new RefusedError(response.status, error, retryAfterOf(response));
  return data as Data;
}

async function* readLinesOf<Line>(
  service: Service,
  path: string,
  values: Record<string, string>,
): AsyncGenerator<Line> {
  const rest = new URLSearchParams(values);
  const filled = path.replace(/\{(\w+)\}/g, (_all, name: string) => {
    const value = rest.get(name) ?? '';
    rest.delete(name);
    return encodeURIComponent(value);
  });
  const request = { path: `${filled}?${rest}`, timeoutMs: LINES_TIMEOUT_MS, isRepeatable: true };
  yield* readLines<Line>((await accepted(service, await exchange(service, request))).body);
}

/** A request of openapi-fetch in the form that can be sent several times. */
async function repeatableRequest(url: string, request: Request): Promise<ServiceRequest> {
  const { method } = request;
  const path = request.url.slice(url.length);
  const bytes = new Uint8Array(await request.arrayBuffer());
  const sent: ServiceRequest = {
    method,
    path,
    headers: Object.fromEntries(request.headers),
    ...(bytes.length === 0 ? {} : { body: bytes }),
    isRepeatable: method !== 'POST',
  };
  return method === 'POST' && path.startsWith('/v1/data-import/') ? withKey(sent) : sent;
}
