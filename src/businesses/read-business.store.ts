import { recordAudit, withoutContactData, type Actor, type ContactDataRead } from '../access/index.ts';
import type { Database } from '../platform/database/database.ts';
import { refuse, type Refused } from '../vocabulary/refusals.ts';
import { findBusiness, type BusinessKey, type BusinessWindow } from './find-business.store.ts';

/**
 * A business with its contracts and accounts, for an operator. Its details may name people, so each read leaves a line in the
 * audit; the values are masked unless they may be seen or were asked for.
 * @returns JSON text; a refusal where there is no such business
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
