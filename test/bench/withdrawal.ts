import { setTimeout as sleep } from 'node:timers/promises';
import { v7 as uuidv7 } from 'uuid';
import { openDatabase } from '../../src/platform/database/database.ts';
import { createLog } from '../../src/platform/log.ts';
import { entities } from '../../src/processes/entities.ts';
import { domesticAccount } from '../support/account-payload.ts';
import { createAccounts } from '../support/created-accounts.ts';
import { issueToken } from '../support/issue-token.ts';
import { withClient } from './stage-set.ts';

/** Number of accounts to withdraw. */
const ACCOUNTS = Number(process.env['BENCH_ACCOUNTS'] ?? 20_000);
const CREATED_AT_ONCE = 1_000;
const FIRST = 7_000_000;
/** The goal: 100,000 accounts in five minutes. */
const GOAL_PER_SECOND = 100_000 / 300;

interface WithdrawalBench {
  http: string;
  /** Connects as the owner of the database. */
  database: string;
  print(line?: string): void;
}

/** Speed of the withdrawal of a job, and its preview. */
export async function benchWithdrawal(bench: WithdrawalBench): Promise<void> {
  const jobId = await createJob(bench);
  const token = await withClient(bench.database, (client) => issueToken(client, 'operator', []));
  const call = async (method: string, path: string, body?: object) => {
    const answer = await fetch(`${bench.http}/v1/operations/${path}`, {
      method,
      headers: { authorization: `Token ${token}`, 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${await answer.text()}`);
    return (await answer.json()) as Record<string, unknown>;
  };
  const path = `import-jobs/${jobId}/withdraw/`;
  const began = performance.now();
  await call('POST', path, { reason: 'bench', dry_run: true });
  const previewSeconds = (performance.now() - began) / 1_000;
  const { withdrawal_id: id } = await call('POST', path, { reason: 'bench' });
  let view = await call('GET', `withdrawals/${String(id)}/`);
  for (; view['status'] === 'RUNNING'; view = await call('GET', `withdrawals/${String(id)}/`)) await sleep(200);
  if (view['withdrawn'] !== ACCOUNTS) throw new Error(`${String(view['withdrawn'])} accounts were withdrawn`);
  const seconds = (Date.parse(view['ended_at'] as string) - Date.parse(view['created_at'] as string)) / 1_000;
  bench.print(`\nwithdrawal of ${ACCOUNTS} accounts (goal: ${GOAL_PER_SECOND.toFixed(0)} accounts a second)`);
  bench.print(
    `  ${(ACCOUNTS / seconds).toFixed(0)} accounts/s, ${seconds.toFixed(1)} s; preview ${previewSeconds.toFixed(2)} s`,
  );
}

/** Creates accounts, and a completed job that names them. */
async function createJob({ database: url }: WithdrawalBench): Promise<string> {
  const log = createLog({ level: 'silent', process: 'bench' });
  const database = await openDatabase({ url, entities, poolSize: 2, log, applicationName: 'bench' });
  for (let from = 0; from < ACCOUNTS; from += CREATED_AT_ONCE) {
    const size = Math.min(CREATED_AT_ONCE, ACCOUNTS - from);
    const payloads = Array.from({ length: size }, (_, index) =>
      domesticAccount({ import_supplier: 'BENCH' }, FIRST + from + index),
    );
    await createAccounts(database, 'BENCH', payloads);
  }
  const jobId = uuidv7();
  await database.pool.query(
    `insert into import_job (id, import_supplier, organisation, api_key_id, kind, goal, selection, status, accepted, succeeded, started_at, ended_at)
     values ($1, 'BENCH', 'bench', $1, 'accounts', 'CREATE', 'uploaded', 'COMPLETED', $2, $2, now(), now())`,
    [jobId, ACCOUNTS],
  );
  await database.pool.query(
    `insert into import_job_line (job_id, line, key, claims_key, state, number)
     select $1, row_number() over (order by external_account_number), external_account_number, true, 'succeeded', number
     from account where import_supplier = 'BENCH' and external_account_number = any($2::text[])`,
    [jobId, Array.from({ length: ACCOUNTS }, (_, index) => `HOME-${String(FIRST + index).padStart(8, '0')}`)],
  );
  await database.pool.query('vacuum analyze');
  await database.close();
  return jobId;
}
