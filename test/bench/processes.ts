import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { nextLines, runJob } from './jobs.ts';
import { load } from './load.ts';
import { median, processorSeconds } from './measure.ts';
import { keepResults, type Measured } from './results.ts';
import { startStack, type Part, type Stack } from './stack.ts';
import { benchAccount, seed, stageMany, withClient } from './stage-set.ts';
import { describeSurroundings } from './surroundings.ts';

/*
 * `npm run bench -- processes`: one, two and three API and worker processes on the same machine, with the same callers. Nothing may get worse than 0.9 of
 * one. Those of one come first and last, so that a machine that changes meanwhile shows. BENCH_PROCESSES (1,2,3,1), BENCH_SECONDS (4), BENCH_ROUNDS (2).
 */
const COUNTS = (process.env['BENCH_PROCESSES'] ?? '1,2,3,1').split(',').map(Number);
const SECONDS = Number(process.env['BENCH_SECONDS'] ?? 4);
const ROUNDS = Number(process.env['BENCH_ROUNDS'] ?? 2);
const LINES = Number(process.env['BENCH_LINES'] ?? 8_000);
const WARM_SECONDS = 5;
const CONNECTIONS = 32;
const CREATED_A_SECOND_MAX = 1_000;
const STAGED_A_SECOND_MAX = 20_000;
const DATA_IMPORT = '/v1/data-import';

interface Scene {
  stack: Stack;
  token: string;
  accountFile: string;
  processFile: string;
}

/** What is measured: a rate, and the processor time of one by process. */
interface Rate {
  perSecond: number;
  p50?: number;
  refused: number;
  microseconds: Record<Part, number>;
}

type Work = (
  scene: Scene,
  seconds: number,
) => Promise<{ done: number; seconds: number; p50?: number; refused: number }>;

/** Measures each count of processes, prints a table with ratios to one, and keeps it. */
export async function benchProcesses(print: (line?: string) => void): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'gangway-bench-files-'));
  const stack = await startStack();
  try {
    const scene = { stack, token: await seed(stack.database), ...(await writeBodies(folder)) };
    const measured: Measured[] = [];
    for (const [index, count] of COUNTS.entries()) {
      await stack.resize(count);
      for (const name of ['validate', 'stage', 'create']) await works[name]!(scene, WARM_SECONDS);
      for (const [name, work] of Object.entries(works)) {
        const rates: Rate[] = [];
        for (let round = 0; round < ROUNDS; round += 1) rates.push(await timed(scene, work));
        const one = measuredOf(name, `${count} of each, ${index + 1}.`, rates);
        measured.push(one);
        print(`  ${name}, ${one.contender} ${median(one.perSecond).toFixed(0)}/s`);
      }
    }
    print(`\n${CONNECTIONS} connections to one, two and three API and worker processes (goal: at least 0.9 of one)`);
    for (const line of describe(measured)) print(line);
    const version = await withClient(
      stack.database,
      async (client) => (await client.query('show server_version')).rows[0].server_version,
    );
    print(`\nkept as ${keepResults({ ...describeSurroundings(version), measured })}`);
  } finally {
    await stack.stop();
    await rm(folder, { recursive: true });
  }
}

async function writeBodies(folder: string): Promise<Pick<Scene, 'accountFile' | 'processFile'>> {
  const [accountFile, processFile] = [join(folder, 'account.json'), join(folder, 'process.json')];
  await writeFile(accountFile, JSON.stringify(benchAccount()));
  const process = {
    external_account_number: 'EXT-00000000',
    import_supplier_code: 'BENCH',
    operations_team_name: 'Migration',
  };
  await writeFile(processFile, JSON.stringify(process));
  return { accountFile, processFile };
}

let created = 0;
let staged = 50_000_000;

