import type { EntityManager } from '@mikro-orm/postgresql';
import { isTransientError } from '../../platform/database/faults.ts';
import type { CreationEntry, CreationOutcome } from './create-account.rules.ts';
import { createFromStaged, type CreationContext } from './create-account.store.ts';

/**
 * Creates accounts when the database rejects some of them: bisects the batch, each half in a savepoint, until each rejected account is
 * alone.
 * @param onRejected handles a rejected account in the same transaction
 * @throws transient errors of the database, which no account causes
 */
export async function bisectCreation(
  em: EntityManager,
  entries: readonly CreationEntry[],
  context: CreationContext,
  onRejected: (em: EntityManager, entry: CreationEntry, error: unknown) => Promise<void>,
): Promise<CreationOutcome[]> {
  try {
    // Inside a transaction this is a savepoint.
    return await em.transactional((part) => createFromStaged(part, entries, context));
  } catch (error) {
    if (isTransientError(error)) throw error;
    const [entry] = entries;
    if (entries.length === 1 && entry !== undefined) {
      await onRejected(em, entry, error);
      return [{ kind: 'quarantined' }];
    }
    const middle = entries.length >> 1;
    return [
      ...(await bisectCreation(em, entries.slice(0, middle), context, onRejected)),
      ...(await bisectCreation(em, entries.slice(middle), context, onRejected)),
    ];
  }
}
