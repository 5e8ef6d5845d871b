import { WorkflowNotFoundError } from '@temporalio/client';
import type { Database } from '../../platform/database/database.ts';
import { loggedFault, type Log } from '../../platform/log.ts';
import { repeatEvery } from '../../foundation/repeat.ts';
import type { TemporalGateway } from '../../platform/temporal/temporal-gateway.ts';
import type { CreationSlot } from './creation-slot.entity.ts';
import { freeOldSlots, NAMED_TO_START_MS_MAX, oldSlots } from './creation-slot.store.ts';

export interface LostSlotOptions {
  database: Database;
  gateway: TemporalGateway;
  log: Log;
  /** Newer slots are not checked. */
  minimumAgeSeconds: number;
  /** Earliest time of the next check of each open run, by workflow id. */
  nextCheckAt?: Map<string, number>;
}

const CHECKED_AT_ONCE_MAX = 500;
const DESCRIBE_DEADLINE_MS = 2_000;
const WATCH_EVERY_MS = 1_000;
/** Interval between checks of an open run, which may keep its slot for hours while the database is unavailable or slow. */
const RECHECK_MS = 5_000;
/** Allowance for clock differences between processes and for network delays. */
const MARGIN_MS = 1_000;

/**
 * Reclaims slots of processes that died before starting their run, and of runs that are closed or unknown to Temporal. Slots of open runs
 * are kept, and while Temporal is unavailable all slots with a run are kept. Several processes may run this concurrently.
 * @returns the number of reclaimed slots
 */
export async function freeLostSlots(options: LostSlotOptions): Promise<number> {
  const { database, minimumAgeSeconds, log } = options;
  const lost = await findLostSlots(options);
  if (lost.length === 0) return 0;
  const freed = await freeOldSlots(
    database,
    lost.map((slot) => slot.creationId),
    minimumAgeSeconds,
  );
  log.info({ slots: freed }, 'lost slots freed');
  return freed;
}

/** Returns the slots among the oldest ones that no run will release. */
export async function findLostSlots(options: Omit<LostSlotOptions, 'log'>): Promise<CreationSlot[]> {
  const slots = await oldSlots(options.database, options.minimumAgeSeconds, CHECKED_AT_ONCE_MAX);
  if (slots.length === 0) return [];
  const isOpen = await openRuns(options, new Set(slots.map((slot) => slot.workflowId)));
  return slots.filter(({ workflowId }) => !workflowId || isOpen.get(workflowId) === false);
}

/**
 * Age after which a slot can be lost. Its process renews a slot without a run every second; a slot with a run was named just before the
 * start, which Temporal accepts within its deadline or not at all.
 */
export function lostSlotAgeSeconds(settings: { CREATION_START_DEADLINE_MS: number }): number {
  return (NAMED_TO_START_MS_MAX + settings.CREATION_START_DEADLINE_MS + MARGIN_MS) / 1_000;
}

/**
 * Reclaims lost slots every second, because slots of a killed process block all suppliers.
 * @returns a function that ends the watch
 */
export function watchLostSlots(options: LostSlotOptions): () => Promise<void> {
  const nextCheckAt = new Map<string, number>();
  return repeatEvery(WATCH_EVERY_MS, () =>
    freeLostSlots({ ...options, nextCheckAt }).catch((error: unknown) =>
      options.log.debug({ fault: loggedFault(error) }, 'lost slots not checked'),
    ),
  );
}

/** Returns whether each run is open, without the runs whose state Temporal could not report. */
async function openRuns(
  { gateway, nextCheckAt = new Map() }: Omit<LostSlotOptions, 'log'>,
  workflowIds: ReadonlySet<string | null | undefined>,
): Promise<Map<string, boolean>> {
  const found = new Map<string, boolean>();
  for (const known of nextCheckAt.keys()) if (!workflowIds.has(known)) nextCheckAt.delete(known);
  for (const workflowId of workflowIds) {
    if (!workflowId || (nextCheckAt.get(workflowId) ?? 0) > performance.now()) continue;
    try {
      const client = gateway.client();
      const { status } = await client.withDeadline(Date.now() + DESCRIBE_DEADLINE_MS, () =>
        client.workflow.getHandle(workflowId).describe(),
      );
      const isOpen = status.name === 'RUNNING' || status.name === 'PAUSED';
      if (isOpen) nextCheckAt.set(workflowId, performance.now() + RECHECK_MS);
      found.set(workflowId, isOpen);
    } catch (error) {
      // Temporal is unavailable; further calls would only take time.
      if (!(error instanceof WorkflowNotFoundError)) return found;
      found.set(workflowId, false);
    }
  }
  return found;
}
