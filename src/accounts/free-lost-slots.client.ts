import { WorkflowNotFoundError } from '@temporalio/client';
import type { Database } from '../platform/database/database.ts';
import type { Log } from '../platform/log.ts';
import type { TemporalGateway } from '../platform/temporal/temporal-gateway.ts';
import { freeSlots, oldSlots } from './creation-slot.store.ts';

export interface LostSlotOptions {
  database: Database;
  gateway: TemporalGateway;
  log: Log;
  /** Younger slots are not looked at. */
  minimumAgeSeconds?: number;
}

/**
 * Far longer than a caller waits for its answer and Temporal may take to accept a start: a slot of this age without a
 * run belongs to a process that died, and a run that Temporal does not know by then will never come.
 */
const MINIMUM_AGE_SECONDS = 60;
const LOOKED_AT_ONCE_MAX = 500;
const DESCRIBE_DEADLINE_MS = 2_000;

/**
 * Frees slots that nothing will ever settle: of a process that died before it started its run, and of runs that are
 * closed or unknown to Temporal (design 3, "Concurrency limit"). While Temporal is away, slots that have a run are kept.
 * @returns how many were freed
 */
export async function freeLostSlots(options: LostSlotOptions): Promise<number> {
  const slots = await oldSlots(options.database, options.minimumAgeSeconds ?? MINIMUM_AGE_SECONDS, LOOKED_AT_ONCE_MAX);
  const isOpen = await openRuns(options, new Set(slots.map((slot) => slot.workflow_id)));
  const lost = slots.filter((slot) => slot.workflow_id === null || isOpen.get(slot.workflow_id) === false).map((slot) => slot.creation_id);
  if (lost.length === 0) return 0;
  await freeSlots(options.database, lost);
  options.log.info({ slots: lost.length }, 'slots freed that nothing would have settled');
  return lost.length;
}

/** Which of the runs are open; those that Temporal could not be asked about are left out. */
async function openRuns({ gateway }: LostSlotOptions, workflowIds: ReadonlySet<string | null>): Promise<Map<string, boolean>> {
  const found = new Map<string, boolean>();
  for (const workflowId of workflowIds) {
    if (workflowId === null) continue;
    try {
      const client = gateway.client();
      const { status } = await client.withDeadline(Date.now() + DESCRIBE_DEADLINE_MS, () => client.workflow.getHandle(workflowId).describe());
      found.set(workflowId, status.name === 'RUNNING' || status.name === 'PAUSED');
    } catch (error) {
      // Anything but a clear answer: Temporal is away, and asking on would only take time.
      if (!(error instanceof WorkflowNotFoundError)) return found;
      found.set(workflowId, false);
    }
  }
  return found;
}
