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
  isStartTaken(): Promise<boolean>;
  stop(): Promise<void>;
}

const DEADLINE_MS = 1_000;
/** Minimum time between two probes after a success and after a failure, for any number of callers. */
const TAKEN_HOLDS_MS = 1_000;
const NOT_TAKEN_HOLDS_MS = 200;
/** Interval of automatic probes, so that a lost store is repaired even without callers. */
const LOOK_EVERY_MS = 5_000;
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
  let asking: Promise<boolean> | undefined;
  let mending: Promise<void> | undefined;
  let wasTaken: boolean | undefined;
  let askedAt = -Infinity;

  const mend = async (): Promise<void> => {
    log.info({}, 'Temporal does not know our search attributes; they are registered');
    try {
      await connection.withDeadline(Date.now() + REGISTER_DEADLINE_MS, () =>
        registerSearchAttributes(connection, namespace),
      );
    } catch (error) {
      log.warn({ fault: loggedFault(error) }, 'the search attributes could not be registered; this is tried again');
    }
  };
  const ask = async (): Promise<boolean> => {
    try {
      await client.withDeadline(Date.now() + DEADLINE_MS, () => startProbe(client));
      if (wasTaken === false) log.info({}, 'Temporal takes starts again');
      wasTaken = true;
    } catch (error) {
      if (wasTaken !== false) log.warn({ fault: loggedFault(error) }, 'Temporal takes no start');
      wasTaken = false;
      // Repeated until a start is accepted, because the server applies new attributes with a delay.
      if (isSearchAttributeMissing(error)) {
        mending ??= mend().finally(() => {
          mending = undefined;
        });
      }
    }
    return wasTaken;
  };
  const isStartTaken = (): Promise<boolean> => {
    if (wasTaken !== undefined && performance.now() - askedAt < (wasTaken ? TAKEN_HOLDS_MS : NOT_TAKEN_HOLDS_MS)) {
      return Promise.resolve(wasTaken);
    }
    asking ??= ask().finally(() => {
      askedAt = performance.now();
      asking = undefined;
    });
    return asking;
  };
  const looking = setInterval(() => void isStartTaken(), LOOK_EVERY_MS);
  looking.unref();
  void isStartTaken();
  return {
    isStartTaken,
    stop: async () => {
      clearInterval(looking);
      await asking;
      await mending;
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
