import { afterAll, expect, test } from '@jest/globals';
import { recordCauses } from '../../../src/import-jobs/results/import-job-cause.store.ts';
import { violation } from '../../../src/vocabulary/violations.ts';
import { startService } from '../../support/harness.ts';
import { storeJob } from '../../support/stored-jobs.ts';

const FAULT = violation('required', ['customers', 0, 'email']);
const WARNING = { code: 'unknown_member', attr: 'emial', detail: 'Not kept.' };

const service = await startService();
afterAll(() => service.stop());
const token = await service.supplierToken(['SUPPLIER_FR']);
const job = await storeJob(service.database, token, {
  pages: [
    '{"external_account_number":"E1"}\n\n{"external_account_number":"E3","amount":1.0000000000000000001,"_errors":[1],"_line":9}',
    'no JSON\n{"external_account_number":"E5"}\r\n{"external_account_number":"E6"}',
    '{"external_account_number":"E7"}\n{"a":1,"a":2}',
  ],
});
await service.database.pool.query(
  `insert into import_job_line (job_id, line, key, state, number, errors, warnings) values
      ($1, 1, 'E1', 'succeeded', 'A-1', null, $3), ($1, 3, 'E3', 'failed', null, $2, $3), ($1, 4, null, 'failed', null, $2, null),
      ($1, 5, 'E5', 'staged', null, null, null), ($1, 6, 'E6', 'quarantined', null, $2, null)`,
  [job, JSON.stringify([FAULT]), JSON.stringify([WARNING])],
);

const results = async (query: string, path = `/v1/data-import/import-jobs/${job}/results/`, as = token) =>
  (await service.call('GET', `${path}?${query}`, { token: as })).body;

test('returns succeeded lines by key and number', async () => {
  expect(await results('outcome=succeeded')).toEqual([
    { line: 1, key: 'E1', outcome: 'succeeded', number: 'A-1', warnings: [WARNING] },
  ]);
});

test('returns failed lines with every violation and with the sent line', async () => {
  const answer = await fetch(`${service.url}/v1/data-import/import-jobs/${job}/results/?outcome=failed`, {
    headers: { authorization: `Token ${token}`, accept: 'application/x-ndjson' },
  });
  expect(answer.headers.get('content-type')).toMatch(/^application\/x-ndjson/);
  const text = await answer.text();
  // To the last digit.
  expect(text).toContain('"amount":1.0000000000000000001');
  expect(await results('outcome=failed')).toEqual([
    {
      line: 3,
      key: 'E3',
      outcome: 'failed',
      errors: [FAULT],
      warnings: [WARNING],
      record: expect.objectContaining({ external_account_number: 'E3' }),
    },
    { line: 4, key: null, outcome: 'failed', errors: [FAULT], record: 'no JSON' },
    { line: 6, key: 'E6', outcome: 'failed', errors: [FAULT], record: { external_account_number: 'E6' } },
  ]);
});

test('returns failed lines as sent, together with what to fix', async () => {
  expect(await results('outcome=failed&form=resend')).toEqual([
    expect.objectContaining({ external_account_number: 'E3', _line: 3, _errors: [FAULT], _warnings: [WARNING] }),
    { _record: 'no JSON', _line: 4, _errors: [FAULT] },
    { external_account_number: 'E6', _line: 6, _errors: [FAULT] },
  ]);
});

test('returns errors in French on request, and every record as it was sent', async () => {
  const detail = 'Ce champ est obligatoire.';
  for (const [form, member] of [
    ['', 'errors'],
    ['&form=resend', '_errors'],
  ] as const) {
    const path = `/v1/data-import/import-jobs/${job}/results/?outcome=failed${form}`;
    const headers = { 'accept-language': 'fr' };
    const french = await service.call('GET', path, { token, headers });
    expect(french.headers['content-language']).toBe('fr');
    const english: object[] = await results(`outcome=failed${form}`);
    expect(french.body).toEqual(english.map((line) => ({ ...line, [member]: [{ ...FAULT, detail }] })));
  }
});

