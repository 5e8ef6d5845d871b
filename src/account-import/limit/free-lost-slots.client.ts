import { setTimeout as sleep } from 'node:timers/promises';
import { WorkflowNotFoundError } from '@temporalio/client';
import type { Database } from '../../platform/database/database.ts';
import { loggedFault, type Log } from '../../platform/log.ts';
import type { TemporalGateway } from '../../platform/temporal/temporal-gateway.ts';
import { freeOldSlots, NAMED_TO_START_MS_MAX, oldSlots } from './creation-slot.store.ts';

export interface LostSlotOptions {
  database: Database;
  gateway: TemporalGateway;
  log: Log;
  /** Newer slots are not checked. */
  minimumAgeSeconds: number;
  /** Time of the next check of open runs, by workflow id. */
  lookAgainAt?: Map<string, number>;
}

const LOOKED_AT_ONCE_MAX = 500;
const DESCRIBE_DEADLINE_MS = 2_000;
const WATCH_EVERY_MS = 1_000;
/** A run that is open holds its slot rightly; it may be so for hours, while the database is away or slow. */
const LOOK_AGAIN_MS = 5_000;
/** For what the clocks of two processes and a slow network add to the start's own deadline. */
const MARGIN_MS = 1_000;

/**
 * Frees slots that nothing will ever complete: of a process that died before it started its run, and of runs that are
 * closed or unknown to Temporal. A slot whose run is open is never freed, and while Temporal is away slots that have a run
 * are kept. May run in several processes at once.
 * @returns how many were freed
 */
export async function freeLostSlots(options: LostSlotOptions): Promise<number> {
  const { database, minimumAgeSeconds, log } = options;
  const lost = await findLostSlots(options);
  if (lost.length === 0) return 0;
  const freed = await freeOldSlots(
    database,
    lost.map((slot) => slot.creation_id),
    minimumAgeSeconds,
  );
  log.info({ slots: freed }, 'slots freed that nothing would have completed');
  return freed;
}

/** A slot that nothing will ever complete; `workflow_id` null: its run was never started. */
export type LostSlot = Awaited<ReturnType<typeof oldSlots>>[number];

/** The slots among the oldest ones that nothing will ever complete. */
export async function findLostSlots(options: Omit<LostSlotOptions, 'log'>): Promise<LostSlot[]> {
  const slots = await oldSlots(options.database, options.minimumAgeSeconds, LOOKED_AT_ONCE_MAX);
  if (slots.length === 0) return [];
  const isOpen = await openRuns(options, new Set(slots.map((slot) => slot.workflow_id)));
  return slots.filter((slot) => slot.workflow_id === null || isOpen.get(slot.workflow_id) === false);
}

/**
 * How old a slot must be to be taken for lost. One without a run is renewed each second by its process; one with a run was
 * named just before the start, which Temporal takes within its deadline or not at all.
 */
export function lostSlotAgeSeconds(settings: { CREATION_START_DEADLINE_MS: number }): number {
  return (NAMED_TO_START_MS_MAX + settings.CREATION_START_DEADLINE_MS + MARGIN_MS) / 1_000;
}

/**
 * Frees lost slots every second: what a killed process holds keeps everybody else out.
 * @returns a function that ends the watch
 */
export function watchLostSlots(options: LostSlotOptions): () => Promise<void> {
  const stopping = new AbortController();
  const lookAgainAt = new Map<string, number>();
  const watching = (async () => {
    while (!stopping.signal.aborted) {
      await freeLostSlots({ ...options, lookAgainAt }).catch((error: unknown) =>
        options.log.debug({ fault: loggedFault(error) }, 'lost slots not checked'),
      );
      await sleep(WATCH_EVERY_MS, undefined, { signal: stopping.signal }).catch(() => {});
    }
  })();
  return async () => {
    stopping.abort();
    await watching;
  };
}

/** Which of the runs are open; those that Temporal could not be asked about are left out. */
async function openRuns(
  { gateway, lookAgainAt = new Map() }: Omit<LostSlotOptions, 'log'>,
  workflowIds: ReadonlySet<string | null>,
): Promise<Map<string, boolean>> {
  const found = new Map<string, boolean>();
  for (const known of lookAgainAt.keys()) if (!workflowIds.has(known)) lookAgainAt.delete(known);
  for (const workflowId of workflowIds) {
    if (workflowId === null || (lookAgainAt.get(workflowId) ?? 0) > performance.now()) continue;
    try {
      const client = gateway.client();
      const { status } = await client.withDeadline(Date.now() + DESCRIBE_DEADLINE_MS, () =>
        client.workflow.getHandle(workflowId).describe(),
      );
      const isOpen = status.name === 'RUNNING' || status.name === 'PAUSED';
      if (isOpen) lookAgainAt.set(workflowId, performance.now() + LOOK_AGAIN_MS);
      found.set(workflowId, isOpen);
    } catch (error) {
      // Anything but a clear answer: Temporal is away, and asking on would only take time.
      if (!(error instanceof WorkflowNotFoundError)) return found;
      found.set(workflowId, false);
    }
  }
  return found;
}
