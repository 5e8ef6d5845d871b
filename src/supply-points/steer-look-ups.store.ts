import type { EntityManager } from '@mikro-orm/postgresql';
import { recordAudit } from '../access/index.ts';
import type { Database } from '../platform/database/database.ts';
import type { Caller } from '../platform/http/route.ts';
import type { LookUpRuns } from './look-up-runs.client.ts';

/** What a route needs that changes look-ups which are under way. */
export interface SteerDeps {
  database: Database;
  runs: LookUpRuns;
}

/** Makes a change and its row of the audit in one transaction. */
export async function changeAudited<T extends object>(
  database: Database,
  caller: Caller,
  action: string,
  subject: string,
  change: (em: EntityManager) => Promise<T | null>,
): Promise<T | null> {
  return database.transaction(async (em) => {
    const outcome = await change(em);
    if (outcome !== null) await recordAudit(em, caller, { action, subject, after: outcome });
    return outcome;
  });
}
