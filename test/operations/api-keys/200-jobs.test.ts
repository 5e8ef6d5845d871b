import { afterAll, expect, test } from '@jest/globals';
import { startService } from '../../support/harness.ts';
import { IMPORT_JOBS, jobClient, OPERATORS_IMPORT_JOBS, someLines, type JobClient } from '../../support/import-jobs.ts';
import { keyOfToken } from '../../support/stored-jobs.ts';

// The revocation of a key pauses the import jobs that it started or resumed last.

const service = await startService();
afterAll(() => service.stop());

/** Two keys of one organisation. */
async function twoKeys(): Promise<[JobClient, JobClient]> {
  const [one, other] = [await jobClient(service), await jobClient(service)];
  const ids = await Promise.all([one, other].map(({ token }) => keyOfToken(service.database, token)));
  await service.database.pool.query(
    'update api_key set organisation_id = (select organisation_id from api_key where id = $1) where id = $2',
    ids.map(({ keyId }) => keyId),
  );
  return [one, other];
}

async function startedBy(client: JobClient): Promise<string> {
  const jobId = await client.open();
  await client.put(jobId, 1, someLines(3));
  expect((await client.post(jobId, 'start')).status).toBe(200);
  return jobId;
}

async function revoke({ token }: JobClient): Promise<void> {
  const { keyId } = await keyOfToken(service.database, token);
  const path = `/v1/operations/api-keys/${keyId}/`;
  expect((await service.call('DELETE', path, { token: service.operatorToken })).status).toBe(200);
}

const statusOf = async (jobId: string) => {
  const { body } = await service.call('GET', `${OPERATORS_IMPORT_JOBS}${jobId}/`, { token: service.operatorToken });
  return [body.status, body.paused_because];
};

test('pauses running jobs, also those that would resume automatically, with an audit entry', async () => {
  const [stolen] = await twoKeys();
  const [running, waiting, open] = [await startedBy(stolen), await startedBy(stolen), await stolen.open()];
  await service.database.pool.query(
    `update import_job set status = 'PAUSED', paused_because = 'outside_window' where id = $1`,
    [waiting],
  );
  await revoke(stolen);
  expect(await statusOf(running)).toEqual(['PAUSED', 'key_revoked']);
  expect(await statusOf(waiting)).toEqual(['PAUSED', 'key_revoked']);
  expect(await statusOf(open)).toEqual(['OPEN', null]);
  const { rows } = await service.database.pool.query(
    `select action, after from audit_entry where subject = $1 and action = 'import_job.paused'`,
    [`import-jobs/${running}`],
  );
  expect(rows).toEqual([{ action: 'import_job.paused', after: { status: 'PAUSED', paused_because: 'key_revoked' } }]);
  const resume = `${OPERATORS_IMPORT_JOBS}${running}/resume/`;
  expect((await service.call('POST', resume, { token: service.operatorToken })).body.status).toBe('VALIDATING');
  const cancel = `${OPERATORS_IMPORT_JOBS}${waiting}/cancel/`;
  const answer = await service.call('POST', cancel, { token: service.operatorToken, body: { reason: 'Stolen key.' } });
  expect(answer.body.status).toBe('CANCELLED');
});

test('leaves the jobs of other keys of the organisation, which may resume a paused job and then answer for it', async () => {
  const [stolen, other] = await twoKeys();
  const [jobId, theirs] = [await startedBy(stolen), await startedBy(other)];
  await revoke(stolen);
  expect(await statusOf(theirs)).toEqual(['VALIDATING', null]);
  expect((await service.call('POST', `${IMPORT_JOBS}${jobId}/resume/`, { token: other.token })).status).toBe(200);
  expect(await statusOf(jobId)).toEqual(['VALIDATING', null]);
  await revoke(other);
  expect(await statusOf(jobId)).toEqual(['PAUSED', 'key_revoked']);
});
