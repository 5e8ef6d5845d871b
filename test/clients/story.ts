import { createReadStream, readFileSync } from 'node:fs';
import {
  connect,
  dataOf,
  RefusedError,
  type ImportJob,
  type ImportJobRequest,
} from '../../clients/typescript/src/index.ts';

// The story of docs/suppliers/getting-started.md with the client library. Arguments: file of accounts, file of notes.

const [accounts = '', notes = ''] = process.argv.slice(2);
const { GANGWAY_URL: url = '', GANGWAY_API_KEY: key = '' } = process.env;
const gangway = connect({ url, key });
const { api } = gangway;

const run = (file: string, request: Omit<ImportJobRequest, 'import_supplier'>): Promise<ImportJob> =>
  gangway.importRecords({ import_supplier: 'SUPPLIER_FR', ...request }, createReadStream(file));

async function collect<T>(lines: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = [];
  for await (const line of lines) all.push(line);
  return all;
}

const RESULTS = '/v1/data-import/import-jobs/{job}/results/';
const first = JSON.parse(readFileSync(accounts, 'utf8').split('\n')[0]!);
const validated = await dataOf(api.POST('/v1/data-import/validate-account/', { body: first }));
const refused = await dataOf(
  api.POST('/v1/data-import/validate-account/', { body: { ...first, account_type: 'CASTLE' } }),
).then(
  () => null,
  (error: unknown) => error instanceof RefusedError && [error.status, error.code, error.errors[0]?.code],
);
const checked = await run(accounts, { kind: 'accounts', goal: 'VALIDATE' });
const team = { operations_team_name: 'Migration' };
const rehearsed = await run(accounts, { kind: 'accounts', goal: 'REHEARSE', ...team });
const canary = await run(accounts, { kind: 'accounts', goal: 'CREATE', ...team, options: { canary: 1 } });
await dataOf(api.POST('/v1/data-import/import-jobs/{job}/resume/', { params: { path: { job: canary.job_id } } }));
const created = await gangway.waitForJob(canary.job_id);
const succeeded = await collect(gangway.lines(RESULTS, { job: created.job_id, outcome: 'succeeded' }));
const failed = await collect(gangway.lines(RESULTS, { job: created.job_id, outcome: 'failed' }));
const attached = await run(notes, { kind: 'notes', goal: 'IMPORT' });
const page = await dataOf(api.GET('/v1/data-import/events/', { params: { query: { limit: 500 } } }));
process.stdout.write(
  JSON.stringify({
    validated: (validated as { external_account_number?: string }).external_account_number,
    refused,
    checked: checked.counts,
    rehearsed: rehearsed.counts,
    canary: [canary.status, canary.paused_because],
    created: created.counts,
    numbers: new Set(succeeded.map((line) => 'number' in line && line.number)).size,
    failed: failed.map((line) => 'errors' in line && (line.errors as { code: string }[])[0]?.code),
    attached: attached.counts,
    events: page.filter(({ type }) => type === 'import.account.created.v1').length,
  }),
);
