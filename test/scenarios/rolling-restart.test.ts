import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { Connection } from '@temporalio/client';
import type { RunningProcess } from '../../src/local-stack/running-process.ts';
import { createAccounts, stageAccounts, type Target } from './load.ts';
import { startStack, withoutThread, type Stack } from './stack.ts';
import { reservePort } from '../support/test-port.ts';
import { until } from '../support/until.ts';
import { expectEachAccountOnce } from './assert-consistent.ts';

// By hand also with ROLLING_ACCOUNTS=1200 ROLLING_RESTARTS=100 FIGURES=1.
const ACCOUNTS = Number(process.env['ROLLING_ACCOUNTS'] ?? 250);
/** The load ends after this number: each costs the processor time of several hundred accounts. */
const RESTARTS = Number(process.env['ROLLING_RESTARTS'] ?? 2);
/** Between two creations of a client, so that the load lasts on a fast machine, too. */
const BREAK_MS = 500;
const SLOW_MS = 800;
/** Interval of the readiness checks; processes wait three seconds for them. */
const POLL_MS = 200;
/** Of a workflow task that is lost with its worker. Temporal's default of ten seconds would delay callers for as long. */
const TASK_TIMEOUT_SECONDS = 1;

/** A process and the address of its readiness. */
interface Member {
  port: number;
  running: RunningProcess;
}

let stack: Stack;
let temporal: Connection;
/** Processes that were terminated, in order. */
const ended: number[] = [];
const members: Record<'worker' | 'api', Member[]> = { worker: [], api: [] };
beforeAll(async () => {
  const port = await reservePort();
  stack = await startStack({ ...withoutThread, WORKER_HEALTH_PORT: String(port) });
  temporal = await Connection.connect({ address: stack.temporalAddress });
  members.worker.push({ port, running: stack.process('worker') });
  members.api.push({ port: Number(new URL(stack.url).port), running: stack.process('api') });
  for (const part of ['worker', 'api'] as const) members[part].push(await startMember(part));
  for (const { port } of [...members.worker, ...members.api]) await until(() => isReady(port), 200);
});
afterAll(async () => {
  await temporal?.close();
  await stack?.stop();
});

async function startMember(part: 'worker' | 'api'): Promise<Member> {
  const port = await reservePort();
  const setting = { worker: 'WORKER_HEALTH_PORT', api: 'HTTP_PORT' }[part];
  return { port, running: await stack.startMore(part, { [setting]: String(port) }) };
}

const isReady = (port: number) =>
  fetch(`http://127.0.0.1:${port}/healthz/ready`).then(
    ({ ok }) => ok,
    () => false,
  );

/** Sends each request to the next ready API, like a load balancer. */
function balanced(): Target & { stop(): void } {
  let ready = members.api.map(({ port }) => port);
  let next = 0;
  const looking = setInterval(() => {
    void Promise.all(members.api.map(async ({ port }) => ((await isReady(port)) ? [port] : []))).then((ports) => {
      ready = ports.flat();
    });
  }, POLL_MS);
  return {
    token: stack.token,
    get url() {
      return `http://127.0.0.1:${ready[(next += 1) % ready.length]}`;
    },
    stop: () => clearInterval(looking),
  };
}

/** Starts a process, waits until it is ready, and ends the oldest one. */
async function replaceOldest(part: 'worker' | 'api', signal: 'SIGTERM' | 'SIGKILL'): Promise<void> {
  const { running } = members[part][0]!;
  process.kill(running.pid, signal);
  ended.push(running.pid);
  await running.whenExited;
  members[part].shift();
  const started = await startMember(part);
  members[part].push(started);
  await until(() => isReady(started.port), 100);
}

/** Workflow task timeouts of the latest creations. */
async function taskTimeouts(): Promise<Set<number>> {
  const { executions } = await temporal.workflowService.listWorkflowExecutions({
    namespace: 'default',
    pageSize: 20,
    query: `WorkflowType = 'createAccounts'`,
  });
  const seconds = executions.map(async ({ execution }) => {
    const { history } = await temporal.workflowService.getWorkflowExecutionHistory({ namespace: 'default', execution });
    const [first] = history?.events ?? [];
    return Number(first?.workflowExecutionStartedEventAttributes?.workflowTaskTimeout?.seconds);
  });
  return new Set(await Promise.all(seconds));
}

/** Slow runs, with the times of their events in milliseconds since the first. */
async function slowRuns(): Promise<string[]> {
  const { executions } = await temporal.workflowService.listWorkflowExecutions({
    namespace: 'default',
    pageSize: 1_000,
    query: `WorkflowType = 'createAccounts' and ExecutionDuration > '${SLOW_MS}ms'`,
  });
  const descriptions: string[] = [];
  for (const { execution } of executions.slice(0, 20)) {
    const { history } = await temporal.workflowService.getWorkflowExecutionHistory({ namespace: 'default', execution });
    const at = (event: { eventTime?: { seconds?: unknown; nanos?: number | null } | null }) =>
      Number(event.eventTime?.seconds) * 1_000 + Number(event.eventTime?.nanos ?? 0) / 1e6;
    const [first] = history?.events ?? [];
    descriptions.push(
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
  return descriptions;
}

test.each<[string, 'SIGTERM' | 'SIGKILL', ('worker' | 'api')[], number]>([
  ['workers and interfaces that are ended', 'SIGTERM', ['worker', 'api'], 1],
  ['workers that are killed', 'SIGKILL', ['worker'], 100_001],
])(
  'delays no creation for long, and rejects none, while %s restart in turn under load',
  async (_what, signal, parts, from) => {
    const target = balanced();
    const numbers = await stageAccounts(target, ACCOUNTS, from);
    let isOver = false;
    let restarts = 0;
    const stopWhen = () => restarts >= RESTARTS;
    const creating = createAccounts(target, numbers, { clients: 8, pauseMs: 100, breakMs: BREAK_MS, stopWhen }).finally(
      () => {
        isOver = true;
        target.stop();
      },
    );
    while (!isOver) {
      await Promise.all(parts.map((part) => replaceOldest(part, signal)));
      restarts += 1;
      await sleep(1_000);
    }
    const { completed, figures } = await creating;
    if (process.env['FIGURES']) {
      process.stderr.write(
        `${parts.join(' and ')} restarted by ${signal}: ${restarts} times, answers ${JSON.stringify([...figures.answers])}, slowest ${Math.round(figures.slowestAnswerMs)} ms; ended: ${ended.join(' ')}\n`,
      );
      for (const run of await slowRuns()) process.stderr.write(`  slow run\n    ${run}\n`);
    }
    expect(restarts).toBeGreaterThan(1);
    expect(figures.unavailable).toEqual([]);
    expect([...figures.answers]).toEqual([[201, completed.length]]);
    expect(await taskTimeouts()).toEqual(new Set([TASK_TIMEOUT_SECONDS]));
    const created = completed.map(({ externalAccountNumber }) => externalAccountNumber);
    await expectEachAccountOnce(stack, created, completed);
  },
  300_000,
);
