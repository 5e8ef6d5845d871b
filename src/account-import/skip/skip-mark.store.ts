import type { EntityManager } from '@mikro-orm/postgresql';
import type { AccountKey } from '../../accounts/account-key.schema.ts';
import type { ImportProcessTable } from '../import-process.entity.ts';
import type { SkipMarkView } from './skip-mark.openapi.ts';

/** Result of a change of a skip mark, or why nothing changed. */
export type SkipMarkChange =
  | { kind: 'changed'; before: SkipMarkView; after: SkipMarkView }
  | { kind: 'unknown' }
  | { kind: 'imported'; accountNumber: string };

interface ProcessRow {
  id: string;
  skipped_at: string | null;
  skip_reason: string | null;
  number: string | null;
}

const TIME = `to_char(skipped_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`;

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
  const [row] = await em.execute<ProcessRow[]>(
    `select p.id, ${TIME} as skipped_at, p.skip_reason, a.number from import_process p left join account a on a.import_process_id = p.id where p.id = ?`,
    [locked.id],
  );
  const found = row as ProcessRow;
  if (found.number !== null) return { kind: 'imported', accountNumber: found.number };
  const [changed] = await em.execute<Pick<ProcessRow, 'skipped_at' | 'skip_reason'>[]>(
    `update import_process set skipped_at = case when ?::boolean then coalesce(skipped_at, now()) end, skip_reason = ?
     where id = ? returning ${TIME} as skipped_at, skip_reason`,
    [mark !== undefined, mark === undefined ? null : (mark.reason ?? found.skip_reason), found.id],
  );
  return { kind: 'changed', before: view(key, found), after: view(key, changed as ProcessRow) };
}

function view(
  key: AccountKey,
  { skipped_at, skip_reason }: Pick<ProcessRow, 'skipped_at' | 'skip_reason'>,
): SkipMarkView {
  return {
    import_supplier: key.import_supplier,
    external_account_number: key.external_account_number,
    skipped_at,
    skip_reason,
  };
}
