import { setTimeout as sleep } from 'node:timers/promises';
import { nextLines, runJob } from './jobs.ts';
import { median } from './measure.ts';

/** Accounts of one wave. */
const LINES = Number(process.env['BENCH_LINES'] ?? 20_000);
const ROUNDS = Number(process.env['BENCH_ROUNDS'] ?? 3);
/** The share of the creation after which its estimated end is compared with the real one. */
const ESTIMATED_AT = 0.05;

interface WavesBench {
  http: string;
  token: string;
  print(line?: string): void;
}

interface SeenWave {
  status: string;
  counts: { created: number; pending: number };
  gates: { name: string; state: string }[];
  jobs: { goal: string; succeeded: number }[];
  estimated_end_at: string | null;
}

/** Creation through a wave beside a plain job over the same number of staged accounts, in one run. */
export async function benchWaves(bench: WavesBench): Promise<void> {
  const call = callOf(bench);
  await runJob(bench, 'CREATE', nextLines(2_000));
  const [plain, waves, counted, errors, views]: number[][] = [[], [], [], [], []];
  for (let round = 0; round < ROUNDS; round += 1) {
    await runJob(bench, 'STAGE', nextLines(LINES));
    const job = await runJob(bench, 'CREATE');
    plain!.push(job.done / job.seconds);
    const measured = await createWave(bench, call, round);
    waves!.push(LINES / measured.seconds);
    counted!.push(measured.countedSeconds);
    if (measured.error !== undefined) errors!.push(measured.error);
    views!.push(...measured.views);
  }
  const ratio = median(waves!) / median(plain!);
  bench.print(
    `\nwaves of ${LINES} accounts of 4 KB (goals: 0.9 of a plain job; end estimated within 10 %; view under 100 ms)`,
  );
  bench.print(
    `  plain job ${median(plain!).toFixed(0).padStart(6)}/s   wave ${median(waves!).toFixed(0).padStart(6)}/s   ${ratio.toFixed(2)} of it`,
  );
  bench.print(`  the wave counts its members ${median(counted!).toFixed(1)} s after its job`);
  bench.print(
    `  estimated end after ${ESTIMATED_AT * 100} %: off by ${errors!.map((error) => `${(error * 100).toFixed(0)} %`).join(', ')}`,
  );
  bench.print(
    `  view of the wave: median ${median(views!).toFixed(0)} ms, slowest ${Math.max(...views!).toFixed(0)} ms`,
  );
}

type Call = <Body>(method: string, path: string, body?: object) => Promise<Body>;

function callOf({ http, token }: WavesBench): Call {
  return async (method, path, body) => {
    const response = await fetch(`${http}/v1/data-import/${path}`, {
      method,
      headers: { authorization: `Token ${token}`, 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const answer = await response.json();
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${JSON.stringify(answer)}`);
    return answer as never;
  };
}

/**
 * Stages, rehearses and creates a wave.
 * @returns seconds of its creation, like a plain job by the counts of the job; seconds until the members are counted; the error of the
 *   estimated end; times of views in ms
 */
async function createWave(
  bench: WavesBench,
  call: Call,
  round: number,
): Promise<{ seconds: number; countedSeconds: number; error: number | undefined; views: number[] }> {
  const { wave_id: wave } = await call<{ wave_id: string }>('POST', 'waves/', {
    import_supplier: 'BENCH',
    name: `Wave ${round} of ${new Date().toISOString()}`,
    operations_team_name: 'Migration',
  });
  await runJob(bench, 'STAGE', nextLines(LINES), () => {}, { waveId: wave });
  const views: number[] = [];
  const see = async () => {
    const began = performance.now();
    const seen = await call<SeenWave>('GET', `waves/${wave}/`);
    views.push(performance.now() - began);
    return seen;
  };
  const until = async (isSo: (seen: SeenWave) => boolean) => {
    for (;;) {
      const seen = await see();
      if (isSo(seen)) return seen;
      await sleep(250);
    }
  };
  const isPassed = (name: string) => (seen: SeenWave) =>
    seen.gates.some((gate) => gate.name === name && gate.state === 'passed');
  await until(isPassed('complete'));
  await call('POST', `waves/${wave}/rehearse/`);
  await until(isPassed('rehearsed'));
  const began = performance.now();
  await call('POST', `waves/${wave}/create/`);
  let estimated: { at: number; end: number } | undefined;
  await until(({ jobs, estimated_end_at: end }) => {
    const created = jobs.find(({ goal }) => goal === 'CREATE')?.succeeded ?? 0;
    if (estimated === undefined && end !== null && created >= ESTIMATED_AT * LINES) {
      estimated = { at: performance.now(), end: performance.now() + Date.parse(end) - Date.now() };
    }
    return created === LINES;
  });
  const ended = performance.now();
  await until(({ counts }) => counts.created === LINES);
  const countedSeconds = (performance.now() - ended) / 1_000;
  const error = estimated && Math.abs(estimated.end - ended) / (ended - began);
  return { seconds: (ended - began) / 1_000, countedSeconds, error, views };
}
