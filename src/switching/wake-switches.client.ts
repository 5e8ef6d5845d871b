import pMap from 'p-map';
import { loggedFault, type Log } from '../platform/log.ts';
import type { TemporalGateway } from '../platform/temporal/temporal-gateway.ts';
import { startWorkItem } from '../platform/work-items/dispatch-work-items.ts';
import type { WorkItem } from '../platform/work-items/work-item.store.ts';

/** Most runs signalled immediately; the dispatcher signals the others. */
const SIGNALLED_MAX = 64;
const CONCURRENT_CALLS = 8;

/**
 * Signals runs after messages were stored, and starts missing runs. Never rejects: the stored work items are signalled too, so the
 * dispatcher signals the remaining runs.
 */
export async function wakeSwitches(
  deps: { gateway: TemporalGateway; log: Log },
  signalled: readonly WorkItem[],
): Promise<void> {
  let isAway = false;
  const signal = async (work: WorkItem): Promise<void> => {
    if (isAway) return;
    await startWorkItem(deps, { ...work, state: 'signalled' }).catch((error: unknown) => {
      isAway = true;
      deps.log.warn({ kind: work.kind, fault: loggedFault(error) }, 'run not signalled; the dispatcher signals it');
    });
  };
  await pMap(signalled.slice(0, SIGNALLED_MAX), signal, { concurrency: CONCURRENT_CALLS });
}
