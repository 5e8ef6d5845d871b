import { hostname } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import {
  bundleWorkflowCode,
  DefaultLogger,
  Worker,
  type NativeConnection,
  type ActivityInterceptorsFactory,
  type WorkerOptions as WorkerSettings,
  type WorkflowBundle,
  type WorkflowBundleOption,
} from '@temporalio/worker';
import { loggedFault, type Log } from '../log.ts';
import { isTracing } from '../traces/traces.ts';
import type { TemporalGateway } from './temporal-gateway.ts';
import { traceActivities, traceSinks } from './trace-interceptors.ts';

export interface WorkerOptions {
  gateway: TemporalGateway;
  interceptors: readonly ActivityInterceptorsFactory[];
  namespace: string;
  taskQueue: string;
  activities: object;
  build: Build;
  /** Left out by a queue that has activities only. */
  bundle?: WorkflowBundleOption;
  /** Activities at once, local ones included; equals the database pool of the worker. */
  slots: number;
  graceMs: number;
  log: Log;
}

/** What code a worker has. */
export interface Build {
  id: string;
  /** Temporal keeps the builds of a deployment apart; without it every worker continues every run. */
  deployment?: string | undefined;
}

export interface RunningWorker {
  /** It takes work now. */
  isRunning(): boolean;
  /** Takes no more work, lets what runs end within the grace time, then resolves. */
  stop(): Promise<void>;
}

/** More than are ever open of those that do not wait for weeks. */
const WORKFLOWS_CACHED_MAX = 250;

/** Pause before a worker that failed is made anew. */
const REMAKE_MS = 1_000;
/** A third of the slots is kept for activities that wait out an outage, so that first tries never starve. */
const REGULAR_SHARE = 3;

let bundle: Promise<WorkflowBundle> | undefined;

/** Bundles the workflow code; takes about a second, once per process. */
export function bundleWorkflows(): Promise<WorkflowBundle> {
  const pathOf = (file: string) => fileURLToPath(new URL(`../../../workflows/${file}`, import.meta.url));
  return (bundle ??= bundleWorkflowCode({
    workflowsPath: pathOf('index.ts'),
    workflowInterceptorModules: [pathOf('trace-run.ts')],
    logger: new DefaultLogger('ERROR'),
  }));
}

/** Runs a worker for as long as the process lives: it waits for Temporal, and is made anew when it fails. */
export function runWorker(options: WorkerOptions): RunningWorker {
  const stopping = new AbortController();
  let worker: Worker | undefined;
  const running = (async () => {
    while (!stopping.signal.aborted) {
      try {
        worker = await createWorker(options, await connectedOrStopped(options.gateway, stopping.signal));
        const ended = worker.run();
        // Stopped while it was made: it must run to be shut down, and be shut down to let go of the connection.
        if (stopping.signal.aborted) worker.shutdown();
        await ended;
      } catch (error) {
        if (stopping.signal.aborted) return;
        options.log.error({ fault: loggedFault(error) }, 'worker failed; it is made anew');
        await sleep(REMAKE_MS, undefined, { signal: stopping.signal }).catch(() => {});
      } finally {
        worker = undefined;
      }
    }
  })();
  return {
    isRunning: () => worker?.getState() === 'RUNNING',
    stop: async () => {
      stopping.abort();
      if (worker?.getState() === 'RUNNING') worker.shutdown();
      await running;
    },
  };
}

/** A worker that is stopped before Temporal was ever reached waits no longer for it: the gateway is closed only later. */
function connectedOrStopped(gateway: TemporalGateway, stopping: AbortSignal): Promise<NativeConnection> {
  return new Promise((resolve, reject) => {
    stopping.addEventListener('abort', () => reject(stopping.reason as Error), { once: true });
    gateway.connected().then(resolve, reject);
  });
}

async function createWorker(options: WorkerOptions, connection: NativeConnection): Promise<Worker> {
  return Worker.create({
    connection,
    namespace: options.namespace,
    taskQueue: options.taskQueue,
    ...(options.gateway.dataConverter ? { dataConverter: options.gateway.dataConverter } : {}),
    activities: options.activities,
    shutdownGraceTime: options.graceMs,
    ...buildOptions(options.build),
    sinks: traceSinks,
    interceptors: { activity: [...(isTracing() ? [traceActivities] : []), ...options.interceptors] },
    ...(options.bundle
      ? workflowOptions(options.bundle, options.slots)
      : { maxConcurrentActivityTaskExecutions: options.slots }),
  });
}

/** How Temporal distinguishes a worker from those of other releases: at least by its name, which histories and the web UI show. */
function buildOptions({ id, deployment }: Build): Partial<WorkerSettings> {
  const identity = `${process.pid}@${hostname()}/${id}`;
  if (deployment === undefined) return { identity };
  return {
    identity,
    workerDeploymentOptions: {
      version: { deploymentName: deployment, buildId: id },
      useWorkerVersioning: true,
      // What may wait for people or parties must not keep an old worker for weeks; short runs say of themselves that they stay.
      defaultVersioningBehavior: 'AUTO_UPGRADE',
    },
  };
}

/** What a worker needs that runs workflows too, and their local activities in the same slots. */
function workflowOptions(workflowBundle: WorkflowBundleOption, slots: number): Partial<WorkerSettings> {
  const regular = Math.max(1, Math.floor(slots / REGULAR_SHARE));
  return {
    workflowBundle,
    maxConcurrentActivityTaskExecutions: regular,
    maxConcurrentLocalActivityExecutions: Math.max(1, slots - regular),
    // Enough slots that an eager start always finds one; fixed pollers, because autoscaling ones lose eagerness.
    maxConcurrentWorkflowTaskExecutions: 120,
    maxConcurrentWorkflowTaskPolls: 60,
    // Runs that wait for weeks must not fill the memory; one that is gone from it is replayed when something comes.
    maxCachedWorkflows: WORKFLOWS_CACHED_MAX,
  };
}
