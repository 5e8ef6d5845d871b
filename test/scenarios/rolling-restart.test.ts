import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { Connection } from '@temporalio/client';
import type { RunningProcess } from '../../src/local-stack/running-process.ts';
import { createAccounts, stageAccounts } from './load.ts';
import { startStack, type Stack } from './stack.ts';
import { reservePort } from '../support/test-port.ts';
import { until } from '../support/until.ts';
import { expectEachAccountOnce } from './assert-consistent.ts';

// By hand also with ROLLING_ACCOUNTS=1200 ROLLING_RESTARTS=100 FIGURES=1.
const ACCOUNTS = Number(process.env['ROLLING_ACCOUNTS'] ?? 250);
/** The load ends after so many: each costs as much processor time as some hundred accounts. */
const RESTARTS = Number(process.env['ROLLING_RESTARTS'] ?? 3);
/** Between two creations of a client, so that the load lasts on a quick machine too. */
const BREAK_MS = 250;
const SLOW_MS = 1_500;
/** Below the ten seconds after which Temporal gives up on a task unless told otherwise, and far above what a loaded machine adds to two. */
const SLOWEST_MS = 8_000;

let stack: Stack;
let temporal: Connection;
const workers: RunningProcess[] = [];
beforeAll(async () => {
  stack = await startStack();
  temporal = await Connection.connect({ address: stack.temporalAddress });
  const healthPorts = [await reservePort(), await reservePort()];
  for (const port of healthPorts) workers.push(await stack.startMore('worker', { WORKER_HEALTH_PORT: String(port) }));
  for (const port of healthPorts) await until(() => isReady(port), 200);
});
afterAll(async () => {
  await temporal?.close();
  for (const worker of workers) await worker.stop();
  await stack?.stop();
});

const isReady = (port: number) =>
  fetch(`http://127.0.0.1:${port}/healthz/ready`).then(
    ({ ok }) => ok,
    () => false,
  );

/** Runs that took long, with the times of their events in milliseconds since the first. */
async function slowRuns(): Promise<string[]> {
  const { executions } = await temporal.workflowService.listWorkflowExecutions({
    namespace: 'default',
    pageSize: 1_000,
    query: `WorkflowType = 'createAccounts' and ExecutionDuration > '${SLOW_MS}ms'`,
  });
  const told: string[] = [];
  for (const { execution } of executions.slice(0, 20)) {
    const { history } = await temporal.workflowService.getWorkflowExecutionHistory({ namespace: 'default', execution });
    const at = (event: { eventTime?: { seconds?: unknown; nanos?: number | null } | null }) =>
      Number(event.eventTime?.seconds) * 1_000 + Number(event.eventTime?.nanos ?? 0) / 1e6;
    const [first] = history?.events ?? [];
    told.push(
      (history?.events ?? [])
        .map(
          (event) =>
            `${Math.round(at(event) - at(first!))} ${Object.keys(event)
              .find((key) => key.endsWith('Attributes'))
              ?.replace(
                'EventAttributes',
                '',
              )} ${event.workflowTaskStartedEventAttributes?.identity ?? ''}${event.workflowTaskTimedOutEventAttributes?.timeoutType ?? ''}`,
        )
        .join('\n    '),
    );
  }
  return told;
}

test.each<[string, 'SIGTERM' | 'SIGKILL', number]>([
  ['ended', 'SIGTERM', 1],
  ['killed', 'SIGKILL', 100_001],
])(
  'workers that are %s in turn under load hold up no creation for long',
  async (_what, signal, from) => {
    const numbers = await stageAccounts(stack, ACCOUNTS, from);
    let isOver = false;
    let restarts = 0;
    const stopWhen = () => restarts >= RESTARTS;
    const creating = createAccounts(stack, numbers, { clients: 8, pauseMs: 100, breakMs: BREAK_MS, stopWhen }).finally(
      () => {
        isOver = true;
      },
    );
    while (!isOver) {
      const worker = workers.shift() as RunningProcess;
      process.kill(worker.pid, signal);
      await worker.whenExited;
      workers.push(await stack.startMore('worker', {}));
      restarts += 1;
      await sleep(3_000);
    }
    const { completed, figures } = await creating;
    if (process.env['FIGURES']) {
      process.stderr.write(
        `workers restarted by ${signal}: ${restarts} times, answers ${JSON.stringify([...figures.answers])}, slowest ${Math.round(figures.slowestAnswerMs)} ms\n`,
      );
      for (const run of await slowRuns()) process.stderr.write(`  slow run\n    ${run}\n`);
    }
    expect(restarts).toBeGreaterThan(1);
    expect([...figures.answers]).toEqual([[201, completed.length]]);
    // A task that is lost with its worker is given to another one after two seconds.
    expect(figures.slowestAnswerMs).toBeLessThan(SLOWEST_MS);
    const created = completed.map(({ externalAccountNumber }) => externalAccountNumber);
    await expectEachAccountOnce(stack, created, completed);
  },
  300_000,
);
