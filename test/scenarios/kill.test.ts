import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { createAccounts, stageAccounts } from './load.ts';
import { startStack, type Part, type Stack } from './stack.ts';
import { expectEachAccountOnce } from './assert-consistent.ts';

const ACCOUNTS = Number(process.env['KILL_ACCOUNTS'] ?? 200);
/** Generous: a machine under load must not fail this; some ten seconds are usual. */
const COMPLETED_WITHIN_MS = 60_000;

let stack: Stack;
beforeAll(async () => {
  stack = await startStack();
});
afterAll(async () => {
  await stack?.stop();
});

test('with worker, API, Temporal and Postgres killed in turn under load, each account is created once and every number told is true', async () => {
  const numbers = await stageAccounts(stack, ACCOUNTS);
  const killAt: [share: number, part: Part][] = [
    [0.1, 'worker'],
    [0.3, 'api'],
    [0.5, 'temporal'],
    [0.7, 'postgres'],
  ];
  let lastRestartAt = 0;
  let disturbing = Promise.resolve();
  const onCompleted = (count: number) => {
    while (killAt[0] && count >= killAt[0][0] * ACCOUNTS) {
      const [, part] = killAt.shift() as [number, Part];
      disturbing = disturbing
        .then(() => stack.kill(part))
        .then(() => stack.start(part))
        .then(() => {
          lastRestartAt = performance.now();
        });
    }
  };
  const { completed, figures } = await createAccounts(stack, numbers, { clients: 32, pauseMs: 200, onCompleted });
  await disturbing;
  const completedMs = performance.now() - lastRestartAt;
  if (process.env['FIGURES']) {
    process.stderr.write(
      `kill: completed ${Math.round(completedMs)} ms after the last restart; answers ${JSON.stringify([...figures.answers])}; slowest ${Math.round(figures.slowestAnswerMs)} ms; in all ${figures.completedAtSeconds.at(-1)?.toFixed(1)} s\n`,
    );
  }
  expect(killAt).toEqual([]);
  expect(completedMs).toBeLessThan(COMPLETED_WITHIN_MS);
  await expectEachAccountOnce(stack, numbers, completed);
}, 300_000);
