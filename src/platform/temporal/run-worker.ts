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
  /** Omitted for a queue of activities only. */
  workflows?: WorkflowSlots | undefined;
  /** Concurrent regular activities. */
  slots: number;
  graceMs: number;
  log: Log;
}

/** What a worker needs in addition to run workflows. */
export interface WorkflowSlots {
  bundle: WorkflowBundleOption;
  /** Concurrent local activities. Slots of their own, because regular activities may wait out an outage. */
  localActivities: number;
  /** Concurrent workflow tasks, and polls for them. */
  tasks: number;
  polls: number;
}

/** The release of a worker. */
interface Build {
  id: string;
  /** Temporal deployment that separates builds; without it every worker continues every run. */
  deployment?: string | undefined;
}

export interface RunningWorker {
  /** Whether it accepts work. */
  isRunning(): boolean;
  /** Stops accepting work, waits up to the grace time for running work, then resolves. */
  stop(): Promise<void>;
}

/** More than are ever open concurrently, except runs that wait for weeks. */
const WORKFLOWS_CACHED_MAX = 250;

/** Pause before a failed worker is recreated. */
const REMAKE_MS = 1_000;

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

/** Runs a worker for the lifetime of the process: waits for Temporal, and recreates the worker if it fails. */
export function runWorker(options: WorkerOptions): RunningWorker {
  const stopping = new AbortController();
  let worker: Worker | undefined;
  const running = (async () => {
    while (!stopping.signal.aborted) {
      try {
        worker = await createWorker(options, await connectedOrStopped(options.gateway, stopping.signal));
        const ended = worker.run();
        // Stopped during creation: the worker must run to be shut down, and be shut down to release the connection.
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

/** Ends the wait for Temporal if the worker is stopped, because the gateway is closed only later. */
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
    maxConcurrentActivityTaskExecutions: options.slots,
    ...(options.workflows ? workflowOptions(options.workflows) : {}),
  });
}

/** Lets Temporal distinguish the workers of releases: at least by their identity, which histories and the web UI show. */
function buildOptions({ id, deployment }: Build): Partial<WorkerSettings> {
  const identity = `${process.pid}@${hostname()}/${id}`;
  if (deployment === undefined) return { identity };
  return {
    identity,
    workerDeploymentOptions: {
      version: { deploymentName: deployment, buildId: id },
      useWorkerVersioning: true,
      // Runs that wait for people or parties must not keep an old worker alive for weeks; short runs are pinned by their own definition.
      defaultVersioningBehavior: 'AUTO_UPGRADE',
    },
  };
}

function workflowOptions({
  bundle: workflowBundle,
  localActivities,
  tasks,
  polls,
}: WorkflowSlots): Partial<WorkerSettings> {
  return {
    workflowBundle,
    maxConcurrentLocalActivityExecutions: localActivities,
    maxConcurrentWorkflowTaskExecutions: tasks,
    // Fixed, because autoscaling disables eager starts.
    maxConcurrentWorkflowTaskPolls: polls,
    // Runs that wait for weeks must not fill the memory; an evicted run is replayed when needed.
    maxCachedWorkflows: WORKFLOWS_CACHED_MAX,
  };
}
