import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from '@temporalio/client';
import type { DataConverter } from '@temporalio/common';
import { NativeConnection } from '@temporalio/worker';
import { keepTemporalRuntime } from './temporal-runtime.ts';
import { handleAll, retry } from 'cockatiel';
import { loggedFault, type Log } from '../log.ts';
import { probeStarts, type StartProbe } from './start-probe.ts';
import type { TemporalSecurity } from './temporal-security.ts';
import { isTracing } from '../traces/traces.ts';
import { traceStarts } from './trace-interceptors.ts';
import { TemporalUnavailable } from './temporal-faults.ts';

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

export interface GatewayOptions {
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
