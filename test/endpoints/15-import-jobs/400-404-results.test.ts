import { afterAll, expect, test } from '@jest/globals';
import { startService } from '../../support/harness.ts';
import { storeJob } from '../../support/stored-jobs.ts';

let job: string;
const service = await startService();
afterAll(() => service.stop());
const token = await service.supplierToken(['SUPPLIER_FR']);
job = await storeJob(service.database, token, { pages: ['{}'] });
job = await storeJob(service.database, await service.supplierToken(['SUPPLIER_FR']), { pages: ['{}'] });

test.each([
  ['results/', 'outcome', 'required'],
  ['results/?outcome=done', 'outcome', 'invalid_choice'],
  ['results/?outcome=toString', 'outcome', 'invalid_choice'],
  ['results/?outcome=failed&outcome=failed', 'outcome', 'invalid_choice'],
  ['results/?outcome=failed&form=csv', 'form', 'invalid_choice'],
  ['causes/?only_blocking=perhaps', 'only_blocking', 'invalid'],
])('rejects %s with the name of the parameter %s', async (what, attr, code) => {
  const answer = await service.call('GET', `/v1/data-import/import-jobs/${job}/${what}`, { token });
  expect(answer).toMatchObject({ status: 400, body: { code: 'validation_failed', errors: [{ attr, code }] } });
});

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
