import { recordAudit, withoutContactData, type Actor, type ContactDataRead } from '../access/index.ts';
import type { Database } from '../platform/database/database.ts';
import { refuse, type Refused } from '../vocabulary/refusals.ts';
import { findBusiness, type BusinessKey, type BusinessWindow } from './find-business.store.ts';

/**
 * Returns a business with its contracts and accounts to an operator. Its details may name people, so each read is audited, and the
 * values are masked unless the operator may see them or the business was searched by them.
 * @returns JSON text; a rejection if the business does not exist
 */
export async function readBusiness(
  database: Database,
  actor: Actor,
  key: BusinessKey,
  { isOpen, isRevealed }: ContactDataRead,
  window: BusinessWindow = {},
): Promise<string | Refused> {
  return database.transaction(async (em) => {
    const found = await findBusiness(em, key, window);
    if (found === undefined) return refuse('business_not_found');
    const subject = `businesses/${found.importSupplier}/${found.externalBusinessIdentifier}`;
    await recordAudit(em, actor, { action: isRevealed ? 'business.contact_data_revealed' : 'business.read', subject });
    return isOpen || isRevealed ? found.json : withoutContactData(found.json);
  });
}
