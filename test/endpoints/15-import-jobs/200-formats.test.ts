import { afterAll, expect, test } from '@jest/globals';
import { startService } from '../../support/harness.ts';
import { IMPORT_JOBS, jobClient, pageCount } from '../../support/import-jobs.ts';
import { until } from '../../support/until.ts';

const service = await startService({ worker: true });
afterAll(() => service.stop());
const client = await jobClient(service);

const LINE_BYTES_MAX = 1_048_576;
const open = () => client.open({ kind: 'notes', goal: 'VALIDATE' });
const get = async (path: string) => (await service.call('GET', `${IMPORT_JOBS}${path}`, { token: client.token })).body;

async function validated(content: Buffer): Promise<string> {
  const jobId = await open();
  expect((await client.put(jobId, 1, content, 'gzip')).status).toBe(200);
  await client.post(jobId, 'start');
  await until(async () => (await get(`${jobId}/`)).status === 'COMPLETED');
  return jobId;
}

const RECORDS = [{ external_account_number: 'A' }, { external_account_number: 'B' }];
const CSV = 'number,name\nA,Ada\nB,Bob\n';

test.each([
  ['a JSON list', JSON.stringify(RECORDS)],
  ['a JSON list', JSON.stringify(RECORDS, null, 2)],
  ['one JSON document', JSON.stringify(RECORDS[0], null, 2)],
  ['one JSON document', '{ "external_account_number": "A",\n  "notes": []\n}\n'],
  ['CSV', CSV],
  ['CSV', `\uFEFF${CSV.replaceAll(',', ';')}`],
  ['CSV', CSV.replaceAll(',', '\t')],
  ['CSV', CSV.replaceAll(',', '|')],
  ['XML', '<?xml version="1.0"?>\n<accounts>\n<account number="A"/>\n</accounts>\n'],
  ['a JSON list', `${RECORDS.map((record) => JSON.stringify(record)).join(',\n')}\n`],
  ['one JSON document', `{}\n${JSON.stringify(RECORDS[0], null, 2)}\n${JSON.stringify(RECORDS[1], null, 2)}\n`],
  ['a format other than NDJSON', '- number: A\n  name: Ada\n- number: B\n  name: Bob\n- number: C\n'],
  ['a format other than NDJSON', '1\n2\n3\n4\n5\n'],
  ['UTF-16', Buffer.from(`\uFEFF${JSON.stringify(RECORDS[0])}\n`, 'utf16le')],
  ['UTF-16', Buffer.from(`${JSON.stringify(RECORDS[0])}\n`, 'utf16le')],
  ['UTF-16', Buffer.from(`\uFEFF${JSON.stringify(RECORDS[0])}\n`, 'utf16le').swap16()],
] as const)('rejects a part that is %s', async (format, content) => {
  const jobId = await open();
  expect(await client.put(jobId, 1, content as Buffer)).toMatchObject({
    status: 400,
    body: {
      code: 'parse_error',
      detail: expect.stringMatching(new RegExp(`looks like ${format}.*one JSON object per line`)),
    },
  });
  expect(await pageCount(service, jobId)).toBe(0);
});

test('accepts a part whose first records are invalid, and rejects those alone', async () => {
  for (const content of [
    '{"a":"x\ny"}\n{}\n',
    'broken\n{}\n',
    '{"a":1,\n{}\n',
    '1\n2\n',
    'a, b\n{}\n',
    '<a>\n{}\n',
    'a\nb\nc\n{}\n{}\n{}\n',
  ]) {
    expect((await client.put(await open(), 1, content)).status).toBe(200);
  }
});

test('rejects a line that is too long alone, and names its line', async () => {
  const long = (bytes: number) => `{"a":"${'x'.repeat(bytes - 8)}"}`;
  const lines = [
    '{}',
    '',
    long(LINE_BYTES_MAX),
    long(LINE_BYTES_MAX + 1),
    `${long(LINE_BYTES_MAX)}\r`,
    long(5_000_000),
  ];
  const jobId = await validated(Buffer.from(`\uFEFF${lines.join('\n')}`));
  expect((await get(`${jobId}/causes/`)).causes).toContainEqual(
    expect.objectContaining({ code: 'request_too_large', records: 2, example: { line: 4, value: null } }),
  );
  const results = await get(`${jobId}/results/?outcome=failed`);
  const tooLong = results.filter(
    ({ errors }: { errors: { code: string }[] }) => errors[0]!.code === 'request_too_large',
  );
  expect(tooLong.map(({ line, record }: { line: number; record?: unknown }) => [line, record])).toEqual([
    [4, undefined],
    [6, undefined],
  ]);
});

test('returns a line that is not UTF-8 with its original bytes', async () => {
  const latin1 = Buffer.from('{"external_account_number":"A","name":"Zoé"}', 'latin1');
  const jobId = await validated(Buffer.concat([latin1, Buffer.from('\nbroken\n')]));
  const [first, second] = await get(`${jobId}/results/?outcome=failed`);
  expect(Buffer.from(first.record_base64, 'base64')).toEqual(latin1);
  expect(second).toMatchObject({ line: 2, record: 'broken' });
  expect(second.errors[0].detail).toBe(
    'The line is not valid JSON: column 1: strings and member names need double quotes, and the only words are true, false and null.',
  );
  expect(second.record_base64).toBeUndefined();
  const [again] = await get(`${jobId}/results/?outcome=failed&form=resend`);
  expect(Buffer.from(again._record_base64, 'base64')).toEqual(latin1);
});
