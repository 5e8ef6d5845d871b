import pMap from 'p-map';
import { loggedFault, type Log } from '../platform/log.ts';
import type { TemporalGateway } from '../platform/temporal/temporal-gateway.ts';
import { startWorkItem } from '../platform/work-items/dispatch-work-items.ts';
import type { WorkItem } from '../platform/work-items/work-item.store.ts';

/** Runs told at once; the dispatcher comes to the others within its time, slowly. */
const TOLD_AT_ONCE_MAX = 64;
const CALLS_AT_ONCE = 8;

/**
 * Signals runs after what has come in was stored, and starts those that are not there. It may fail: the work items were
 * signalled with it, and the dispatcher does what is left.
 */
export async function wakeSwitches(
  deps: { gateway: TemporalGateway; log: Log },
  signalled: readonly WorkItem[],
): Promise<void> {
  let isAway = false;
  const tell = async (work: WorkItem): Promise<void> => {
    if (isAway) return;
    await startWorkItem(deps, { ...work, state: 'signalled' }).catch((error: unknown) => {
      isAway = true;
      deps.log.warn(
        { kind: work.kind, fault: loggedFault(error) },
        'a run could not be signalled; the dispatcher will do it',
      );
    });
  };
  await pMap(signalled.slice(0, TOLD_AT_ONCE_MAX), tell, { concurrency: CALLS_AT_ONCE });
}
