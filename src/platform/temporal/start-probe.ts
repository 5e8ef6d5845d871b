import { WorkflowIdConflictPolicy, type Client } from '@temporalio/client';
import { defineSearchAttributeKey } from '@temporalio/common';
import type { NativeConnection } from '@temporalio/worker';
import { searchAttributes, taskQueues } from '../../../temporal.config.ts';
import { registerSearchAttributes } from './search-attributes.ts';
import { loggedFault, type Log } from '../log.ts';
import { isSearchAttributeMissing } from './temporal-faults.ts';

/** Checks whether Temporal accepts starts, and registers the search attributes again if its store was lost. */
export interface StartProbe {
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
export function probeStarts(
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
