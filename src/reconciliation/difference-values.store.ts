import { recordAudit, type Actor } from '../access/index.ts';
import type { Database } from '../platform/database/database.ts';
import { compareAccounts } from './compare/compare-accounts.store.ts';
import { findDifference, type ListedDifference } from './difference.store.ts';

/** A difference with its current values. */
export interface DifferenceValues {
  difference: ListedDifference;
  /** Undefined if there is no value, or if no copy of the accepted data is stored. */
  accepted: string | undefined;
  stored: string | undefined;
  /** Whether the accepted data is still stored; without it no value can be shown. */
  isCopyKept: boolean;
}

/**
 * Compares the account of a difference again and returns both values. They are personal data, so each read is audited.
 * @returns undefined if there is no such difference of an account
 */
export async function readDifferenceValues(
  database: Database,
  actor: Actor,
  { id, importSupplier, number }: { id: string; importSupplier: string; number: number },
): Promise<DifferenceValues | undefined> {
  const difference = await findDifference(database, id, number);
  if (difference?.subject !== 'account') return undefined;
  const { key, path } = difference;
  await recordAudit(database, actor, {
    action: 'reconciliation.values_read',
    subject: `accounts/${importSupplier}/${key}`,
    after: { reconciliation_id: id, path },
  });
  return database.transaction(async (em) => {
    await em.execute('set transaction isolation level repeatable read');
    for await (const { account, transactions, by } of compareAccounts(em, importSupplier, [key])) {
      const lines = [account.lines, ...(transactions === undefined ? [] : [transactions.lines])];
      return {
        difference,
        accepted: valueAt(
          path,
          lines.flatMap(({ accepted }) => accepted),
        ),
        stored: valueAt(
          path,
          lines.flatMap(({ stored }) => stored),
        ),
        isCopyKept: by === 'copy',
      };
    }
    return { difference, accepted: undefined, stored: undefined, isCopyKept: false };
  });
}

/** Finds the value at a path in lines `path<tab>value`. For a path within a JSON value, returns the whole JSON value. */
function valueAt(path: string, texts: readonly (string | undefined)[]): string | undefined {
  for (const text of texts) {
    for (const line of text?.split('\n') ?? []) {
      const tab = line.indexOf('\t');
      const at = line.slice(0, Math.max(0, tab));
      if (at !== '' && (path === at || path.startsWith(`${at}.`))) return line.slice(tab + 1);
    }
  }
  return undefined;
}
