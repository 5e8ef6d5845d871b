import type { EntityManager } from '@mikro-orm/postgresql';
import { recordAudit, type Actor } from '../../access/index.ts';
import type { Database } from '../../platform/database/database.ts';

/** What the audit says of a change besides its outcome. */
export interface AuditedSteering {
  caller: Actor;
  action: string;
  subject: string;
  reason: string | undefined;
}

/** Makes a change and its row of the audit in one transaction. */
export async function changeAudited<T extends object>(
  database: Database,
  { caller, ...audited }: AuditedSteering,
  change: (em: EntityManager) => Promise<T | null>,
): Promise<T | null> {
  return database.transaction(async (em) => {
    const outcome = await change(em);
    if (outcome !== null) await recordAudit(em, caller, { ...audited, after: outcome });
    return outcome;
  });
}
