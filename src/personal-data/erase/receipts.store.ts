import { findAuditEntries, findAuditEntry, type AuditEntryView } from '../../access/index.ts';
import type { Database } from '../../platform/database/database.ts';
import type { ErasureReceipt } from './erasure.schema.ts';

/** A receipt as the audit keeps it. */
export interface KeptReceipt {
  /** Of the entry of the audit. */
  id: string;
  by: string;
  reason: string | null;
  receipt: ErasureReceipt;
}

const ACTION = 'person.erased';

/** The newest receipts. @param account `<supplier>/<number>`: those of one account */
export async function findReceipts(database: Database, limit: number, account?: string): Promise<KeptReceipt[]> {
  const subject = account === undefined ? {} : { subject: `accounts/${account}` };
  return (await findAuditEntries(database.em(), { limit, action: ACTION, ...subject })).map(receiptIn);
}

/** The receipt in an entry of the audit; undefined where it is none. */
export async function findReceipt(database: Database, id: string): Promise<KeptReceipt | undefined> {
  const entry = await findAuditEntry(database.em(), id);
  return entry?.action === ACTION ? receiptIn(entry) : undefined;
}

function receiptIn({ id, actor, reason, after }: AuditEntryView): KeptReceipt {
  return { id, by: actor.name, reason, receipt: after as ErasureReceipt };
}
