import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { createAccounts, stageAccounts } from './load.ts';
import { until } from '../support/until.ts';
import { startStack, type Stack } from './stack.ts';
import { expectEachAccountOnce } from './assert-consistent.ts';

const AWAY_MS = Number(process.env['TEMPORAL_AWAY_SECONDS'] ?? 6) * 1_000;
const ACCOUNTS = Number(process.env['TEMPORAL_AWAY_ACCOUNTS'] ?? 240);

let stack: Stack;
beforeAll(async () => {
  stack = await startStack();
});
afterAll(async () => {
  await stack?.stop();
});

const health = async () => {
  const answer = await fetch(`${stack.url}/healthz/ready`);
  return { status: answer.status, body: (await answer.json()) as { temporal?: string; database?: string } };
};
const residentMb = (part: 'api' | 'worker') =>
  Math.round(
    Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${stack.process(part).pid}/status`, 'utf8'))?.[1]) / 1_024,
  );

test(
  'with Temporal away under load, staging goes on, creations are answered 503 soon, and after it all is created once',
  async () => {
    const numbers = await stageAccounts(stack, ACCOUNTS);
    let count = 0;
    const creating = createAccounts(stack, numbers, {
      clients: 32,
      pauseMs: 300,
      onCompleted: (completed) => {
        count = completed;
      },
    });
    while (count < ACCOUNTS / 3) await sleep(10);
    const memoryBefore = [residentMb('api'), residentMb('worker')];
    await stack.kill('temporal');
    const awayAt = performance.now();
    await stageAccounts(stack, 20, 100_001);
    // What it tells is up to a second old, and so is what that was made from.
    await until(async () => (await health()).status === 503);
    expect(await health()).toMatchObject({ body: { temporal: 'away', database: 'ok' } });
    expect((await fetch(`${stack.url}/healthz/live`)).status).toBe(200);
    await sleep(Math.max(0, AWAY_MS - (performance.now() - awayAt)));
    const memoryAfter = [residentMb('api'), residentMb('worker')];
    await stack.start('temporal');
    const backAt = performance.now();
    const countAtReturn = count;
    while (count === countAtReturn) await sleep(20);
    const firstAfterMs = performance.now() - backAt;
    const { completed, figures } = await creating;
    if (process.env['FIGURES']) {
      const perSecond = Array.from(
        { length: Math.ceil(figures.completedAtSeconds.at(-1) ?? 0) },
        (_, second) => figures.completedAtSeconds.filter((at) => Math.floor(at) === second).length,
      ).join(' ');
      const said = new Map<string, number>();
      for (const part of ['worker', 'api']) {
        for (const line of readFileSync(`${stack.folder}/${part}.log`, 'utf8')
          .split('\n')
          .filter((text) => text.startsWith('{'))) {
          const { msg } = JSON.parse(line) as { msg: string };
          if (msg !== 'request') said.set(`${part}: ${msg}`, (said.get(`${part}: ${msg}`) ?? 0) + 1);
        }
      }
      process.stderr.write(`logged: ${JSON.stringify([...said], undefined, 1)}\n`);
      process.stderr.write(
        `Temporal away: first after ${Math.round(firstAfterMs)} ms, answers ${JSON.stringify([...figures.answers])}, slowest ${Math.round(figures.slowestAnswerMs)} ms, memory of api and worker ${memoryBefore} -> ${memoryAfter} MB\nper second: ${perSecond}\n`,
      );
    }
    expect(figures.faults.size).toBe(0);
    await expectEachAccountOnce(stack, numbers, completed);
    expect(await health()).toMatchObject({ status: 200 });
  },
  180_000 + 2 * AWAY_MS,
);
