import { setTimeout as sleep } from 'node:timers/promises';
import { Client, WorkflowIdConflictPolicy } from '@temporalio/client';
import { type DataConverter, defineSearchAttributeKey } from '@temporalio/common';
import { NativeConnection } from '@temporalio/worker';
import { keepTemporalRuntime } from './temporal-runtime.ts';
import { handleAll, retry } from 'cockatiel';
import { loggedFault, type Log } from '../log.ts';
import type { TemporalSecurity } from './temporal-security.ts';
import { isTracing } from '../traces/traces.ts';
import { traceStarts } from './trace-interceptors.ts';
import { TemporalUnavailable, isSearchAttributeMissing } from './temporal-faults.ts';
import { searchAttributes, taskQueues } from '../../../temporal.config.ts';
import { registerSearchAttributes } from './search-attributes.ts';

/**
 * The single connection of a process to Temporal, shared by clients and workers, as eager starts require. The process starts without
 * Temporal: it connects in the background, and everything that needs no workflow works.
 */
export interface TemporalGateway {
  /** Encodes payloads; workers must use the same. */
  readonly dataConverter: DataConverter | undefined;
  /** @throws TemporalUnavailable before the first connection */
  client(): Client;
  /** Resolves once connected; rejects if the gateway is closed before. */
  connected(): Promise<NativeConnection>;
  /** Whether the server accepts a start with our search attributes. */
  isReady(): Promise<boolean>;
  /** Uses another API key for subsequent calls, over the same connection. */
  useApiKey(key: string | undefined): void;
  close(): Promise<void>;
}

interface GatewayOptions {
  address: string;
  namespace: string;
  log: Log;
  /** Default: no TLS, no credential, plain payloads, as with the embedded server. */
  security?: TemporalSecurity;
}

const RECONNECT_MS = 1_000;
/** The first failed attempt is logged, then one in this many. */
const LOGGED_EVERY_TRIES = 30;

/** Opens the gateway; connects in the background. */
export function openTemporalGateway(options: GatewayOptions): TemporalGateway {
  const closing = new AbortController();
  let connection: NativeConnection | undefined;
  let client: Client | undefined;
  let probe: StartProbe | undefined;
  let apiKey = options.security?.connection.apiKey;

  const connecting = (async () => {
    connection = await connectUntil(options, () => apiKey, closing.signal);
    client = clientOf(connection, options);
    probe = probeStarts(connection, client, options);
    return connection;
  })();
  // May not be awaited; a rejection only means that the process is stopping.
  connecting.catch(() => {});

  return {
    dataConverter: options.security?.dataConverter,
    client: () => {
      if (!client) throw new TemporalUnavailable('Temporal has not been reached yet');
      return client;
    },
    connected: () => connecting,
    isReady: async () => (await probe?.acceptsStarts()) ?? false,
    useApiKey: (key) => {
      if (key === undefined || key === apiKey) return;
      apiKey = key;
      connection
        ?.setApiKey(key)
        .catch((error: unknown) =>
          options.log.error({ fault: loggedFault(error) }, 'Temporal keeps the former API key'),
        );
    },
    close: async () => {
      closing.abort();
      await connecting.catch(() => {});
      await probe?.stop();
      await connection?.close();
    },
  };
}

function clientOf(connection: NativeConnection, { namespace, security }: GatewayOptions): Client {
  return new Client({
    connection,
    namespace,
    ...(security?.dataConverter ? { dataConverter: security.dataConverter } : {}),
    ...(isTracing() ? { interceptors: { workflow: [traceStarts] } } : {}),
  });
}

async function connectUntil(
  options: GatewayOptions,
  apiKey: () => string | undefined,
  closing: AbortSignal,
): Promise<NativeConnection> {
  const retries = retry(handleAll, { maxAttempts: Infinity });
  retries.onRetry(({ attempt, ...failed }) => {
    if (attempt !== 1 && attempt % LOGGED_EVERY_TRIES !== 0) return;
    const fault = 'error' in failed ? (failed.error as Error).name : undefined;
    options.log.warn({ address: options.address, fault }, 'Temporal cannot be reached; trying on');
  });
  return retries.execute(async ({ attempt }) => {
    // Waits here, because the backoff of the retry policy would delay a stop.
    if (attempt > 0) await sleep(RECONNECT_MS, undefined, { signal: closing });
    closing.throwIfAborted();
    const key = apiKey();
    keepTemporalRuntime();
    return NativeConnection.connect({
      address: options.address,
      grpcCompression: { codec: 'none' },
      ...options.security?.connection,
      ...(key === undefined ? {} : { apiKey: key }),
    });
  }, closing);
}