test('returns lines that succeeded as they were sent', async () => {
  expect(await results('outcome=succeeded&form=resend')).toEqual([
    { external_account_number: 'E1', _line: 1, _warnings: [WARNING] },
  ]);
});

test('returns lines that were not processed in order, read or not', async () => {
  expect(await results('outcome=unprocessed')).toEqual([
    { line: 5, key: 'E5', outcome: 'unprocessed', record: { external_account_number: 'E5' } },
    { line: 7, key: 'E7', outcome: 'unprocessed', record: { external_account_number: 'E7' } },
    { line: 8, key: null, outcome: 'unprocessed', record: '{"a":1,"a":2}' },
  ]);
  expect(await results('outcome=unprocessed&form=resend')).toEqual([
    { external_account_number: 'E5', _line: 5 },
    { external_account_number: 'E7', _line: 7 },
    { _record: '{"a":1,"a":2}', _line: 8 },
  ]);
});

test('keeps results after the upload is deleted', async () => {
  const other = await storeJob(service.database, token, { pages: ['{"external_account_number":"E1"}'] });
  await service.database.pool.query(
    `insert into import_job_line (job_id, line, key, state, errors) values ($1, 1, 'E1', 'failed', '[]')`,
    [other],
  );
  const path = `/v1/data-import/import-jobs/${other}/results/`;
  for (const forget of [
    'update import_job_page set body = null where job_id = $1',
    'delete from import_job_page where job_id = $1',
  ]) {
    await service.database.pool.query(forget, [other]);
    expect(await results('outcome=failed', path)).toEqual([{ line: 1, key: 'E1', outcome: 'failed', errors: [] }]);
    expect(await results('outcome=failed&form=resend', path)).toEqual([{ _key: 'E1', _line: 1 }]);
    expect(await results('outcome=unprocessed', path)).toEqual([]);
  }
});

test('uses the staged accounts as lines of a job without upload', async () => {
  const other = await storeJob(service.database, token, { pages: ['{}\n{}\n{}'] });
  const { pool } = service.database;
  await pool.query(`update import_job set selection = 'staged' where id = $1`, [other]);
  await pool.query('update import_job_page set body = null where job_id = $1', [other]);
  await pool.query(
    `insert into import_job_line (job_id, line, key, state, errors) values
      ($1, 1, 'S1', 'failed', $2), ($1, 2, 'S2', 'staged', null), ($1, 3, 'GONE', 'quarantined', $2)`,
    [other, JSON.stringify([FAULT])],
  );
  await pool.query(
    `insert into import_process (id, import_supplier, external_account_number, payload, phone_numbers, payload_hash, validated_with)
      select gen_random_uuid(), 'SUPPLIER_FR', key, jsonb_build_object('external_account_number', key), '[]', sha256('x'), 'test' from unnest(array['S1', 'S2']) key`,
  );
  const path = `/v1/data-import/import-jobs/${other}/results/`;
  expect(await results('outcome=failed&form=resend', path)).toEqual([
    { external_account_number: 'S1', _line: 1, _errors: [FAULT] },
    { _key: 'GONE', _line: 3, _errors: [FAULT] },
  ]);
  expect(await results('outcome=unprocessed', path)).toEqual([
    { line: 2, key: 'S2', outcome: 'unprocessed', record: { external_account_number: 'S2' } },
  ]);
});

test('shows an operator the results of any job, and audits the access', async () => {
  const path = `/v1/operations/import-jobs/${job}/results/`;
  expect(await results('outcome=failed', path, service.operatorToken)).toHaveLength(3);
  const audit = await service.call('GET', '/v1/operations/audit/?action=import_job.results_read', {
    token: service.operatorToken,
  });
  expect(audit.body).toMatchObject([{ subject: `import-jobs/${job}/results` }]);
});

