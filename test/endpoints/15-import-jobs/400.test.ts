import { gzipSync, zstdCompressSync } from 'node:zlib';
import { afterAll, expect, test } from '@jest/globals';
import { startService } from '../../support/harness.ts';
import { IMPORT_JOBS, jobClient, pageCount, someLines } from '../../support/import-jobs.ts';

const service = await startService();
afterAll(() => service.stop());
const client = await jobClient(service);

const GOOD = { import_supplier: 'SUPPLIER_FR', kind: 'accounts', goal: 'VALIDATE' };

test.each([
  ['another import supplier', { import_supplier: 'SUPPLIER_XX' }, 'import_supplier', 'invalid_choice'],
  ['an unknown kind', { kind: 'meters' }, 'kind', 'invalid_choice'],
  ['a goal of another kind', { goal: 'IMPORT' }, 'goal', 'invalid_choice'],
  ['notes with the goal STAGE', { kind: 'notes', goal: 'STAGE' }, 'goal', 'invalid_choice'],
  ['no team', { goal: 'CREATE' }, 'operations_team_name', 'required'],
  [
    'an unknown team',
    { operations_team_name: 'Nobody' },
    'operations_team_name',
    'operations_team_name_does_not_exist',
  ],
  ['staged accounts with the goal STAGE', { goal: 'STAGE', selection: 'staged' }, 'selection', 'invalid_choice'],
  ['a canary of zero', { options: { canary: 0 } }, 'options.canary', 'min_value'],
  [
    'a failure limit that is not a number',
    { options: { stop_after_failures: {} } },
    'options.stop_after_failures',
    'required',
  ],
  [
    'a percentage above 100',
    { options: { stop_after_failures: { percent: 101 } } },
    'options.stop_after_failures.percent',
    'max_value',
  ],
  ['no hour', { options: { window: { from: '24:00', to: '06:00' } } }, 'options.window.from', 'invalid'],
  ['an empty window', { options: { window: { from: '06:00', to: '06:00' } } }, 'options.window.to', 'invalid'],
  ['a misspelled option', { options: { canari: 100 } }, 'options.canari', 'invalid'],
  [
    'an unknown member of an option',
    { options: { stop_after_failures: { count: 1, rate: 2 } } },
    'options.stop_after_failures.rate',
    'invalid',
  ],
  ['an option outside of options', { canary: 100 }, 'canary', 'invalid'],
  [
    'a manifest of another version of the notation',
    { manifest: { type: 'gangway-manifest/1', canonicalization: 2, kinds: { accounts: {} } } },
    'manifest.canonicalization',
    'max_value',
  ],
  ['a window without an end', { options: { window: { from: '06:00' } } }, 'options.window.to', 'required'],
])('does not open a job: %s', async (_what, change, attr, code) => {
  expect(await service.call('POST', IMPORT_JOBS, { token: client.token, body: { ...GOOD, ...change } })).toMatchObject({
    status: 400,
    body: { code: 'validation_failed', errors: [{ attr, code }] },
  });
});

test('states the expected form, or the name that may be meant', async () => {
  const options = { canari: 100, window: { from: '9', to: '24:00' } };
  const { body } = await service.call('POST', IMPORT_JOBS, { token: client.token, body: { ...GOOD, options } });
  const hour = expect.stringContaining('HH:MM');
  expect(body.errors).toMatchObject([
    { attr: 'options.window.from', detail: hour },
    { attr: 'options.window.to', detail: hour },
    { attr: 'options.canari', detail: expect.stringContaining('Did you mean canary?') },
  ]);
});

test('reports all missing members of a job', async () => {
  const { body } = await service.call('POST', IMPORT_JOBS, { token: client.token, body: {} });
  expect(body.errors.map(({ attr }: { attr: string }) => attr)).toEqual(['import_supplier', 'kind', 'goal']);
});

test.each([
  ['nothing at all', ''],
  ['blank lines', '\n \t\r\n\n'],
  ['a byte order mark alone', '\u{feff}'],
])('rejects a part of %s', async (_what, content) => {
  const jobId = await client.open();
  expect(await client.put(jobId, 1, content)).toMatchObject({
    status: 400,
    body: { code: 'parse_error', detail: expect.stringContaining('no record') },
  });
});