const works: Record<string, Work> = {
  validate: (scene, seconds) => loadAll(scene, seconds, 'validate-account/', scene.accountFile),
  stage: (scene, seconds) => {
    const first = staged;
    staged += STAGED_A_SECOND_MAX * seconds;
    return loadAll(scene, seconds, 'account-import-process/create-or-update/', scene.accountFile, {
      first,
      last: staged,
    });
  },
  create: async (scene, seconds) => {
    const first = created;
    created += CREATED_A_SECOND_MAX * seconds;
    await stageMany(scene.stack.database, first + 1, created - first);
    return loadAll(scene, seconds, 'account-import-process/process/', scene.processFile, { first, last: created });
  },
  'job, STAGE': (scene) => job(scene, 'STAGE'),
  'job, CREATE': (scene) => job(scene, 'CREATE'),
};

async function job({ stack, token }: Scene, goal: string) {
  const { seconds, done } = await runJob({ http: stack.apis[0]!, token }, goal, nextLines(LINES));
  return { seconds, done, refused: 0 };
}

/** The same number of connections, shared out over the API processes; so are the numbers. */
async function loadAll(
  { stack, token }: Scene,
  seconds: number,
  path: string,
  bodyFile: string,
  numbers?: { first: number; last: number },
) {
  const { apis } = stack;
  const loads = await Promise.all(
    apis.map((url, index) => {
      const connections = Math.floor(CONNECTIONS / apis.length) + (index < CONNECTIONS % apis.length ? 1 : 0);
      const own = numbers && {
        first: numbers.first + Math.floor(((numbers.last - numbers.first) / apis.length) * index),
      };
      return load({ url: `${url}${DATA_IMPORT}/${path}`, bodyFile, token, connections, seconds, ...own });
    }),
  );
  const sum = (of: 'requests' | 'failed' | 'non2xx') => loads.reduce((total, one) => total + one[of], 0);
  const perSecond = loads.reduce((total, one) => total + one.perSecond, 0);
  const done = sum('requests');
  return {
    done,
    seconds: done / perSecond,
    p50: median(loads.map(({ p50 }) => p50)),
    refused: sum('failed') + sum('non2xx'),
  };
}

async function timed(scene: Scene, work: Work): Promise<Rate> {
  const used = () =>
    Object.fromEntries(
      Object.entries(scene.stack.pids()).map(([part, pids]) => [part, processorSeconds(pids)]),
    ) as Record<Part, number>;
  const before = used();
  const { done, seconds, ...rest } = await work(scene, SECONDS);
  const after = used();
  const microseconds = Object.fromEntries(
    Object.entries(after).map(([part, time]) => [part, ((time - before[part as Part]) * 1e6) / done]),
  ) as Record<Part, number>;
  return { perSecond: done / seconds, microseconds, ...rest };
}

function measuredOf(what: string, contender: string, rates: readonly Rate[]): Measured {
  const parts = Object.keys(rates[0]!.microseconds) as Part[];
  const p50 = rates.flatMap((rate) => rate.p50 ?? []);
  return {
    what,
    contender,
    perSecond: rates.map(({ perSecond }) => perSecond),
    ...(p50.length > 0 ? { p50 } : {}),
    microseconds: Object.fromEntries(parts.map((part) => [part, rates.map((rate) => rate.microseconds[part])])),
    refused: rates.reduce((sum, { refused }) => sum + refused, 0),
  };
}

/** A line for each; what is compared with is the better of the times in which there was one of each. */
function describe(measured: readonly Measured[]): string[] {
  return Object.keys(works).flatMap((name) => {
    const own = measured.filter(({ what }) => what === name);
    const single = Math.max(
      ...own.filter(({ contender }) => contender.startsWith('1 ')).map(({ perSecond }) => median(perSecond)),
    );
    return [
      name,
      ...own.map((one) => {
        const rate = median(one.perSecond);
        const costs = Object.entries(one.microseconds!).map(
          ([part, list]) => `${part} ${Math.min(...list).toFixed(0)}`,
        );
        const p50 = one.p50 ? `   p50 ${median(one.p50).toFixed(0)} ms` : '';
        return `  ${one.contender.padEnd(16)} ${rate.toFixed(0).padStart(6)}/s   ${(rate / single).toFixed(2)} of one${p50}   us each: ${costs.join(', ')}${one.refused ? `   ${one.refused} REFUSED` : ''}`;
      }),
    ];
  });
}
