import type { EntityManager } from '@mikro-orm/postgresql';
import { isTransientError } from '../../platform/database/faults.ts';
import type { CreationEntry, CreationOutcome } from './create-account.rules.ts';
import { createFromStaged, type CreationContext } from './create-account.store.ts';

/**
 * Creates accounts where the database refuses the data of some: narrows a batch down until only the poison accounts are
 * left out, each in a savepoint.
 * @param leaveOut what becomes of an account that the database refuses; runs in the same transaction
 * @throws faults of the environment, which say nothing about an account
 */
export async function bisectCreation(
  em: EntityManager,
  entries: readonly CreationEntry[],
  context: CreationContext,
  leaveOut: (em: EntityManager, entry: CreationEntry, error: unknown) => Promise<void>,
): Promise<CreationOutcome[]> {
  try {
    // Inside a transaction this is a savepoint.
    return await em.transactional((part) => createFromStaged(part, entries, context));
  } catch (error) {
    if (isTransientError(error)) throw error;
    const [entry] = entries;
    if (entries.length === 1 && entry !== undefined) {
      await leaveOut(em, entry, error);
      return [{ kind: 'quarantined' }];
    }
    const middle = entries.length >> 1;
    return [
      ...(await bisectCreation(em, entries.slice(0, middle), context, leaveOut)),
      ...(await bisectCreation(em, entries.slice(middle), context, leaveOut)),
    ];
  }
}
