import { afterAll, expect, test } from '@jest/globals';
import { startService } from '../../support/harness.ts';
import { IMPORT_JOBS, jobClient } from '../../support/import-jobs.ts';

const service = await startService();
afterAll(() => service.stop());
await service.database.pool.query(`insert into import_supplier (code, name) values ('SUPPLIER_BE', 'Another')`);
const client = await jobClient(service, ['SUPPLIER_FR', 'SUPPLIER_BE']);
const jobIds: string[] = [];
for (let number = 1; number <= 5; number += 1) {
  jobIds.unshift(
    await client.open({ import_supplier: number % 2 === 0 ? 'SUPPLIER_BE' : 'SUPPLIER_FR', name: `${number}` }),
  );
}
await (await jobClient(service)).open();

/** Follows the pages from a path on. */
async function pagesFrom(path: string): Promise<string[][]> {
  const pages: string[][] = [];
  for (let next: string | undefined = path; next !== undefined;) {
    const { status, body, headers } = await service.call('GET', next, { token: client.token });
    expect(status).toBe(200);
    pages.push(body.map(({ name }: { name: string }) => name));
    next = /<([^>]+)>; rel="next"/.exec(headers['link'] ?? '')?.[1];
  }
  return pages;
}

test("lists the organisation's jobs only, newest first", async () => {
  const { body } = await service.call('GET', IMPORT_JOBS, { token: client.token });
  expect(body.map(({ job_id: jobId }: { job_id: string }) => jobId)).toEqual(jobIds);
  expect(body[0]).not.toHaveProperty('causes');
  expect(body[0]).not.toHaveProperty('parts');
});

test('leads from page to page by the header Link, also for one import supplier', async () => {
  expect(await pagesFrom(`${IMPORT_JOBS}?limit=2`)).toEqual([['5', '4'], ['3', '2'], ['1']]);
  expect(await pagesFrom(`${IMPORT_JOBS}?import_supplier=SUPPLIER_FR&limit=2`)).toEqual([['5', '3'], ['1']]);
  expect(await pagesFrom(`${IMPORT_JOBS}?import_supplier=SUPPLIER_XX`)).toEqual([[]]);
});
