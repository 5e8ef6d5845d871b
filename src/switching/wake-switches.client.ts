import { setTimeout as sleep } from 'node:timers/promises';
import pMap from 'p-map';
import { loggedFault, type Log } from '../platform/log.ts';
import type { TemporalGateway } from '../platform/temporal/temporal-gateway.ts';
import { startWorkItem } from '../platform/work-items/dispatch-work-items.ts';
import type { WorkItem } from '../platform/work-items/work-item.store.ts';

interface WakeDeps {
  gateway: TemporalGateway;
  log: Log;
}

/** Most switches with a run of their own that are signalled immediately; the dispatcher signals the others. */
const SIGNALLED_MAX = 64;
const CONCURRENT_CALLS = 8;

/** Wakes the runs of switches after the commit that signalled them. Does not wait: the dispatcher repeats what fails. */
export function wakeSwitches(deps: WakeDeps, signalled: readonly WorkItem[]): void {
  const paged = signalled.find(({ runsAlone }) => !runsAlone);
  if (paged !== undefined) wakePages(deps, paged);
  const alone = signalled.filter(({ runsAlone }) => runsAlone).slice(0, SIGNALLED_MAX);
  void pMap(alone, (work) => wake(deps, work), { concurrency: CONCURRENT_CALLS });
}

/** Pause after a signal to the run of pages: it is one run for all messages. */
const PAUSE_MS = 100;

/** The gateways whose run of pages is being signalled, and whether further messages have arrived since. */
const waking = new WeakMap<TemporalGateway, { isOutdated: boolean }>();

/** Wakes the run of pages. Messages that arrive during a call share the next one. */
function wakePages(deps: WakeDeps, work: WorkItem): void {
  const current = waking.get(deps.gateway);
  if (current !== undefined) {
    current.isOutdated = true;
    return;
  }
  const state = { isOutdated: true };
  waking.set(deps.gateway, state);
  void (async () => {
    while (state.isOutdated) {
      state.isOutdated = false;
      await wake(deps, work);
      await sleep(PAUSE_MS, undefined, { ref: false });
    }
    waking.delete(deps.gateway);
  })();
}

async function wake({ gateway, log }: WakeDeps, work: WorkItem): Promise<void> {
  await startWorkItem({ gateway, log }, work).catch((error: unknown) => {
    log.warn({ kind: work.kind, fault: loggedFault(error) }, 'run not signalled; the dispatcher signals it');
  });
}