/** Checks whether Temporal accepts starts, and registers the search attributes again if its store was lost. */
interface StartProbe {
  /** Whether Temporal accepts starts, at most a second old. */
  acceptsStarts(): Promise<boolean>;
  stop(): Promise<void>;
}

const DEADLINE_MS = 1_000;
/** Minimum time between two probes after a success and after a failure, for any number of callers. */
const SUCCESS_KEPT_MS = 1_000;
const FAILURE_KEPT_MS = 200;
/** Interval of automatic probes, so that a lost store is repaired even without callers. */
const PROBE_EVERY_MS = 5_000;
const REGISTER_DEADLINE_MS = 30_000;
/** At most one run with this id is open, on a queue without workers; a start that finds it adds no history. */
const PROBE_ID = 'probe/start';
const PROBE_RUN_TIMEOUT = '1h';

/**
 * Probes Temporal with a start that has all our search attributes, which the server validates like any other. It opens a run once an hour
 * and otherwise finds that run. If the server does not know the attributes, because it lost its store, they are registered again.
 */
function probeStarts(
  connection: NativeConnection,
  client: Client,
  { namespace, log }: { namespace: string; log: Log },
): StartProbe {
  let probing: Promise<boolean> | undefined;
  let registering: Promise<void> | undefined;
  let accepted: boolean | undefined;
  let probedAt = -Infinity;

  const register = async (): Promise<void> => {
    log.info({}, 'Temporal does not know our search attributes; they are registered');
    try {
      await connection.withDeadline(Date.now() + REGISTER_DEADLINE_MS, () =>
        registerSearchAttributes(connection, namespace),
      );
    } catch (error) {
      log.warn({ fault: loggedFault(error) }, 'the search attributes could not be registered; this is tried again');
    }
  };
  const probe = async (): Promise<boolean> => {
    try {
      await client.withDeadline(Date.now() + DEADLINE_MS, () => startProbe(client));
      if (accepted === false) log.info({}, 'Temporal takes starts again');
      accepted = true;
    } catch (error) {
      if (accepted !== false) log.warn({ fault: loggedFault(error) }, 'Temporal takes no start');
      accepted = false;
      // Repeated until a start is accepted, because the server applies new attributes with a delay.
      if (isSearchAttributeMissing(error)) {
        registering ??= register().finally(() => {
          registering = undefined;
        });
      }
    }
    return accepted;
  };
  const acceptsStarts = (): Promise<boolean> => {
    if (accepted !== undefined && performance.now() - probedAt < (accepted ? SUCCESS_KEPT_MS : FAILURE_KEPT_MS)) {
      return Promise.resolve(accepted);
    }
    probing ??= probe().finally(() => {
      probedAt = performance.now();
      probing = undefined;
    });
    return probing;
  };
  const timer = setInterval(() => void acceptsStarts(), PROBE_EVERY_MS);
  timer.unref();
  void acceptsStarts();
  return {
    acceptsStarts,
    stop: async () => {
      clearInterval(timer);
      await probing;
      await registering;
    },
  };
}

async function startProbe(client: Client): Promise<void> {
  await client.workflow.start('probeStart', {
    workflowId: PROBE_ID,
    taskQueue: taskQueues.probe,
    workflowExecutionTimeout: PROBE_RUN_TIMEOUT,
    workflowIdConflictPolicy: WorkflowIdConflictPolicy.USE_EXISTING,
    staticSummary: 'Shows that starts are taken; no worker asks for it, and it ends by itself',
    typedSearchAttributes: Object.entries(searchAttributes).map(([name, type]) =>
      type === 'KEYWORD'
        ? { key: defineSearchAttributeKey(name, type), value: 'probe' }
        : { key: defineSearchAttributeKey(name, type), value: ['probe'] },
    ),
  });
}
