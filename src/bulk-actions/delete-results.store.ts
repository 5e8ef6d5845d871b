import { raw } from '@mikro-orm/core';
import type { Database } from '../platform/database/database.ts';
import type { Settings } from '../platform/settings.ts';
import { BulkAction, BulkActionItem } from './bulk-action.entity.ts';

/** Items that one statement deletes. */
const ITEMS_AT_ONCE = 10_000;
/** Actions of one round. */
const ACTIONS_MAX = 100;
/** Time limit of one round; the next round continues. */
const DELETES_MS = 5_000;

/** Returns the step of the dispatcher that deletes the outcomes of the items of old bulk actions. Their counts are kept. */
export function deleteOldBulkResults(
  database: Database,
  { JOB_RESULTS_KEPT_DAYS: keptDays }: Pick<Settings, 'JOB_RESULTS_KEPT_DAYS'>,
): () => Promise<void> {
  return async () => {
    const until = performance.now() + DELETES_MS;
    const expired = await database
      .em()
      .find(
        BulkAction,
        { resultsDeletedAt: null, endedAt: { $lt: raw('now() - make_interval(days => ?)', [keptDays]) } },
        { fields: ['id', 'handled'], orderBy: { endedAt: 'asc' }, limit: ACTIONS_MAX },
      );
    for (const { id, handled } of expired) {
      for (let position = 0; position < handled; position += ITEMS_AT_ONCE) {
        if (performance.now() > until) return;
        const page = { $gt: position, $lte: position + ITEMS_AT_ONCE };
        await database.em().nativeDelete(BulkActionItem, { bulkActionId: id, position: page });
      }
      await database.em().nativeUpdate(BulkAction, { id }, { resultsDeletedAt: raw('now()') });
    }
  };
}
