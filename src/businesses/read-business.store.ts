import { recordAudit, type Actor } from '../access/index.ts';
import type { Database } from '../platform/database/database.ts';
import { refuse, type Refused } from '../vocabulary/refusals.ts';
import { findBusiness, type BusinessKey, type BusinessWindow } from './find-business.store.ts';

/** How a read stands in the audit. */
export type AuditedBusinessRead = 'business.read' | 'business.contact_data_revealed';

/**
 * A business with its contracts and accounts, for an operator. Its details may name people, so each read leaves a line in the
 * audit.
 * @returns JSON text; a refusal where there is no such business
 */
export async function readBusiness(
  database: Database,
  actor: Actor,
  key: BusinessKey,
  { action = 'business.read', ...window }: BusinessWindow & { action?: AuditedBusinessRead } = {},
): Promise<string | Refused> {
  return database.transaction(async (em) => {
    const found = await findBusiness(em, key, window);
    if (found === undefined) return refuse('business_not_found');
    const subject = `businesses/${found.importSupplier}/${found.externalBusinessIdentifier}`;
    await recordAudit(em, actor, { action, subject });
    return found.json;
  });
}
