import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';

import { listen } from '../../foundation/listening-server.ts';
import { tableOf } from '../../foundation/table.ts';

export interface DocumentStoreSimulator {
  /** The endpoint to set as DOCUMENT_STORE_ENDPOINT. */
  url: string;
  /** Method and path of all requests so far. */
  readonly requests: readonly string[];
  stop(): Promise<void>;
}

/**
 * Responses by the prefix of a document's file name; any other document exists. `slow-` never responds, `cut-` closes the connection,
 * `busy-` responds 429 with Retry-After, as some stores do.
 */
const MAGIC = tableOf<(response: ServerResponse) => void>({
  'missing-': (response) => end(response, 404),
  'forbidden-': (response) => end(response, 403),
  'down-': (response) => end(response, 503),
  'busy-': (response) => end(response, 429, { 'retry-after': '7' }),
  'slow-': () => {},
  'cut-': (response) => {
    response.destroy();
  },
});

/** Starts a simulator of the part of S3 that gangway uses: signed HEAD requests for objects, buckets by path. */
export async function startDocumentStoreSimulator(
  options: { host?: string; port?: number } = {},
): Promise<DocumentStoreSimulator> {
  const requests: string[] = [];
  const server = createServer((request, response) => {
    requests.push(`${request.method} ${request.url}`);
    answer(request, response);
  });
  return { ...(await listen(server, options)), requests };
}

function answer(request: IncomingMessage, response: ServerResponse): void {
  const [path = ''] = (request.url ?? '').split('?');
  const [, bucket, ...key] = path.split('/').map((part) => decodeURIComponent(part));
  if (request.method !== 'HEAD' || !bucket || key.join('') === '') return end(response, 405);
  if (!request.headers.authorization?.startsWith('AWS4-HMAC-SHA256 Credential=')) return end(response, 403);
  const name = key.at(-1) ?? '';
  const magic = [...MAGIC].find(([start]) => name.startsWith(start))?.[1];
  if (magic === undefined) return end(response, 200, { 'content-length': '1024', etag: '"simulated"' });
  magic(response);
}

function end(response: ServerResponse, status: number, headers: Record<string, string> = {}): void {
  response.writeHead(status, headers).end();
}