test('returns thousands of lines in order, one by one where one of a page fails', async () => {
  const lines = Array.from({ length: 3_000 }, (_, index) => `{"external_account_number":"M${index + 1}"}`);
  const pages = Array.from({ length: 12 }, (_, page) => lines.slice(page * 250, (page + 1) * 250).join('\n'));
  const other = await storeJob(service.database, token, { pages });
  await service.database.pool.query(
    `insert into import_job_line (job_id, line, key, state, number, errors)
    select $1, n, 'M' || n, case when n % 3 = 0 then 'failed' else 'succeeded' end, 'A-' || n, case when n % 3 = 0 then '[]'::jsonb end from generate_series(1, 2900) n`,
    [other],
  );
  const numbers = async (outcome: string) =>
    (await results(`outcome=${outcome}`, `/v1/data-import/import-jobs/${other}/results/`)).map(
      ({ line, key }: { line: number; key: string }) => (key === `M${line}` ? line : undefined),
    );
  const all = Array.from({ length: 3_000 }, (_, index) => index + 1);
  expect(await numbers('succeeded')).toEqual(all.filter((n) => n <= 2_900 && n % 3 !== 0));
  expect(await numbers('failed')).toEqual(all.filter((n) => n <= 2_900 && n % 3 === 0));
  expect(await numbers('unprocessed')).toEqual(all.filter((n) => n > 2_900));
});

test('lists causes with what to do, the most blocking first and warnings last', async () => {
  const failed = (...errors: (typeof FAULT)[]) => ({
    kind: 'failed' as const,
    code: 'validation_failed' as const,
    errors,
  });
  const kindFault = violation('invalid_choice', ['type']);
  // As two pages would, the second one with an earlier line.
  for (const line of [10, 4]) {
    await service.database.transaction((em) =>
      recordCauses(em, job, [
        { line, outcome: failed(FAULT, kindFault), body: { type: `T${line}` } },
        { line: line + 1, outcome: failed(kindFault), body: { type: 'X' } },
        { line: line + 2, outcome: { kind: 'staged', revision: 1, warnings: [WARNING as never] } },
      ]),
    );
  }
  const path = `/v1/data-import/import-jobs/${job}/causes/`;
  const { body } = await service.call('GET', path, { token });
  expect(body.causes).toEqual([
    {
      code: 'invalid_choice',
      place: 'type',
      is_warning: false,
      records: 4,
      alone: 2,
      example: { line: 4, value: 'T4' },
      detail: expect.any(String),
      remedy: expect.stringContaining('case-sensitive'),
      page: '/docs/codes/invalid_choice/',
    },
    expect.objectContaining({
      code: 'required',
      place: 'customers.*.email',
      records: 2,
      alone: 0,
      example: { line: 4, value: null },
    }),
    expect.objectContaining({
      code: 'unknown_member',
      is_warning: true,
      records: 2,
      alone: 0,
      detail: 'The member is unknown and was dropped.',
      remedy: expect.stringContaining('Its value was not stored.'),
    }),
  ]);
  const blocking = await service.call('GET', `${path}?only_blocking=true`, { token });
  expect(blocking.body.causes).toEqual(body.causes.slice(0, 2));
  const operators = await service.call('GET', `/v1/operations/import-jobs/${job}/causes/`, {
    token: service.operatorToken,
  });
  expect(operators.body).toEqual(body);
});

test('lists unknown names up to a limit, and counts those beyond it', async () => {
  const other = await storeJob(service.database, token, { pages: ['{}'] });
  const warned = (from: number) =>
    Array.from({ length: 800 }, (_, index) => ({
      line: from + index,
      outcome: {
        kind: 'staged' as const,
        revision: 1,
        warnings: [{ ...WARNING, attr: `made_up_${from + index}` } as never],
      },
    }));
  for (const from of [1, 801, 1]) await service.database.transaction((em) => recordCauses(em, other, warned(from)));
  const { body } = await service.call('GET', `/v1/data-import/import-jobs/${other}/causes/`, { token });
  expect(body.causes).toHaveLength(1_001);
  const records = body.causes.map((cause: { records: number }) => cause.records);
  expect(records.reduce((sum: number, one: number) => sum + one, 0)).toBe(2_400);
  expect(body.causes.find(({ place }: { place: string }) => place === '*')).toMatchObject({ records: 600 });
});
