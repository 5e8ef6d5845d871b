import { wakeSignalOfKind } from '../../temporal.config.ts';
import { type Log, loggedFault } from '../platform/log.ts';
import { startRun } from '../platform/temporal/start-run.ts';
import type { TemporalGateway } from '../platform/temporal/temporal-gateway.ts';
import type { ImportJobRecord } from './import-job.entity.ts';
import { jobWorkItem } from './import-job.store.ts';

/** Starts the runs of jobs and notifies them of changes. */
export interface ImportJobRuns {
  /** Call it after the commit. Never rejects: the dispatcher starts runs that Temporal did not accept, and a run reads its job every few minutes. */
  notify(job: Pick<ImportJobRecord, 'id' | 'importSupplier'>): Promise<void>;
}

const DEADLINE_MS = 3_000;

export function temporalImportJobRuns({ gateway, log }: { gateway: TemporalGateway; log: Log }): ImportJobRuns {
  return {
    notify: async (job) => {
      try {
        const client = gateway.client();
        const signal = wakeSignalOfKind['import-job'];
        await client.withDeadline(Date.now() + DEADLINE_MS, () => startRun(client, jobWorkItem(job), { signal }));
      } catch (error) {
        log.warn({ fault: loggedFault(error) }, 'import job run not notified; the dispatcher starts it');
      }
    },
  };
}
