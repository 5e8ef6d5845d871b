import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { startService, type Service } from '../../support/harness.ts';
import { storeJob } from '../../support/stored-jobs.ts';

let service: Service;
let job: string;
beforeAll(async () => {
  service = await startService();
  job = await storeJob(service.database, await service.supplierToken(['SUPPLIER_FR']), { pages: ['{}'] });
});
afterAll(() => service.stop());

test.each(['causes/', 'results/?outcome=failed'])(
  'answers %s of a job that a key may not see as for an unknown job',
  async (what) => {
    const otherToken = await service.supplierToken(['SUPPLIER_FR']);
    for (const id of [job, '00000000-0000-0000-0000-000000000000', 'no-id', '%00']) {
      const answer = await service.call('GET', `/v1/data-import/import-jobs/${id}/${what}`, { token: otherToken });
      expect(answer).toMatchObject({ status: 404, body: { code: 'import_job_not_found' } });
    }
  },
);
