import type { EntityManager } from '@mikro-orm/postgresql';
import { Socket } from 'node:net';
import pg from 'pg';
import { hostIn, readDatabaseUrl } from '../../platform/database/connection-options.ts';
import { connectionFault } from '../../platform/database/connection-watch.ts';
import { run, type PreparedQuery, type Queryable } from '../../platform/database/prepared-query.ts';
import type { Log } from '../../platform/log.ts';
import { repeatEvery } from '../../foundation/repeat.ts';
import type { CurrentSecret } from '../../platform/secrets/secrets.ts';
import type { CreationOutcome } from './create-account.rules.ts';

/** Receives the outcomes of creations at their commit, before their run ends. */
export interface CreationNotifications {
  /**
   * Waits for the notification of a run. It may never arrive, so the caller must also wait for the run.
   * @param workflowId of the run: runs of other processes may have some of the same entries
   */
  await(workflowId: string): { outcomes: Promise<CreationOutcome[]>; forget(): void };
  close(): Promise<void>;
}

const CHANNEL = 'creation_outcomes';
/** Messages between API processes (shared-runs.queue.ts). */
const PROCESSES_CHANNEL = 'creation_processes';
/** Postgres limits a payload to less than 8,000 bytes; the outcomes of larger batches come from the run. */
const NOTIFICATION_BYTES_MAX = 7_900;
/** A notification without outcomes. */
const NO_OUTCOMES = '{}';
const LISTEN_AGAIN_MS = 1_000;
/** Timeout of connecting and of `listen`. */
const ANSWER_TIMEOUT_MS = 3_000;
/** The client sends nothing on the connection, so only keep-alive probes detect a lost server. */
const KEEP_ALIVE_MS = 10_000;

const NOTIFY: PreparedQuery = { name: 'creation-notify', text: 'select pg_notify($1, $2)' };

/**
 * Announces the outcomes of a batch when the transaction commits. A batch with a quarantined account is announced without outcomes, because
 * that account's next run starts only after the batch's run.
 * @param workflowId of the run of the batch
 */
export async function announceOutcomes(
  em: EntityManager,
  workflowId: string,
  outcomes: readonly CreationOutcome[],
): Promise<void> {
  const notification = JSON.stringify({ of: workflowId, outcomes });
  const isAnnounced =
    !outcomes.some(({ kind }) => kind === 'quarantined') && Buffer.byteLength(notification) <= NOTIFICATION_BYTES_MAX;
  await run(em, NOTIFY, [CHANNEL, isAnnounced ? notification : NO_OUTCOMES]);
}

/** Sends a message to all API processes. */
export function sendMessage(on: Queryable, payload: string): Promise<unknown> {
  return run(on, NOTIFY, [PROCESSES_CHANNEL, payload]);
}

/**
 * Listens on a connection for the lifetime of the process. Notifications sent while the connection is down are lost.
 * @param options `secret` is the database address, read at each connect; `onNotification` is called for every batch of any process, `onMessage`
 * for every message between API processes
 */
export function listenForCreations(options: {
  secret: CurrentSecret;
  log: Log;
  onNotification?: () => void;
  onMessage?: ((payload: string | undefined) => void) | undefined;
}): CreationNotifications {
  const { secret, log, onNotification, onMessage } = options;
  const waiting = new Map<string, (outcomes: CreationOutcome[]) => void>();
  const receive = (payload: string | undefined) => {
    const notification = notificationIn(payload);
    onNotification?.();
    if (notification !== undefined) waiting.get(notification.of)?.(notification.outcomes);
  };
  let isDisconnected = false;
  const onListening = () => {
    isDisconnected = false;
  };
  const close = repeatEvery(LISTEN_AGAIN_MS, (closing) =>
    listenUntilCut(secret.value() ?? '', { receive, onMessage, onListening }, closing).catch((error: unknown) => {
      // Logged once per disconnection, which may last for hours.
      if (!isDisconnected && !closing.aborted) {
        log.warn(
          connectionFault(error, hostIn(secret.value() ?? '')),
          'notifications of creations are not received; requests wait for their runs instead',
        );
      }
      isDisconnected = true;
    }),
  );
  return {
    await: (workflowId) => ({
      outcomes: new Promise((resolve) => {
        waiting.set(workflowId, resolve);
      }),
      forget: () => {
        waiting.delete(workflowId);
      },
    }),
    close,
  };
}

/** Returns undefined for a payload of another version or sender; the outcomes then come from the run. */
function notificationIn(payload: string | undefined): { of: string; outcomes: CreationOutcome[] } | undefined {
  try {
    const { of, outcomes } = JSON.parse(payload ?? '') as { of?: unknown; outcomes?: unknown };
    return typeof of === 'string' && Array.isArray(outcomes) && outcomes.every(isOutcome)
      ? { of, outcomes }
      : undefined;
  } catch {
    return undefined;
  }
}

function isOutcome(value: unknown): value is CreationOutcome {
  const { kind, serviceAccountNumber } = (value ?? {}) as { kind?: unknown; serviceAccountNumber?: unknown };
  return kind === 'refused' || (kind === 'created' && typeof serviceAccountNumber === 'string');
}

/** Rejects when the connection cannot be established, fails or is closed. */
async function listenUntilCut(
  url: string,
  handlers: {
    receive(payload: string | undefined): void;
    onMessage: ((payload: string | undefined) => void) | undefined;
    onListening(): void;
  },
  closing: AbortSignal,
): Promise<never> {
  // A separate socket, so that it can be closed even if the server hangs; the driver would wait for the server.
  const socket = new Socket();
  const { url: address, ssl } = readDatabaseUrl(url);
  const client = new pg.Client({
    connectionString: address,
    ...(ssl ? { ssl } : {}),
    application_name: 'gangway-notifications',
    stream: () => socket,
    connectionTimeoutMillis: ANSWER_TIMEOUT_MS,
    query_timeout: ANSWER_TIMEOUT_MS,
    keepAlive: true,
    keepAliveInitialDelayMillis: KEEP_ALIVE_MS,
  });
  const cut = new Promise<never>((_resolve, reject) => {
    // Stays registered: an unhandled error event would end the process.
    client.on('error', reject);
    client.once('end', () => reject(new Error('the connection ended')));
  });
  cut.catch(() => {});
  const cutOff = () => {
    socket.destroy();
  };
  closing.addEventListener('abort', cutOff);
  try {
    await client.connect();
    const { receive, onMessage, onListening } = handlers;
    client.on('notification', ({ channel, payload }) =>
      channel === CHANNEL ? receive(payload) : onMessage?.(payload),
    );
    await client.query(`listen ${CHANNEL}`);
    if (onMessage) await client.query(`listen ${PROCESSES_CHANNEL}`);
    onListening();
    return await cut;
  } finally {
    closing.removeEventListener('abort', cutOff);
    cutOff();
  }
}