const packed = { gzip: gzipSync(someLines(5_000)), zstd: zstdCompressSync(someLines(5_000)) };
test.each([
  ['content that is not gzip', 'gzip', Buffer.from('{"a":1}\n')],
  ['truncated gzip', 'gzip', packed.gzip.subarray(0, -20)],
  [
    'gzip with a broken byte',
    'gzip',
    Buffer.concat([packed.gzip.subarray(0, 100), Buffer.from('xx'), packed.gzip.subarray(102)]),
  ],
  ['gzip with trailing bytes', 'gzip', Buffer.concat([packed.gzip, Buffer.from('{"a":1}\n')])],
  ['empty gzip', 'gzip', Buffer.alloc(0)],
  ['content that is not zstd', 'zstd', Buffer.from('{"a":1}\n')],
  ['truncated zstd', 'zstd', packed.zstd.subarray(0, -20)],
  ['zstd with trailing bytes', 'zstd', Buffer.concat([packed.zstd, Buffer.from('{"a":1}\n')])],
  ['zstd with a truncated second frame', 'zstd', Buffer.concat([packed.zstd, packed.zstd.subarray(0, -20)])],
])('rejects %s, and stores nothing of it', async (_what, encoding, body) => {
  const jobId = await client.open();
  expect(await client.putRaw(jobId, 1, body, { 'content-encoding': encoding })).toMatchObject({
    status: 400,
    body: { code: 'parse_error' },
  });
  expect(await pageCount(service, jobId)).toBe(0);
});

test.each(['gzip', 'zstd'] as const)(
  'suggests a content encoding for a part compressed with %s without one',
  async (packing) => {
    const jobId = await client.open();
    expect(await client.putRaw(jobId, 1, packed[packing], {})).toMatchObject({
      status: 400,
      body: { code: 'parse_error', detail: expect.stringMatching(`compressed with ${packing}.*Content-Encoding`) },
    });
  },
);

test.each(['0', '01', '-1', '10001', 'x', '1.5'])('rejects %s as part number', async (part) => {
  const jobId = await client.open();
  expect(await client.put(jobId, part, someLines(1))).toMatchObject({
    status: 400,
    body: { code: 'validation_failed', errors: [{ attr: 'part', code: 'invalid' }] },
  });
});

test('rejects the start of a job with missing part numbers, and names them', async () => {
  const jobId = await client.open();
  expect(await client.post(jobId, 'start')).toMatchObject({
    status: 400,
    body: { code: 'import_job_parts_missing', missing_parts: [1] },
  });
  for (const part of [1, 2, 5, 7]) await client.put(jobId, part, someLines(1));
  expect(await client.post(jobId, 'start')).toMatchObject({
    status: 400,
    body: { code: 'import_job_parts_missing', missing_parts: [3, 4, 6], detail: expect.stringContaining('3, 4, 6') },
  });
  for (const part of [3, 4, 6]) await client.put(jobId, part, someLines(1));
  expect((await client.post(jobId, 'start')).status).toBe(200);
});

test('rejects other content and other parts after the start', async () => {
  const jobId = await client.open();
  await client.put(jobId, 1, someLines(3));
  await client.post(jobId, 'start');
  for (const part of [1, 2]) {
    expect(await client.put(jobId, part, someLines(4))).toMatchObject({
      status: 400,
      body: { code: 'import_job_not_open' },
    });
  }
  expect(await pageCount(service, jobId)).toBe(1);
});

test('rejects parts of a job that uses the staged accounts', async () => {
  const jobId = await client.open({ goal: 'CREATE', selection: 'staged', operations_team_name: 'Migration' });
  expect(await client.put(jobId, 1, someLines(1))).toMatchObject({
    status: 400,
    body: { code: 'import_job_not_open', detail: expect.stringContaining('no parts') },
  });
});

test('rejects changes of a job that has ended', async () => {
  const jobId = await client.open();
  await client.put(jobId, 1, someLines(1));
  await client.post(jobId, 'cancel');
  const ended = { status: 400, body: { code: 'import_job_ended', detail: expect.stringContaining('CANCELLED') } };
  for (const verb of ['start', 'pause', 'resume']) expect(await client.post(jobId, verb)).toMatchObject(ended);
  expect(await client.put(jobId, 1, someLines(2))).toMatchObject(ended);
  expect(await client.put(jobId, 2, someLines(2))).toMatchObject(ended);
  await service.database.pool.query(`update import_job set status = 'COMPLETED' where id = $1`, [jobId]);
  expect(await client.post(jobId, 'cancel')).toMatchObject({ status: 400, body: { code: 'import_job_ended' } });
  expect(await client.post(jobId, 'start')).toMatchObject({ status: 200, body: { status: 'COMPLETED' } });
});

test.each([
  ['limit=0', 'limit', 'invalid'],
  ['limit=101', 'limit', 'invalid'],
  ['cursor=x', 'cursor', 'invalid'],
  ['import_supplier=%00', 'import_supplier', 'null_characters_not_allowed'],
])('rejects the list query ?%s', async (query, attr, code) => {
  expect(await service.call('GET', `${IMPORT_JOBS}?${query}`, { token: client.token })).toMatchObject({
    status: 400,
    body: { code: 'validation_failed', errors: [{ attr, code }] },
  });
});
