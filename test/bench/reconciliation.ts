import { setTimeout as sleep } from 'node:timers/promises';
import { openDatabase } from '../../src/platform/database/database.ts';
import { createLog } from '../../src/platform/log.ts';
import { entities } from '../../src/processes/entities.ts';
import { domesticAccount } from '../support/account-payload.ts';
import { createAccounts } from '../support/created-accounts.ts';
import { issueToken } from '../support/issue-token.ts';
import type { Load } from './load.ts';
import { median, residentMb } from './measure.ts';
import { withClient } from './stage-set.ts';

/** Number of accounts to compare. */
const ACCOUNTS = Number(process.env['BENCH_ACCOUNTS'] ?? 20_000);
const ROUNDS = Number(process.env['BENCH_ROUNDS'] ?? 3);
const CREATED_AT_ONCE = 1_000;
/** Every how many accounts one has a payment instruction that its vendor can verify; `up` simulates the vendor. */
const VERIFIABLE_EVERY = 100;
const FIRST = 5_000_000;

interface ReconciliationBench {
  http: string;
  /** Connects as the owner of the database. */
  database: string;
  token: string;
  /** The process that runs the comparison. */
  workerPid: number;
  print(line?: string): void;
  /** Runs single creations for a few seconds over several connections. */
  createSingly(): Promise<Load>;
}

interface View {
  reconciliation_id: string;
  status: string;
  counts: { accounts: number; different: number; values: number };
  payment_vendors: { vendor: string; asked: number; different: number }[];
  created_at: string;
  compared_at: string;
  ended_at: string;
}

/** Speed and memory of the comparison, and its effect on single creations. */
export async function benchReconciliation(bench: ReconciliationBench): Promise<void> {
  await createThem(bench);
  const seconds: number[] = [];
  const memory: number[] = [];
  let view: View | undefined;
  for (let round = 0; round < ROUNDS; round += 1) {
    const began = performance.now();
    view = await reconcile(bench, () => memory.push(residentMb(bench.workerPid)));
    seconds.push((performance.now() - began) / 1_000);
  }
  if (view!.counts.different !== 0) throw new Error(`${view!.counts.different} accounts differ`);
  const { accounts, values } = view!.counts;
  bench.print(`\nreconciliation of ${accounts} accounts, ${values} values (goal: 830 accounts a second)`);
  bench.print(
    `  ${(accounts / median(seconds)).toFixed(0)} accounts/s, ${median(seconds).toFixed(1)} s; process ${memory[0]} MB before, at most ${Math.max(...memory)} MB`,
  );
  await benchQuestions(bench);
  await benchBeside(bench);
}

/** An operator's reconciliation also verifies payment instructions that came with accounts. */
async function benchQuestions(bench: ReconciliationBench): Promise<void> {
  const token = await withClient(bench.database, (client) => issueToken(client, 'operator', []));
  const view = await reconcile({ ...bench, token }, () => {}, 'operations');
  const after = (instant: string) => ((Date.parse(instant) - Date.parse(view.created_at)) / 1_000).toFixed(1);
  const asked = view.payment_vendors.find(({ vendor }) => vendor === 'GOCARDLESS')?.asked ?? 0;
  bench.print('\nthe same with ten calls a second to a payment vendor');
  bench.print(
    `  compared after ${after(view.compared_at)} s; ${asked} calls, the last answered after ${after(view.ended_at)} s`,
  );
}

/** Still in progress when this ends, as it yields to creations. */
async function benchBeside(bench: ReconciliationBench): Promise<void> {
  await bench.createSingly();
  const rates: { alone: number[]; beside: number[] } = { alone: [], beside: [] };
  for (let round = 0; round < ROUNDS; round += 1) rates.alone.push((await bench.createSingly()).perSecond);
  const { reconciliation_id: id } = await call(bench, 'POST', '', { import_supplier: 'BENCH' });
  const began = performance.now();
  for (let round = 0; round < ROUNDS; round += 1) rates.beside.push((await bench.createSingly()).perSecond);
  const view = await call(bench, 'GET', `${id}/`);
  if (view.status !== 'RUNNING') throw new Error('The reconciliation ended too soon. Raise BENCH_ACCOUNTS.');
  const compared = (view.counts.accounts / (performance.now() - began)) * 1_000;
  const [alone, beside] = [median(rates.alone), median(rates.beside)];
  bench.print('\nsingle creations beside a reconciliation, four concurrently (goal: 0.8 of the speed without it)');
  bench.print(
    `  alone ${alone.toFixed(0)}/s   beside ${beside.toFixed(0)}/s   ${(beside / alone).toFixed(2)} of it; ${compared.toFixed(0)} accounts/s compared meanwhile`,
  );
}

async function createThem({ database: url }: ReconciliationBench): Promise<void> {
  const log = createLog({ level: 'silent', process: 'bench' });
  const database = await openDatabase({ url, entities, poolSize: 2, log, applicationName: 'bench' });
  for (let from = 0; from < ACCOUNTS; from += CREATED_AT_ONCE) {
    const payloads = Array.from({ length: Math.min(CREATED_AT_ONCE, ACCOUNTS - from) }, (_, index) =>
      payloadOf(from + index),
    );
    await createAccounts(database, 'BENCH', payloads);
  }
  await database.close();
}

function payloadOf(index: number) {
  const isVerifiable = index % VERIFIABLE_EVERY === 0;
  const payload = domesticAccount(
    { import_supplier: 'BENCH', ...(isVerifiable ? { payment_preferences: [] } : {}) },
    FIRST + index,
  );
  if (isVerifiable) {
    const [point] = payload.supply_addresses![0]!.supply_points;
    point!.payment_instructions = [{ vendor: 'GOCARDLESS', reference: `MD-${index}`, type: 'DIRECT_DEBIT' }];
  }
  return payload;
}

async function call(
  { http, token }: ReconciliationBench,
  method: string,
  path: string,
  body?: object,
  whose = 'data-import',
): Promise<View> {
  const answer = await fetch(`${http}/v1/${whose}/reconciliations/${path}`, {
    method,
    headers: { authorization: `Token ${token}`, 'content-type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status}`);
  return (await answer.json()) as View;
}

async function reconcile(bench: ReconciliationBench, watch: () => void, whose?: string): Promise<View> {
  const { reconciliation_id: id } = await call(bench, 'POST', '', { import_supplier: 'BENCH' }, whose);
  for (;;) {
    const view = await call(bench, 'GET', `${id}/`, undefined, whose);
    if (view.status !== 'RUNNING') return view;
    watch();
    await sleep(200);
  }
}
