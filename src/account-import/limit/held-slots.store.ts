import { run, type Queryable, type PreparedQuery } from '../../platform/database/prepared-query.ts';

/** Slots of the concurrency limit that are held now. */
export interface HeldSlots {
  held: number;
  oldestTakenAt: Date | null;
}

const HELD: PreparedQuery = {
  name: 'creation-slot-held',
  text: 'select count(*)::integer as held, min(taken_at) as oldest from creation_slot',
};

/** How many slots are held, and since when the oldest. */
export async function heldSlots(database: Queryable): Promise<HeldSlots> {
  const [row] = await run<{ held: number; oldest: Date | null }>(database, HELD, []);
  return { held: row?.held ?? 0, oldestTakenAt: row?.oldest ?? null };
}
