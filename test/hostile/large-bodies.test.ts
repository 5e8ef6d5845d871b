import { Agent } from 'node:http';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, describe, expect, test } from '@jest/globals';
import { startApi } from '../support/api-process.ts';
import { send, startService } from '../support/harness.ts';
import { until } from '../support/until.ts';
import type { WatchedLoop } from '../support/watched-loop.ts';
import { sendOne, type AttackRequest } from './attack-load.ts';
import { largeAccounts, STAGE, VALIDATE } from './large-account-bodies.ts';
import { largeAttachments } from './large-attachment-bodies.ts';
import { small, type Shape } from './large-body.ts';
import { largeBusinesses } from './large-business-bodies.ts';

// Large bodies of many forms, sent concurrently. With FIGURES=1 prints the cost of each on the event loop and in
// memory: the former is not checked, as it depends on the machine; of the latter only the sum over all forms of a
// group is.

/** Number of bodies of each form; `LARGE_BODIES=16` was measured for the documents. */
const AT_ONCE = Number(process.env['LARGE_BODIES'] ?? 2);
const MOST_AT_ONCE = 16;
const WITH_FIGURES = process.env['FIGURES'] !== undefined;
/** For this number of bodies; three megabytes each. */
const MEMORY_MB_KEPT = 3 * AT_ONCE;

const service = await startService({ worker: true });
const api = await startApi(service, {
  NODE_OPTIONS: `--import ${join(import.meta.dirname, '../support/watched-loop.ts')}`,
  // Behind a proxy connections of one address are not limited.
  HTTP_PROXIES: '1',
  // Here every body must be processed, however slow the machine is.
  LARGE_BODY_WAIT_MS: '600000',
});
const tokens = await Promise.all(Array.from({ length: 5 }, () => service.supplierToken(['SUPPLIER_FR'])));
for (let sequence = 0; sequence < AT_ONCE; sequence += 1) await create(sequence);
// Work started below must not run in this process.
await service.stopWorker();
for (let round = 0; round < 100; round += 1) {
  await send(api.url, 'POST', VALIDATE, { token: tokens[0]!, body: small() });
}
// Measured together with the previous one, because measuring costs two garbage collections of a large heap.
await watched();
afterAll(async () => {
  await api?.kill();
  await service.stop();
});

/** An account that can get attachments. */
async function create(sequence: number): Promise<void> {
  const token = tokens[0]!;
  const body = small({ external_account_number: `BIG-${sequence}` }, 900_000 + sequence);
  expect((await service.call('POST', STAGE, { token, body })).status).toBe(201);
  const request = {
    external_account_number: `BIG-${sequence}`,
    import_supplier_code: 'SUPPLIER_FR',
    operations_team_name: 'Migration',
  };
  const path = '/v1/data-import/account-import-process/process/';
  expect((await service.call('POST', path, { token, body: request })).status).toBe(201);
}

async function watched(): Promise<WatchedLoop> {
  const lines = () => api.log.filter((line) => line.startsWith('{"watchedLoop"'));
  const known = lines().length;
  process.kill(api.pid, 'SIGUSR2');
  await until(() => lines().length > known, 10);
  return (JSON.parse(lines().at(-1)!) as { watchedLoop: WatchedLoop }).watchedLoop;
}

function requestsOf({ path, make, isGzipped = false, atOnce = MOST_AT_ONCE }: Shape): AttackRequest[] {
  const count = Math.max(2, Math.ceil((atOnce * AT_ONCE) / MOST_AT_ONCE));
  const bodyOf = (index: number) => {
    const made = make(index);
    const bytes = Buffer.from(typeof made === 'string' ? made : JSON.stringify(made));
    return isGzipped ? gzipSync(bytes) : bytes;
  };
  // A form that ignores the number has one body.
  const only = make.length === 0 ? bodyOf(0) : undefined;
  return Array.from({ length: count }, (_, index) => {
    return { method: 'POST', path, body: only ?? bodyOf(index), isGzipped, token: tokens[index % 5]! };
  });
}

async function sendAll(requests: readonly AttackRequest[]): Promise<Set<string>> {
  const agent = new Agent();
  const answers = await Promise.all(requests.map((request) => sendOne({ url: api.url, token: '' }, request, agent)));
  agent.destroy();
  return new Set(answers.map(({ status }) => status));
}

describe.each([
  ['accounts', largeAccounts],
  ['attachments', largeAttachments],
  ['businesses', largeBusinesses],
])('%s', (_group, shapes) => {
  const kept: number[] = [];

  test.each(shapes.map((shape) => [shape.name, shape] as const))(
    'answers all concurrent large bodies: %s',
    async (name, shape) => {
      if (shape.first) {
        await sendAll(requestsOf(shape.first));
        if (WITH_FIGURES) kept.push((await watched()).keptMb);
      }
      const requests = requestsOf(shape);
      const began = performance.now();
      const statuses = await sendAll(requests);
      const seconds = (performance.now() - began) / 1_000;
      if (WITH_FIGURES) {
        const figures = await watched();
        kept.push(figures.keptMb);
        const { longestMs, longestCpuMs, peakMb, keptMb, residentMb } = figures;
        process.stdout.write(
          `| ${requests.length} x ${name} | ${longestMs} | ${longestCpuMs} | ${peakMb} | ${keptMb} | ${residentMb} | ${seconds.toFixed(1)} s, ${[...statuses].join(' ')} |\n`,
        );
      }
      expect(statuses).toEqual(new Set([String(shape.status)]));
    },
  );

  test('keeps little memory after all of them together', async () => {
    kept.push((await watched()).keptMb);
    expect(kept.reduce((sum, one) => sum + one)).toBeLessThan(MEMORY_MB_KEPT);
  });
});
