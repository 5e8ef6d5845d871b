import { afterAll, expect, test } from '@jest/globals';
import { startService } from '../../support/harness.ts';
import { IMPORT_JOBS, jobClient, someLines, UNKNOWN_JOB, type JobClient } from '../../support/import-jobs.ts';

const service = await startService();
afterAll(() => service.stop());
await service.database.pool.query(`insert into import_supplier (code, name) values ('SUPPLIER_BE', 'Another')`);
const client = await jobClient(service);
const jobId = await client.open();
await client.put(jobId, 1, someLines(3));

const NOT_FOUND = { status: 404, body: { code: 'import_job_not_found' } };

/** All requests about a job. */
async function requestEverything(of: JobClient, id: string): Promise<void> {
  expect(await service.call('GET', `${IMPORT_JOBS}${id}/`, { token: of.token })).toMatchObject(NOT_FOUND);
  expect(await of.put(id, 1, someLines(4))).toMatchObject(NOT_FOUND);
  for (const verb of ['start', 'pause', 'resume', 'cancel']) expect(await of.post(id, verb)).toMatchObject(NOT_FOUND);
}

test('answers alike for an unknown job and an invalid id', async () => {
  await requestEverything(client, UNKNOWN_JOB);
  await requestEverything(client, 'nothing');
});

test("hides another organisation's job, also from a key of the same import supplier", async () => {
  await requestEverything(await jobClient(service), jobId);
});

test('hides jobs of other import suppliers from a key of the same organisation', async () => {
  const sister = await jobClient(service, ['SUPPLIER_BE']);
  const own = await sister.open();
  await service.database.pool.query(
    'update import_job set organisation = (select organisation from import_job where id = $1) where id = $2',
    [own, jobId],
  );
  await requestEverything(sister, jobId);
  const listed = await service.call('GET', IMPORT_JOBS, { token: sister.token });
  expect(listed.body.map(({ job_id: id }: { job_id: string }) => id)).toEqual([own]);
});

test("hides jobs from an operator's key here: the operator paths audit access", async () => {
  for (const path of ['', 'causes/', 'results/?outcome=failed']) {
    const answer = await service.call('GET', `${IMPORT_JOBS}${jobId}/${path}`, { token: service.operatorToken });
    expect(answer).toMatchObject(NOT_FOUND);
  }
  expect((await service.call('GET', IMPORT_JOBS, { token: service.operatorToken })).body).toEqual([]);
});

test('changes nothing by any of these requests', async () => {
  const { rows } = await service.database.pool.query(
    'select j.status, p.lines from import_job j join import_job_part p on p.job_id = j.id where j.id = $1',
    [jobId],
  );
  expect(rows).toEqual([{ status: 'OPEN', lines: 3 }]);
});
