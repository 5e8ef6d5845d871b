import { zstdDecompressSync } from 'node:zlib';
import { afterAll, expect, test } from '@jest/globals';
import { domesticAccount } from '../support/account-payload.ts';
import { startService } from '../support/harness.ts';
import { IMPORT_JOBS, jobClient, OPERATORS_IMPORT_JOBS } from '../support/import-jobs.ts';
import { until } from '../support/until.ts';

const SUPPLIER = 'SUPPLIER_FR';
const NUMBER = 'SP/1"\u00c9\\2';

const service = await startService({ worker: true });
afterAll(() => service.stop());

const units = (text: string) => Array.from({ length: text.length }, (_, index) => text.charCodeAt(index));
const escaped = (text: string) => units(text).map((unit) => `\\u${unit.toString(16).padStart(4, '0')}`);
/** JSON literals of the number, or that readers confuse with it. */
const SPELLINGS = {
  plain: JSON.stringify(NUMBER),
  'escaped slash': JSON.stringify(NUMBER).replaceAll('/', '\\/'),
  'Unicode escapes': `"${escaped(NUMBER).join('')}"`,
  'Unicode escapes in upper case': `"${escaped(NUMBER).join('').toUpperCase().replaceAll('\\U', '\\u')}"`,
  'blank behind': JSON.stringify(`${NUMBER} `),
  'blank before': JSON.stringify(` ${NUMBER}`),
  'no-break space': JSON.stringify(`${NUMBER}\u00a0`),
  tab: JSON.stringify(`${NUMBER}\t`),
  'byte order mark': JSON.stringify(`\ufeff${NUMBER}`),
  'decomposed accent': JSON.stringify(NUMBER.normalize('NFD')),
  'zero-width space': JSON.stringify(NUMBER.replace('1', '1\u200b')),
  'control character': JSON.stringify(`${NUMBER}\u001f`),
  'null character': JSON.stringify(`${NUMBER}\u0000`),
  'list instead of a string': `[${JSON.stringify(NUMBER)}]`,
  'name of a member': `{${JSON.stringify(NUMBER)}: 1}`,
};
const lineOf = (literal: string, text: string) =>
  `{"external_account_number": ${literal}, "notes": [{"body": "${text}", "created_at": "no day"}]}`;
/** Lines that are no valid JSON. */
const BROKEN = {
  'cut off': lineOf(SPELLINGS['escaped slash'], 'canary cut off').slice(0, -3),
  'duplicate member': `{"a": 1, "a": 2, ${lineOf(SPELLINGS['Unicode escapes'], 'canary duplicate').slice(1)}`,
};

/** Lines whose content is a string, as `form=resend` writes lines that are not objects. */
const NESTED = [
  JSON.stringify(lineOf(SPELLINGS.plain, 'canary as a string')),
  JSON.stringify({ data: lineOf(SPELLINGS['escaped slash'], 'canary in a member') }),
  JSON.stringify({ _record: lineOf(SPELLINGS.plain, 'canary of results'), _line: 1 }),
  JSON.stringify({ _key: NUMBER, note: 'canary of a key' }),
];

async function plantJob(client: Awaited<ReturnType<typeof jobClient>>, lines: readonly (string | Buffer)[]) {
  const jobId = await client.open({ kind: 'notes', goal: 'VALIDATE' });
  const bytes = lines.flatMap((line) => [typeof line === 'string' ? Buffer.from(line) : line, Buffer.from('\n')]);
  expect((await client.put(jobId, 1, Buffer.concat(bytes))).status).toBeLessThan(300);
  expect((await client.post(jobId, 'start')).status).toBeLessThan(300);
  const path = `${IMPORT_JOBS}${jobId}/`;
  await until(async () => (await service.call('GET', path, { token: client.token })).body.status === 'COMPLETED');
  return jobId;
}

async function results(jobId: string, outcome: string): Promise<string> {
  const path = `${service.url}${OPERATORS_IMPORT_JOBS}${jobId}/results/?outcome=${outcome}`;
  const answer = await fetch(path, { headers: { authorization: `Token ${service.operatorToken}` } });
  return answer.text();
}

/** The uploaded lines of a job, as stored. */
async function uploads(jobId: string): Promise<string> {
  const query = 'select body from import_job_page where job_id = $1';
  const pages = await service.database.pool.query<{ body: Buffer }>(query, [jobId]);
  return pages.rows.map(({ body }) => zstdDecompressSync(body).toString('latin1')).join('\n');
}

async function eraseStaged(number: string) {
  const payload = domesticAccount({ import_supplier: SUPPLIER, external_account_number: number }, 1);
  const token = await service.supplierToken([SUPPLIER]);
  const path = '/v1/data-import/account-import-process/create-or-update/';
  expect((await service.call('POST', path, { token, body: payload })).status).toBe(201);
  const of = `${SUPPLIER}/${encodeURIComponent(number)}`;
  const as = { token: service.operatorToken };
  const preview = await service.call('GET', `/v1/operations/erasures/${of}/`, as);
  const body = { import_supplier: SUPPLIER, external_account_number: number, reason: 'asked for' };
  const erased = await service.call('POST', '/v1/operations/erasures/', { ...as, body });
  return { preview: preview.body.tables, erased: erased.body.tables };
}

test('erases lines of import jobs in every spelling of the number', async () => {
  const client = await jobClient(service);
  const latin1 = Buffer.from(lineOf(SPELLINGS.plain, 'canary in Latin-1'), 'latin1');
  const spelled = Object.entries(SPELLINGS).map(([name, literal]) => lineOf(literal, `canary, ${name}`));
  const utf16 = Buffer.from(lineOf(SPELLINGS.plain, '').slice(0, 50), 'utf16le');
  const neighbours = ['"SP/1"', JSON.stringify(`${NUMBER}3`)].map((literal) => lineOf(literal, 'neighbour'));
  const lines = [...spelled, ...Object.values(BROKEN), ...NESTED, latin1, utf16, ...neighbours];
  const jobId = await plantJob(client, lines);
  expect(await uploads(jobId)).toContain(utf16.toString('latin1'));
  expect((await uploads(jobId)).match(/canary/g)).toHaveLength(lines.length - neighbours.length - 1);

  const { preview, erased } = await eraseStaged(NUMBER);
  const page = { table: 'import_job_page', rows: 1, columns: ['body'] };
  expect(preview).toContainEqual(page);
  expect(erased).toContainEqual(page);
  const left = await results(jobId, 'failed');
  expect(left).not.toContain('canary');
  expect(left.match(/neighbour/g)).toHaveLength(neighbours.length);
  expect(await uploads(jobId)).not.toContain('canary');
  expect(await uploads(jobId)).not.toContain(utf16.toString('latin1'));
});

test('erases numbers sent as JSON numbers, and messages that quote them', async () => {
  const client = await jobClient(service);
  const lines = ['4711471147114711', '4711471147114711e0', '[4711471147114711]', '[4711471147114711e0]'].map(
    (literal) => lineOf(literal, 'canary'),
  );
  const jobId = await plantJob(client, [...lines, lineOf('47114711471147112', 'neighbour')]);
  await service.database.pool.query(
    `update import_job_line set errors = jsonb_set(errors, '{0,detail}', '"canary sentence"') where job_id = $1 and line = 1`,
    [jobId],
  );
  await eraseStaged('4711471147114711');
  const left = await results(jobId, 'failed');
  expect(left).not.toContain('canary');
  expect(left).toContain('neighbour');
});
