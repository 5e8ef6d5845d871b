import { wakeSignalOfKind } from '../../temporal.config.ts';
import { loggedFault, type Log } from '../platform/log.ts';
import { startRun } from '../platform/temporal/start-run.ts';
import type { TemporalGateway } from '../platform/temporal/temporal-gateway.ts';
import { jobWorkItem, type ImportJobRecord } from './import-job.store.ts';

/** Starts the runs of jobs, and tells them that their job has changed. */
export interface ImportJobRuns {
  /** After the change was committed. Never fails: what Temporal does not take is started by the dispatcher, and a run looks at its job now and then. */
  tell(job: Pick<ImportJobRecord, 'id' | 'importSupplier'>): Promise<void>;
}

const DEADLINE_MS = 3_000;

/** Runs as Temporal workflows. */
export function temporalImportJobRuns({ gateway, log }: { gateway: TemporalGateway; log: Log }): ImportJobRuns {
  return {
    tell: async (job) => {
      try {
        const client = gateway.client();
        const signal = wakeSignalOfKind['import-job'];
        await client.withDeadline(Date.now() + DEADLINE_MS, () => startRun(client, jobWorkItem(job), { signal }));
      } catch (error) {
        log.warn({ fault: loggedFault(error) }, 'a run could not be told of its import job; the dispatcher starts it');
      }
    },
  };
}
