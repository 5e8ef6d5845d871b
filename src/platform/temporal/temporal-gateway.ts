import { setTimeout as sleep } from 'node:timers/promises';
import { Client, WorkflowIdConflictPolicy } from '@temporalio/client';
import { defineSearchAttributeKey, type DataConverter } from '@temporalio/common';
import { NativeConnection } from '@temporalio/worker';
import { v7 as uuidv7 } from 'uuid';
import { searchAttributes, taskQueues } from '../../../temporal.config.ts';
import { registerSearchAttributes } from '../embedded/search-attributes.ts';
import type { Log } from '../log.ts';
import type { TemporalSecurity } from './temporal-security.ts';

/** Raised when Temporal has not been reached yet: nothing was started. */
export class TemporalUnavailable extends Error {
  override name = 'TemporalUnavailable';
}

/**
 * The one connection of a process to Temporal, shared by clients and worker (an eager start needs them to share it). The
 * process comes up without Temporal: connecting goes on in the background, and everything that needs no workflow works.
 */
export interface TemporalGateway {
  /** How payloads are written; workers take the same. */
  readonly dataConverter: DataConverter | undefined;
  /** @throws TemporalUnavailable before the first connection */
  client(): Client;
  /** Resolves once connected; rejects when the gateway is closed before. */
  connected(): Promise<NativeConnection>;
  /** True when the server answers now and has accepted a start with our search attributes. */
  isReady(): Promise<boolean>;
  close(): Promise<void>;
}

export interface GatewayOptions {
  address: string;
  namespace: string;
  log: Log;
  /** Left out: no TLS, no credential, plain payloads, as with the embedded server. */
  security?: TemporalSecurity;
}

const RECONNECT_MS = 1_000;
const HEALTH_DEADLINE_MS = 1_000;

/** Opens the gateway; returns at once. */
export function openTemporalGateway(options: GatewayOptions): TemporalGateway {
  const closing = new AbortController();
  let connection: NativeConnection | undefined;
  let client: Client | undefined;
  let probed = false;

  const connecting = (async () => {
    connection = await connectUntil(options, closing.signal);
    client = clientOf(connection, options);
    return connection;
  })();
  // Nobody may be waiting for it; a rejection here only means that the process stops.
  connecting.catch(() => {});
  const probing = connecting.then((native) => probe(native, options, closing.signal)).then(() => { probed = true; }, () => {});

  return {
    dataConverter: options.security?.dataConverter,
    client: () => {
      if (!client) throw new TemporalUnavailable('Temporal has not been reached yet');
      return client;
    },
    connected: () => connecting,
    isReady: async () => probed && connection !== undefined && answers(connection, options.namespace),
    close: async () => {
      closing.abort();
      await probing;
      await connection?.close();
    },
  };
}

function clientOf(connection: NativeConnection, { namespace, security }: GatewayOptions): Client {
  return new Client({ connection, namespace, ...(security?.dataConverter ? { dataConverter: security.dataConverter } : {}) });
}

async function connectUntil(options: GatewayOptions, closing: AbortSignal): Promise<NativeConnection> {
  for (let attempt = 1; ; attempt += 1) {
    closing.throwIfAborted();
    try {
      return await NativeConnection.connect({ address: options.address, grpcCompression: { codec: 'none' }, ...options.security?.connection });
    } catch (error) {
      if (attempt === 1 || attempt % 30 === 0) options.log.warn({ address: options.address, fault: (error as Error).name }, 'Temporal cannot be reached; trying on');
      await sleep(RECONNECT_MS, undefined, { signal: closing });
    }
  }
}

/** Registers the search attributes and starts an empty run with all of them: the server takes new ones with a delay. */
async function probe(connection: NativeConnection, options: GatewayOptions, closing: AbortSignal): Promise<void> {
  const client = clientOf(connection, options);
  for (let attempt = 1; ; attempt += 1) {
    closing.throwIfAborted();
    try {
      await registerSearchAttributes(connection, options.namespace);
      await client.workflow.start('createAccounts', {
        workflowId: `probe/${uuidv7()}`,
        taskQueue: taskQueues.imports,
        args: [{ entries: [] }],
        workflowExecutionTimeout: '10s',
        workflowIdConflictPolicy: WorkflowIdConflictPolicy.FAIL,
        staticSummary: 'Empty run that shows that search attributes are registered',
        typedSearchAttributes: searchAttributes.map((name) => ({ key: defineSearchAttributeKey(name, 'KEYWORD'), value: 'probe' })),
      });
      return;
    } catch (error) {
      if (attempt === 5 || attempt % 60 === 0) options.log.warn({ fault: (error as Error).message.slice(0, 200) }, 'Temporal does not take our search attributes yet; trying on');
      await sleep(RECONNECT_MS, undefined, { signal: closing });
    }
  }
}

async function answers(connection: NativeConnection, namespace: string): Promise<boolean> {
  try {
    await connection.withDeadline(Date.now() + HEALTH_DEADLINE_MS, () => connection.workflowService.describeNamespace({ namespace }));
    return true;
  } catch {
    return false;
  }
}
