import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { Connection } from '@temporalio/client';
import { createAccounts, stageAccounts } from './load.ts';
import { startStack, type Stack } from './stack.ts';
import { expectEachAccountOnce } from './assert-consistent.ts';

/** Long enough for callers to lose their patience (set to 3 s here); by hand also with OUTAGE_SECONDS=120. */
const OUTAGE_MS = Number(process.env['OUTAGE_SECONDS'] ?? 8) * 1_000;
const PATIENCE_MS = 3_000;
const CLIENTS = 96;
const BREAK_MS = 150;

let stack: Stack;
let temporal: Connection;
beforeAll(async () => {
  stack = await startStack({ CREATION_PATIENCE_MS: String(PATIENCE_MS) });
  temporal = await Connection.connect({ address: stack.temporalAddress });
});
afterAll(async () => {
  await temporal?.close();
  await stack?.stop();
});

const BATCHES = `WorkflowType = 'createAccounts'`;
async function countRuns(query: string): Promise<number> {
  const { count } = await temporal.workflowService.countWorkflowExecutions({ namespace: 'default', query });
  return Number(count);
}
const openBatches = () => countRuns(`${BATCHES} and ExecutionStatus = 'Running'`);

test.each<[string, 'killed' | 'frozen', number]>([
  ['killed', 'killed', 1],
  ['frozen', 'frozen', 100_001],
])(
  'with Postgres %s under load few batches wait, callers are answered, and after it all goes on at full speed with nothing doubled',
  async (_what, how, from) => {
    const numbers = await stageAccounts(stack, Number(process.env['OUTAGE_ACCOUNTS'] ?? 600), from);
    let count = 0;
    let refused = 0;
    const creating = createAccounts(stack, numbers, {
      clients: CLIENTS,
      pauseMs: 500,
      // So that the load lasts until the database is away.
      breakMs: BREAK_MS,
      onCompleted: (completed) => {
        count = completed;
      },
      onAnswer: (status) => {
        if (status === 503) refused += 1;
      },
    });
    while (count < numbers.length / 3) await sleep(10);
    const beginsAt = performance.now();
    const thaw = await takePostgresAway(how);
    let batchesMax = 0;
    const [countBefore, refusedBefore] = [count, refused];
    // Until every caller has lost its patience, and been told so while the database is still away.
    while (performance.now() - beginsAt < OUTAGE_MS || refused - refusedBefore < CLIENTS) {
      batchesMax = Math.max(batchesMax, await openBatches());
      await sleep(500);
    }
    await thaw();
    const isBackAt = performance.now();
    const countAtReturn = count;
    while (count === countAtReturn) await sleep(20);
    const firstAfterMs = performance.now() - isBackAt;
    const { completed, figures } = await creating;
    const allAfterMs = performance.now() - isBackAt;
    if (process.env['FIGURES']) {
      const rate = (from_: number, to: number) =>
        figures.completedAtSeconds.filter((at) => at >= from_ && at < to).length;
      const perSecond = Array.from({ length: Math.ceil(figures.completedAtSeconds.at(-1) ?? 0) }, (_, second) =>
        rate(second, second + 1),
      ).join(' ');
      process.stderr.write(
        `outage (${how}): before ${countBefore}, most open batches ${batchesMax}, first after ${Math.round(firstAfterMs)} ms, all after ${Math.round(allAfterMs)} ms, answers ${JSON.stringify([...figures.answers])}, slowest ${Math.round(figures.slowestAnswerMs)} ms\nper second: ${perSecond}\n`,
      );
    }
    // There are some to count; none may be open when a token had to be looked up just then.
    expect(await countRuns(BATCHES)).toBeGreaterThan(0);
    expect(batchesMax).toBeLessThanOrEqual(64);
    await expectEachAccountOnce(stack, numbers, completed);
    while ((await openBatches()) > 0) await sleep(200);
  },
  120_000 + 2 * OUTAGE_MS,
);

/** Kills Postgres, or stops all its processes so that it neither answers nor hangs up; returns how to bring it back. */
async function takePostgresAway(how: 'killed' | 'frozen'): Promise<() => Promise<void>> {
  if (how === 'killed') {
    await stack.kill('postgres');
    return () => stack.start('postgres');
  }
  const { pid } = stack.process('postgres');
  const backends = (await stack.query<{ pid: number }>('select pid from pg_stat_activity')).map((row) => row.pid);
  const signal = (name: NodeJS.Signals) => {
    for (const one of [pid, ...backends]) {
      try {
        process.kill(one, name);
      } catch {
        // A backend that has ended meanwhile.
      }
    }
  };
  signal('SIGSTOP');
  return async () => {
    signal('SIGCONT');
  };
}
