import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isSteady, warmUp } from './contenders.ts';
import { nextLines, runJob } from './jobs.ts';
import { load } from './load.ts';
import { median, processorSeconds } from './measure.ts';
import { storeResults, type Measured } from './results.ts';
import { startStack, type Stack } from './stack.ts';
import { benchAccount, seed, stageMany } from './stage-set.ts';
import { describeSurroundings } from './machine.ts';

/*
 * `npm run bench -- processes`: one, two and three API and worker processes on the same machine, with the same
 * callers: import suppliers with a key each; a proxy leads each to one API process (docs/running/processes.md). No
 * work may fall below 0.9 of one process, except the last line: one supplier whose requests go to all processes in
 * turn. The round with one process runs first and last, to show changes of the machine. Processes that have just
 * started are slow, and with three each gets a third of the requests, so each work is repeated until its rate is
 * steady before it is measured. BENCH_PROCESSES (1,2,3,1), BENCH_SECONDS (4), BENCH_ROUNDS (3), BENCH_WORKS (such as
 * `job`: the works whose names begin with it).
 */
const COUNTS = (process.env['BENCH_PROCESSES'] ?? '1,2,3,1').split(',').map(Number);
const SECONDS = Number(process.env['BENCH_SECONDS'] ?? 4);
const ROUNDS = Number(process.env['BENCH_ROUNDS'] ?? 3);
const LINES = Number(process.env['BENCH_LINES'] ?? 16_000);
const SUPPLIERS = ['BENCH', 'BENCH2', 'BENCH3', 'BENCH4'];
const CONNECTIONS = 32;
/** Connections of all loads together. */
const CREATED_A_SECOND_MAX = 1_200;
const STAGED_A_SECOND_MAX = 20_000;
const DATA_IMPORT = '/v1/data-import';

/** An import supplier with its key, and what it sends. */
interface Caller {
  supplier: string;
  token: string;
  accountFile: string;
  processFile: string;
}

interface Scene {
  stack: Stack;
  callers: Caller[];
}

/** A stack to measure, the number of API and worker processes of each measurement, and what to call it. */
export interface Measurement {
  start(): Promise<Stack>;
  counts: readonly number[];
  nameOf(count: number, index: number): string;
}

/** Some connections of a caller to one API process. */
interface CallerLoad {
  caller: Caller;
  url: string;
  connections: number;
}

/** What to measure: a rate, and the processor time of each unit by process. */
interface Rate {
  perSecond: number;
  p50?: number;
  refused: number;
  microseconds: Record<string, number>;
}

/** Jobs count lines. */
type Work = (
  scene: Scene,
  seconds: number,
) => Promise<{ requests: number; perSecond: number; p50?: number; refused: number }>;

type Print = (line?: string) => void;

/** Measures each count of processes, prints a table with ratios to one process, and stores it. */
export async function benchProcesses(print: Print): Promise<void> {
  const nameOf = (count: number, index: number) => `${count} of each, ${index + 1}.`;
  await measureStacks(
    [{ start: startStack, counts: COUNTS, nameOf }],
    'to one, two and three API and worker processes (goal: at least 0.9 of one, except "spread")',
    print,
  );
}

/** Measures the same works on each stack, one after the other, prints them with ratios to the first and stores them. */
export async function measureStacks(measurements: readonly Measurement[], title: string, print: Print): Promise<void> {
  const measured: Measured[] = [];
  for (const [index, measurement] of measurements.entries()) {
    const stack = await measurement.start();
    try {
      measured.push(...(await measureStack(stack, measurement, print)));
      if (index + 1 < measurements.length) continue;
      print(`\n${SUPPLIERS.length} suppliers, ${CONNECTIONS} connections, ${title}`);
      for (const line of describe(measured)) print(line);
      print(`\nstored as ${storeResults({ ...(await describeSurroundings(stack.database)), measured })}`);
    } finally {
      await stack.stop();
    }
  }
}

async function measureStack(stack: Stack, { counts, nameOf }: Measurement, print: Print): Promise<Measured[]> {
  const folder = await mkdtemp(join(tmpdir(), 'gangway-bench-files-'));
  try {
    const scene: Scene = { stack, callers: [] };
    for (const supplier of SUPPLIERS) scene.callers.push(await createCaller(stack.database, supplier, folder));
    const measured: Measured[] = [];
    for (const [index, count] of counts.entries()) {
      await stack.resize(count);
      for (const [name, work] of wantedWorks) {
        const warm = await warmUp((seconds) => work(scene, seconds), count);
        const rates: Rate[] = [];
        for (let round = 0; round < ROUNDS; round += 1) rates.push(await timed(scene, work));
        const one = { ...measuredOf(name, nameOf(count, index), rates), isSteady: isSteady(warm) };
        measured.push(one);
        print(`  ${name}, ${one.contender} ${rounded(one.perSecond)}, warmed up by ${rounded(warm)}`);
      }
    }
    return measured;
  } finally {
    await rm(folder, { recursive: true });
  }
}

async function createCaller(database: string, supplier: string, folder: string): Promise<Caller> {
  const [accountFile, processFile] = ['account', 'process'].map((name) => join(folder, `${name}-${supplier}.json`));
  await writeFile(accountFile!, JSON.stringify(benchAccount(supplier)));
  const process = {
    external_account_number: 'EXT-00000000',
    import_supplier_code: supplier,
    operations_team_name: 'Migration',
  };
  await writeFile(processFile!, JSON.stringify(process));
  return { supplier, token: await seed(database, supplier), accountFile: accountFile!, processFile: processFile! };
}

