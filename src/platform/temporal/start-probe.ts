import { WorkflowIdConflictPolicy, type Client } from '@temporalio/client';
import { defineSearchAttributeKey } from '@temporalio/common';
import type { NativeConnection } from '@temporalio/worker';
import { searchAttributes, taskQueues } from '../../../temporal.config.ts';
import { registerSearchAttributes } from './search-attributes.ts';
import { loggedFault, type Log } from '../log.ts';
import { isSearchAttributeMissing } from './temporal-faults.ts';

/** Reports whether Temporal accepts starts, and restores the namespace and search attributes of a store that was lost. */
export interface StartProbe {
  /** What Temporal says now, or said up to a second ago. */
  isStartTaken(): Promise<boolean>;
  stop(): Promise<void>;
}

const DEADLINE_MS = 1_000;
/** Minimum time between two probes after a success, for any number of callers; after a failure the next one is earlier. */
const TAKEN_HOLDS_MS = 1_000;
const NOT_TAKEN_HOLDS_MS = 200;
/** Interval of probes without a caller, so that a lost store is repaired in any case. */
const LOOK_EVERY_MS = 5_000;
const REGISTER_DEADLINE_MS = 30_000;
/** One run of this id is open at a time, on a queue that no worker asks; a start that finds it costs no history. */
const PROBE_ID = 'probe/start';
const PROBE_RUN_TIMEOUT = '1h';

/**
 * Sends a start with all our search attributes: the server checks it as it checks any other. It opens a run once an hour,
 * and finds that one otherwise. When the server does not know the attributes, they are registered again: a server that
 * has lost its store comes back without them.
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
      // Again and again, until a start is taken: the server takes new attributes with a delay.
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
