import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { until } from '../support/until.ts';
import { createAccounts, stageAccounts } from './load.ts';
import { startStack, type Stack } from './stack.ts';
import { expectEachAccountOnce } from './assert-consistent.ts';

const ACCOUNTS = Number(process.env['SHUTDOWN_ACCOUNTS'] ?? 150);

let stack: Stack;
beforeAll(async () => {
  stack = await startStack();
});
afterAll(async () => {
  await stack?.stop();
});

test('SIGTERM of the API under load: each request is answered or its connection refused, and it ends with 0', async () => {
  const numbers = await stageAccounts(stack, ACCOUNTS);
  let exitCode: Promise<number | null> | undefined;
  const onCompleted = (count: number) => {
    if (count < ACCOUNTS / 3) return;
    exitCode ??= stack.terminate('api').finally(() => stack.start('api'));
  };
  const { completed, figures } = await createAccounts(stack, numbers, { clients: 32, pauseMs: 100, onCompleted });
  expect(await exitCode).toBe(0);
  expect([...figures.faults.keys()].filter((code) => code !== 'ECONNREFUSED')).toEqual([]);
  expect(completed.filter(({ status }) => status !== 201)).toEqual([]);
  await expectEachAccountOnce(stack, numbers, completed);
});

test('SIGTERM of the worker under load: it ends with 0, and what it left is done by the next one, without any request noticing', async () => {
  await stack.ready();
  const numbers = await stageAccounts(stack, ACCOUNTS, 10_001);
  let exitCode: Promise<number | null> | undefined;
  const onCompleted = (count: number) => {
    if (count < ACCOUNTS / 3) return;
    exitCode ??= stack.terminate('worker').finally(() => stack.start('worker'));
  };
  const { completed, figures } = await createAccounts(stack, numbers, { clients: 32, pauseMs: 100, onCompleted });
  expect(await exitCode).toBe(0);
  expect([...figures.answers.keys()]).toEqual([201]);
  await expectEachAccountOnce(stack, numbers, completed);
});

test.each(['worker', 'api'] as const)(
  'SIGTERM ends a process (%s) that has never reached Temporal, with 0',
  async (part) => {
    const lonely = await stack.startMore(part, { TEMPORAL_ADDRESS: '127.0.0.1:9', HTTP_PORT: '0', LOG_LEVEL: 'info' });
    const says = { worker: 'worker runs', api: 'API listens' }[part];
    const isUp = async () =>
      (await readFile(`${stack.folder}/${part}.log`, 'utf8'))
        .split('\n')
        .some((line) => line.includes(`"pid":${lonely.pid}`) && line.includes(says));
    await until(isUp);
    const beginsAt = performance.now();
    process.kill(lonely.pid, 'SIGTERM');
    expect(await lonely.whenExited).toBe(0);
    expect(performance.now() - beginsAt).toBeLessThan(15_000);
  },
);
