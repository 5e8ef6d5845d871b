import type { EntityManager } from '@mikro-orm/postgresql';
import { eventLoopYields } from '../../platform/time-slice.ts';
import { accountForm, transactionForm } from './accepted-forms.schema.ts';
import { readAccepted } from './accepted-items.rules.ts';
import {
  ACCOUNT_MISSING,
  compareAccount,
  compareRows,
  type ComparedAccount,
  type StoredRow,
} from './compare-account.rules.ts';
import { openKept } from './kept-hashes.store.ts';
import { type AcceptedContext, type Item, readJson } from './form.rules.ts';
import { NO_LINES } from './hashed-lines.rules.ts';
import {
  acceptedContext,
  findSentTransactions,
  findStoredAccounts,
  findStoredRows,
  type SentTransaction,
  type StoredAccount,
} from './read-stored.store.ts';

/** The result of the comparison of one account. */
export interface ReconciledAccount {
  external: string;
  /** Null if the account does not exist. */
  accountId: string | null;
  account: ComparedAccount;
  /** The basis of the comparison: the accepted payload, its hashes, or nothing. With nothing, only a missing account is detected. */
  by: 'copy' | 'hashes' | 'nothing';
  /** Undefined if the account has none. */
  transactions: ComparedAccount | undefined;
}

/**
 * Compares accounts with their accepted payloads. The transaction must be `repeatable read`, so that each concurrent addition is visible
 * completely or not at all.
 * @param externals external account numbers of one import supplier
 * @param hashKey the setting FIELD_HASH_KEY
 * @returns the accounts that were created, or should have been, in the order of `externals`
 */
export async function* compareAccounts(
  em: EntityManager,
  importSupplier: string,
  externals: readonly string[],
  hashKey?: Buffer,
): AsyncGenerator<ReconciledAccount> {
  const accounts = await findStoredAccounts(em, importSupplier, externals);
  const ids = accounts.flatMap(({ accountId }) => accountId ?? []);
  const rows = await findStoredRows(em, accountForm, ids);
  const sent = await findSentTransactions(em, ids);
  const transactionRows = await findStoredRows(em, transactionForm, [...sent.keys()]);
  const readKept = await openKept(em, accounts, hashKey);
  const yieldToEventLoop = eventLoopYields();
  for (const account of accounts) {
    await yieldToEventLoop();
    const id = account.accountId ?? '';
    const context = acceptedContext(account);
    yield {
      external: account.external,
      accountId: account.accountId,
      ...compareOne(account, context, rows.get(id) ?? [], readKept),
      transactions: compareTransactions(sent.get(id), context, transactionRows.get(id) ?? []),
    };
  }
}

function compareOne(
  stored: StoredAccount,
  context: AcceptedContext,
  rows: readonly StoredRow[][],
  readKept: Awaited<ReturnType<typeof openKept>>,
): Pick<ReconciledAccount, 'account' | 'by'> {
  const { payload, head } = stored;
  if (payload !== null) {
    const accepted = readAccepted(accountForm, readJson(payload) as Item, context);
    return { by: 'copy', account: compareAccount(accountForm, accepted, head, rows) };
  }
  const known = readKept(stored);
  if (known !== undefined) {
    return { by: 'hashes', account: compareAccount(known.form, known.accepted, head, rows, known.seal) };
  }
  const differences = head === undefined ? [ACCOUNT_MISSING] : [];
  return { by: 'nothing', account: { differences, lines: { accepted: NO_LINES, stored: NO_LINES }, values: 0 } };
}

/** Transactions are sent after the account and stored with the sent text, with which they are compared. */
function compareTransactions(
  sent: readonly SentTransaction[] | undefined,
  context: AcceptedContext,
  rows: readonly StoredRow[][],
): ComparedAccount | undefined {
  if (sent === undefined) return undefined;
  const payload = { transactions: sent.map(({ sent: text }) => readJson(text) as Item) };
  return compareRows(transactionForm, readAccepted(transactionForm, payload, context), rows);
}
