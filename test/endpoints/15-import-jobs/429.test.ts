import { afterAll, expect, test } from '@jest/globals';
import { maintainImportJobs } from '../../../src/import-jobs/work-off/maintain-import-jobs.store.ts';
import { startService } from '../../support/harness.ts';
import { IMPORT_JOBS, jobClient, pageCount, someLines } from '../../support/import-jobs.ts';
import { openRaw, type RawConnection } from '../../support/raw-http.ts';
import { keyOfToken } from '../../support/stored-jobs.ts';
import { until } from '../../support/until.ts';

const service = await startService();
afterAll(() => service.stop());

/** What an organisation stores at present. */
const PAGE = someLines(250);

/** Begins an upload that lasts until its connection ends. */
async function beginUpload(token: string, jobId: string): Promise<RawConnection> {
  const raw = await openRaw(service.url);
  raw.write(
    `PUT ${IMPORT_JOBS}${jobId}/parts/1/ HTTP/1.1\r\nHost: x\r\nAuthorization: Token ${token}\r\n` +
      `Content-Type: application/x-ndjson\r\nTransfer-Encoding: chunked\r\n\r\n${PAGE.length.toString(16)}\r\n${PAGE}\r\n`,
  );
  return raw;
}

test('limits an organisation to two concurrent uploads: others continue, and its next one is rate limited', async () => {
  const [greedy, other] = [await jobClient(service), await jobClient(service)];
  const jobId = await greedy.open();
  const held = [await beginUpload(greedy.token, jobId), await beginUpload(greedy.token, jobId)];
  await until(async () => (await pageCount(service, jobId)) === 2);
  const waiting = greedy.put(jobId, 2, someLines(3));
  expect((await other.put(await other.open(), 1, someLines(3))).status).toBe(200);
  const answer = await waiting;
  expect(answer).toMatchObject({ status: 429, body: { code: 'throttled' } });
  expect(Number(answer.headers['retry-after'])).toBeGreaterThan(0);
  for (const { socket } of held) socket.destroy();
  expect((await greedy.put(jobId, 2, someLines(3))).status).toBe(200);
  // Nothing of an interrupted upload is kept.
  await until(async () => (await pageCount(service, jobId)) === 1);
}, 60_000);

test('ends slow uploads of other organisations, which block no organisation', async () => {
  const slow = await Promise.all(Array.from({ length: 3 }, () => jobClient(service)));
  const held: RawConnection[] = [];
  for (const client of slow) {
    const jobId = await client.open();
    held.push(await beginUpload(client.token, jobId), await beginUpload(client.token, jobId));
  }
  const other = await jobClient(service);
  expect((await other.put(await other.open(), 1, someLines(3))).status).toBe(200);
  const answers = await Promise.all(held.map((raw) => raw.answer()));
  for (const { status, body } of answers) {
    expect([status, JSON.parse(body).detail]).toEqual([400, expect.stringContaining('8192 bytes per second')]);
  }
  for (const { socket } of held) socket.destroy();
}, 60_000);

test('limits an organisation to a hundred jobs that have not ended', async () => {
  const client = await jobClient(service);
  const { organisation } = await keyOfToken(service.database, client.token);
  await service.database.pool.query(
    `insert into import_job (id, import_supplier, organisation, api_key_id, kind, goal, selection)
     select gen_random_uuid(), 'SUPPLIER_FR', $1, gen_random_uuid(), 'notes', 'IMPORT', 'uploaded' from generate_series(1, 100)`,
    [organisation],
  );
  const body = { import_supplier: 'SUPPLIER_FR', kind: 'notes', goal: 'IMPORT' };
  const answer = await service.call('POST', IMPORT_JOBS, { token: client.token, body });
  expect(answer).toMatchObject({ status: 429, body: { code: 'throttled' } });
  await service.database.pool.query(`update import_job set status = 'CANCELLED' where organisation = $1`, [
    organisation,
  ]);
  expect((await service.call('POST', IMPORT_JOBS, { token: client.token, body })).status).toBe(201);
});

test('limits the bytes that an organisation stores, including cancelled jobs', async () => {
  const [greedy, other] = [await jobClient(service), await jobClient(service)];
  const jobId = await greedy.open();
  expect((await greedy.put(jobId, 1, someLines(3))).status).toBe(200);
  await service.database.pool.query('update import_job_part set stored_bytes = $2 where job_id = $1', [jobId, 2e10]);
  await greedy.post(jobId, 'cancel');
  const refused = await greedy.put(await greedy.open(), 1, someLines(3));
  expect(refused).toMatchObject({
    status: 429,
    body: { code: 'throttled', detail: expect.stringContaining('20000000000') },
  });
  expect(Number(refused.headers['retry-after'])).toBeGreaterThan(0);
  expect((await other.put(await other.open(), 1, someLines(3))).status).toBe(200);
  // Parts of a cancelled job are deleted within the hour.
  await service.database.pool.query(`update import_job set ended_at = now() - interval '31 minutes' where id = $1`, [
    jobId,
  ]);
  await maintainImportJobs(service.database, service.settings)();
  expect((await greedy.put(await greedy.open(), 1, someLines(3))).status).toBe(200);
});