let created = 0;
let staged = 50_000_000;

const works: Record<string, Work> = {
  validate: (scene, seconds) =>
    loadAll(balanced(scene), seconds, 'validate-account/', ({ caller }) => ({ bodyFile: caller.accountFile })),
  stage: (scene, seconds) => {
    const range = STAGED_A_SECOND_MAX * seconds;
    return loadAll(balanced(scene), seconds, 'account-import-process/create-or-update/', ({ caller }) => ({
      bodyFile: caller.accountFile,
      first: (staged += range) - range,
    }));
  },
  create: (scene, seconds) => createAll(scene, seconds, balanced(scene)),
  'job, STAGE': (scene) => job(scene, 'STAGE'),
  'job, CREATE': (scene) => job(scene, 'CREATE'),
  'create, spread': (scene, seconds) => createAll(scene, seconds, spread(scene)),
};

const wantedWorks = Object.entries(works).filter(([name]) => name.startsWith(process.env['BENCH_WORKS'] ?? ''));

/** Each caller at one API process, evenly, or all at the proxy before them. */
function balanced({ stack: { apis, entrance }, callers }: Scene): CallerLoad[] {
  const connections = CONNECTIONS / callers.length;
  return callers.map((caller, index) => ({ caller, url: entrance ?? apis[index % apis.length]!, connections }));
}

/** One caller at all API processes. */
function spread({ stack: { apis }, callers: [caller] }: Scene): CallerLoad[] {
  return apis.map((url, index) => ({
    caller: caller!,
    url,
    connections: Math.floor(CONNECTIONS / apis.length) + (index < CONNECTIONS % apis.length ? 1 : 0),
  }));
}

async function createAll({ stack }: Scene, seconds: number, lanes: readonly CallerLoad[]) {
  const firsts = new Map<CallerLoad, number>();
  for (const lane of lanes) {
    const count = Math.floor((CREATED_A_SECOND_MAX * seconds) / lanes.length);
    await stageMany(stack.database, created + 1, count, lane.caller.supplier);
    firsts.set(lane, created);
    created += count;
  }
  return loadAll(lanes, seconds, 'account-import-process/process/', (lane) => ({
    bodyFile: lane.caller.processFile,
    first: firsts.get(lane)!,
  }));
}

async function job({ stack, callers: [caller] }: Scene, goal: string) {
  const { seconds, done } = await runJob(
    { http: stack.entrance ?? stack.apis[0]!, token: caller!.token },
    goal,
    nextLines(LINES),
  );
  return { requests: done, perSecond: done / seconds, refused: 0 };
}

/** All loads concurrently. */
async function loadAll(
  lanes: readonly CallerLoad[],
  seconds: number,
  path: string,
  sent: (lane: CallerLoad) => { bodyFile: string; first?: number },
) {
  const loads = await Promise.all(
    lanes.map((lane) =>
      load({
        url: `${lane.url}${DATA_IMPORT}/${path}`,
        token: lane.caller.token,
        connections: lane.connections,
        seconds,
        ...sent(lane),
      }),
    ),
  );
  const sum = (of: 'requests' | 'perSecond' | 'failed' | 'non2xx') => loads.reduce((total, one) => total + one[of], 0);
  return {
    requests: sum('requests'),
    perSecond: sum('perSecond'),
    p50: median(loads.map(({ p50 }) => p50)),
    refused: sum('failed') + sum('non2xx'),
  };
}

function rounded(rates: readonly number[]): string {
  return rates.map((rate) => rate.toFixed(0)).join(' ');
}

async function timed(scene: Scene, work: Work): Promise<Rate> {
  const used = () =>
    Object.fromEntries(
      Object.entries(scene.stack.pids()).map(([part, pids]) => [part, processorSeconds(pids)]),
    ) as Record<string, number>;
  const before = used();
  const { requests, ...rest } = await work(scene, SECONDS);
  const after = used();
  const microseconds = Object.fromEntries(
    Object.entries(after).map(([part, time]) => [part, ((time - before[part]!) * 1e6) / requests]),
  ) as Record<string, number>;
  return { microseconds, ...rest };
}

function measuredOf(what: string, contender: string, rates: readonly Rate[]): Measured {
  const parts = Object.keys(rates[0]!.microseconds);
  const p50 = rates.flatMap((rate) => rate.p50 ?? []);
  return {
    what,
    contender,
    perSecond: rates.map(({ perSecond }) => perSecond),
    ...(p50.length > 0 ? { p50 } : {}),
    microseconds: Object.fromEntries(parts.map((part) => [part, rates.map((rate) => rate.microseconds[part]!)])),
    refused: rates.reduce((sum, { refused }) => sum + refused, 0),
  };
}

/** A line for each; the reference is the better of the rounds with one process of each kind. */
function describe(measured: readonly Measured[]): string[] {
  return wantedWorks.flatMap(([name]) => {
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
        return `  ${one.contender.padEnd(16)} ${rate.toFixed(0).padStart(6)}/s   ${(rate / single).toFixed(2)} of one${p50}   us each: ${costs.join(', ')}${one.isSteady ? '' : '   NOT STEADY after the warm-up'}${one.refused ? `   ${one.refused} REJECTED` : ''}`;
      }),
    ];
  });
}
