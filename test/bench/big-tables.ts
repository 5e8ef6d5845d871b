import { chmod, mkdir, mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type pg from 'pg';
import { generateRows } from '../support/generated-rows.ts';
import { preparedQueries } from '../support/prepared-queries.ts';
import { nodesOf } from '../support/query-plan.ts';
import { removeDataFolder } from '../support/remove-data-folder.ts';
import { load } from './load.ts';
import { median, stopChild } from './measure.ts';
import { createTemplate, printPageTimes } from './pages.ts';
import { ownersUrl, startUp, type UpFile } from './platform.ts';
import { benchAccount, seed, stageMany, withClient } from './stage-set.ts';

/*
 * `npm run bench -- big-tables`: rates of staging and creation, and the plans of all prepared queries, on fresh data
 * and again with many rows (BENCH_STAGED staged and BENCH_ACCOUNTS other accounts); then how long lists and pages
 * take. Filling takes about half an hour and 60 GB for the default: with BENCH_FOLDER the data stays in that folder,
 * and the next run measures immediately, only with the many rows.
 */
const ACCOUNTS = Number(process.env['BENCH_ACCOUNTS'] ?? 2_000_000);
const STAGED = Number(process.env['BENCH_STAGED'] ?? 10_000_000);
const KEPT = process.env['BENCH_FOLDER'];
const SECONDS = Number(process.env['BENCH_SECONDS'] ?? 5);
const ROUNDS = 3;
const LIST_TIMES = 15;
const CONNECTIONS = 32;
/** More than are created or staged in a second. */
const A_SECOND_MAX = 6_000;
const DATA_IMPORT = '/v1/data-import';
const LISTED = 'MANY_2';

interface Scene {
  up: UpFile;
  owner: string;
  token: string;
  folder: string;
  /** Number of the next account. */
  next: number;
}

/** Prints rates, changed plans and the times of lists. */
export async function benchBigTables(print: (line?: string) => void): Promise<void> {
  const folder = KEPT ?? (await mkdtemp(join(tmpdir(), 'gangway-big-tables-')));
  await mkdir(folder, { recursive: true });
  await chmod(folder, 0o755);
  const { up, child } = await startUp(folder);
  try {
    const owner = await ownersUrl(folder, up.database);
    const isFilled = await isFilledAt(owner);
    const scene = { up, owner, token: await seed(owner), folder, next: await nextNumber(owner) };
    let before: State | undefined;
    if (!isFilled) {
      await createTemplate(up, scene.token);
      before = await stateOf(scene);
      await withClient(owner, (client) => fill(client, print));
    }
    const after = await stateOf(scene);
    print(`\n${STAGED} staged and ${ACCOUNTS} other accounts, beside an empty database`);
    printRates(before, after, print);
    if (before !== undefined) printChangedPlans(before.plans, after.plans, print);
    for (const line of await listTimes(scene)) print(line);
    await printPageTimes(up, owner, print);
  } finally {
    await stopChild(child);
    if (KEPT === undefined) await removeDataFolder(folder);
  }
}

/** Rates a second, and the plan of each prepared query. */
interface State {
  stage: number;
  create: number;
  plans: Map<string, string>;
}

async function stateOf(scene: Scene): Promise<State> {
  await withClient(scene.owner, (client) => client.query('checkpoint'));
  return { plans: await plansOf(scene.up.database), ...(await ratesOf(scene)) };
}

function printRates(before: State | undefined, after: State, print: (line?: string) => void): void {
  for (const kind of ['stage', 'create'] as const) {
    const was =
      before === undefined ? '' : `, ${before[kind].toFixed(0)}/s empty: ${(after[kind] / before[kind]).toFixed(2)}`;
    print(`  ${kind.padEnd(8)} ${after[kind].toFixed(0)}/s filled${was}`);
  }
}

function printChangedPlans(
  before: Map<string, string>,
  after: Map<string, string>,
  print: (line?: string) => void,
): void {
  const changed = [...after].filter(([name, plan]) => before.get(name) !== plan);
  print(`  ${after.size} prepared queries, ${changed.length} with another plan`);
  for (const [name, plan] of changed) print(`    ${name}\n      before ${before.get(name)}\n      now    ${plan}`);
}

async function isFilledAt(owner: string): Promise<boolean> {
  const { rowCount } = await withClient(owner, (client) =>
    client.query('select 1 from import_supplier where code = $1', [LISTED]),
  );
  return rowCount === 1;
}

/** The number after those of earlier measurements in the same folder. */
async function nextNumber(owner: string): Promise<number> {
  const { rows } = await withClient(owner, (client) =>
    client.query<{ next: number }>(
      `select coalesce(max(substr(external_account_number, 5)::integer), 0) + 1 as next from import_process where import_supplier = 'BENCH' and external_account_number like 'EXT-%'`,
    ),
  );
  return rows[0]!.next;
}

async function fill(client: pg.Client, print: (line?: string) => void): Promise<void> {
  await client.query(`set synchronous_commit = off; set maintenance_work_mem = '1GB'; set work_mem = '256MB'`);
  const started = performance.now();
  const onProgress = (step: string) =>
    print(`  ${((performance.now() - started) / 1_000).toFixed(0).padStart(5)} s  ${step}`);
  await generateRows(client, { accounts: ACCOUNTS, points: 1_000, staged: STAGED, indexesLast: true, onProgress });
  onProgress('filled');
}

/** The median rates of staging and creation, each account with another number. */
async function ratesOf(scene: Scene): Promise<{ stage: number; create: number }> {
  const { up, owner, token, folder } = scene;
  const bodies = {
    stage: benchAccount(),
    create: {
      external_account_number: 'EXT-00000000',
      import_supplier_code: 'BENCH',
      operations_team_name: 'Migration',
    },
  };
  const paths = { stage: 'create-or-update', create: 'process' };
  const rateOf = async (kind: 'stage' | 'create'): Promise<number> => {
    const bodyFile = join(folder, `${kind}.json`);
    await writeFile(bodyFile, JSON.stringify(bodies[kind]));
    const rates: number[] = [];
    // The first round warms up.
    for (let round = 0; round <= ROUNDS; round += 1) {
      const count = A_SECOND_MAX * SECONDS;
      if (kind === 'create') await stageMany(owner, scene.next + 1, count);
      const url = `${up.http}${DATA_IMPORT}/account-import-process/${paths[kind]}/`;
      const done = await load({ url, bodyFile, token, connections: CONNECTIONS, seconds: SECONDS, first: scene.next });
      if (done.failed + done.non2xx > 0) throw new Error(`${done.failed + done.non2xx} requests to ${url} failed`);
      scene.next += count;
      if (round > 0) rates.push(done.perSecond);
    }
    return median(rates);
  };
  return { stage: await rateOf('stage'), create: await rateOf('create') };
}

/** By the name of each prepared query, the indexes of its generic plan and the tables that it reads as a whole. */
async function plansOf(url: string): Promise<Map<string, string>> {
  const queries = await preparedQueries();
  return withClient(url, async (client) => {
    const plans = new Map<string, string>();
    for (const { name, text } of queries) {
      const { rows } = await client.query(`explain (generic_plan, format json) ${text}`);
      const read = nodesOf(rows[0]['QUERY PLAN'][0].Plan).flatMap((node) =>
        node['Node Type'] === 'Seq Scan' ? [`all of ${node['Relation Name']}`] : (node['Index Name'] ?? []),
      );
      plans.set(name, [...new Set(read)].toSorted().join(', '));
    }
    return plans;
  });
}

/** How long the first byte of each list takes, in milliseconds. */
async function listTimes({ up, owner }: Scene): Promise<string[]> {
  const token = await seed(owner, LISTED);
  const lines: string[] = [];
  for (const list of ['all', 'imported', 'pending']) {
    const times: number[] = [];
    for (let time = 0; time < LIST_TIMES; time += 1) {
      const started = performance.now();
      const answer = await fetch(`${up.http}${DATA_IMPORT}/${list}-account-import-processes/${LISTED}/`, {
        headers: { authorization: `Token ${token}` },
      });
      if (!answer.ok) throw new Error(`${list}: ${answer.status} ${await answer.text()}`);
      const reader = answer.body!.getReader();
      await reader.read();
      times.push(performance.now() - started);
      await reader.cancel();
    }
    lines.push(
      `  list ${list}: first byte ${median(times).toFixed(0)} ms, at most ${Math.max(...times).toFixed(0)} ms`,
    );
  }
  return lines;
}
