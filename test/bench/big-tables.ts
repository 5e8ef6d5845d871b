import { chmod, mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type pg from 'pg';
import { generateRows } from '../support/generated-rows.ts';
import { preparedQueries } from '../support/prepared-queries.ts';
import { nodesOf } from '../support/query-plan.ts';
import { removeDataFolder } from '../support/remove-data-folder.ts';
import { load } from './load.ts';
import { median, stopChild } from './measure.ts';
import { createTemplate } from './pages.ts';
import { ownersUrl, startUp, type UpFile } from './platform.ts';
import { benchAccount, seed, stageMany, withClient } from './stage-set.ts';

/*
 * `npm run bench -- big-tables`: rates of staging and creation, and the plans of all prepared queries, on fresh data
 * and again with many rows (BENCH_STAGED staged and BENCH_ACCOUNTS other accounts); then how long lists take. Filling
 * takes about half an hour and 60 GB for the default.
 */
const ACCOUNTS = Number(process.env['BENCH_ACCOUNTS'] ?? 2_000_000);
const STAGED = Number(process.env['BENCH_STAGED'] ?? 10_000_000);
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
  const folder = await mkdtemp(join(tmpdir(), 'gangway-big-tables-'));
  await chmod(folder, 0o755);
  const { up, child } = await startUp(folder);
  try {
    const owner = await ownersUrl(folder, up.database);
    const scene = { up, owner, token: await seed(owner), folder, next: 1 };
    await createTemplate(up, scene.token);
    const before = { plans: await plansOf(up.database), ...(await ratesOf(scene)) };
    await withClient(owner, (client) => fill(client, print));
    const after = { plans: await plansOf(up.database), ...(await ratesOf(scene)) };
    print(`\n${STAGED} staged and ${ACCOUNTS} other accounts, beside an empty database`);
    for (const kind of ['stage', 'create'] as const) {
      const ratio = (after[kind] / before[kind]).toFixed(2);
      print(`  ${kind.padEnd(8)} ${before[kind].toFixed(0)}/s empty, ${after[kind].toFixed(0)}/s filled: ${ratio}`);
    }
    const changed = [...after.plans].filter(([name, plan]) => before.plans.get(name) !== plan);
    print(`  ${after.plans.size} prepared queries, ${changed.length} with another plan`);
    for (const [name, plan] of changed) {
      print(`    ${name}\n      before ${before.plans.get(name)}\n      now    ${plan}`);
    }
    for (const line of await listTimes(scene)) print(line);
  } finally {
    await stopChild(child);
    await removeDataFolder(folder);
  }
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
async function listTimes({ up, owner, token }: Scene): Promise<string[]> {
  await withClient(owner, (client) =>
    client.query(
      `insert into api_key_import_supplier (api_key_id, import_supplier) select id, $1 from api_key where name = 'bench'`,
      [LISTED],
    ),
  );
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
