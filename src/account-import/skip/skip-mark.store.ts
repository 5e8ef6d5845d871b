import { raw } from '@mikro-orm/core';
import type { EntityManager } from '@mikro-orm/postgresql';
import type { AccountKey } from '../../accounts/account-key.schema.ts';
import { Account } from '../../accounts/index.ts';
import { ImportProcess, type ImportProcessTable } from '../import-process.entity.ts';
import type { SkipMarkView } from './skip-mark.schema.ts';

/** Result of a change of a skip mark, or why nothing changed. */
export type SkipMarkChange =
  | { kind: 'changed'; before: SkipMarkView; after: SkipMarkView }
  | { kind: 'unknown' }
  | { kind: 'imported'; accountNumber: string };

/**
 * Sets or removes the skip mark of an account. Waits for a creation in progress: an account is either created or marked, never both. A
 * repeated mark keeps the time of the first.
 * @param mark the reason, or undefined to remove the mark
 */
export async function changeSkipMark(
  em: EntityManager,
  key: AccountKey,
  mark: { reason: string | null } | undefined,
): Promise<SkipMarkChange> {
  const locked = await em
    .getKysely<ImportProcessTable>()
    .selectFrom('import_process')
    .select('id')
    .where('import_supplier', '=', key.import_supplier)
    .where('external_account_number', '=', key.external_account_number)
    .forNoKeyUpdate()
    .executeTakeFirst();
  if (locked === undefined) return { kind: 'unknown' };
  // A separate statement, because only a new snapshot shows the commits of the previous lock holder.
  const account = await em.findOne(Account, { importProcessId: locked.id });
  if (account !== null) return { kind: 'imported', accountNumber: account.number };
  const fields = ['skippedAt', 'skipReason'] as const;
  const process = await em.findOneOrFail(ImportProcess, { id: locked.id }, { fields });
  const before = view(key, process);
  em.assign(process, {
    skippedAt: mark === undefined ? null : (process.skippedAt ?? raw('now()')),
    skipReason: mark === undefined ? null : (mark.reason ?? process.skipReason),
  });
  await em.flush();
  return { kind: 'changed', before, after: view(key, process) };
}

function view(
  key: AccountKey,
  { skippedAt, skipReason }: Pick<ImportProcess, 'skippedAt' | 'skipReason'>,
): SkipMarkView {
  return {
    import_supplier: key.import_supplier,
    external_account_number: key.external_account_number,
    skipped_at: skippedAt?.toISOString() ?? null,
    skip_reason: skipReason ?? null,
  };
}
