import { MANIFEST_TYPE } from '../../src/manifest/manifest.schema.ts';
import { recordOf, runningTotals } from '../../src/manifest/index.ts';
import { nextLines, runJob, type JobsBench } from './jobs.ts';
import { median } from './measure.ts';

const LINES = Number(process.env['BENCH_LINES'] ?? 20_000);
const ROUNDS = Number(process.env['BENCH_ROUNDS'] ?? 3);
const WARM_UP_LINES = 2_000;
const GOALS = ['VALIDATE', 'STAGE', 'CREATE'] as const;

/** What a manifest costs: uploaded jobs that compare their records with one, beside the same jobs without. */
export async function benchManifestsOfJobs(bench: Pick<JobsBench, 'http' | 'token' | 'print'>): Promise<void> {
  await runJob(bench, 'CREATE', nextLines(WARM_UP_LINES));
  const ratios = new Map<string, number[]>();
  const rates = new Map<string, number[]>();
  const note = (all: Map<string, number[]>, name: string, value: number) =>
    all.set(name, [...(all.get(name) ?? []), value]);
  for (let round = 0; round < ROUNDS; round += 1) {
    for (const goal of GOALS) {
      const [without, compared] = [nextLines(LINES), nextLines(LINES)];
      const manifest = manifestOf(compared);
      const plain = await runJob(bench, goal, without);
      const counted = await runJob(bench, goal, compared, undefined, { manifest });
      note(rates, goal, LINES / plain.seconds);
      note(rates, `${goal} with a manifest`, LINES / counted.seconds);
      note(ratios, goal, plain.seconds / counted.seconds);
    }
  }
  bench.print(`\nimport jobs of ${LINES} accounts of 4 KB with a manifest, beside the same without`);
  for (const goal of GOALS) {
    const [plain, counted] = [median(rates.get(goal)!), median(rates.get(`${goal} with a manifest`)!)];
    const ratio = median(ratios.get(goal)!);
    bench.print(
      `  ${goal.padEnd(10)} ${plain.toFixed(0).padStart(6)}/s   with a manifest ${counted.toFixed(0).padStart(6)}/s   ${ratio.toFixed(2)} of it`,
    );
  }
}

function manifestOf(lines: readonly string[]): object {
  const totals = runningTotals();
  for (const line of lines) totals.add('accounts', recordOf('accounts', JSON.parse(line)));
  return { type: MANIFEST_TYPE, kinds: totals.kinds() };
}
