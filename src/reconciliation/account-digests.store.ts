import type { Queryable } from '../platform/database/prepared-query.ts';
import { eventLoopYields } from '../platform/time-slice.ts';
import { accountForm, transactionForm } from './compare/accepted-forms.schema.ts';
import { addPayload, hashesOfValues } from './compare/accepted-lines.rules.ts';
import { type Item, readJson } from './compare/form.rules.ts';
import { findSentTransactions, findStoredAccounts, type StoredAccount } from './compare/read-stored.store.ts';
import { readAccountKeys, type ReconciliationRecord } from './reconciliation.store.ts';
import { completeSums, digitsOf, emptySum, type Sum } from './compare/sha256.rules.ts';

/** An account with the sum of the hashes of all its fields and transactions: all accounts together add up to the digests of the certificate. */
export interface AccountDigest {
  external_account_number: string;
  /** Null if no copy of the accepted payload is kept. */
  digest: string | null;
}

/** Accounts per query; their payloads are in memory. */
const READ = 250;

/** What was accepted of an account. */
interface Accepted {
  external: string;
  /** Undefined if no copy is kept. */
  payload: Item | undefined;
  transactions: Item;
}

/** Reads the digests of the accounts that a reconciliation compares, page by page. */
export async function* readAccountDigests(
  on: Queryable,
  record: ReconciliationRecord,
): AsyncGenerator<AccountDigest[]> {
  const yieldToEventLoop = eventLoopYields();
  for await (const found of readAccountKeys(on, record, READ)) {
    const keys = found.flatMap(({ key }) => key ?? []);
    const sums: [external: string, sum: Sum | undefined][] = [];
    for await (const accepted of readAccepted(on, record.importSupplier, keys)) {
      await yieldToEventLoop();
      sums.push([accepted.external, digestOf(accepted)]);
    }
    completeSums();
    yield sums.map(([external, sum]) => ({ external_account_number: external, digest: sum ? digitsOf(sum) : null }));
  }
}

function digestOf({ external, payload, transactions }: Accepted): Sum | undefined {
  if (payload === undefined) return undefined;
  const sum = emptySum();
  addPayload(accountForm, external, payload, () => sum);
  addPayload(transactionForm, external, transactions, () => sum);
  return sum;
}

/** An accepted value of an account. */
export interface AcceptedValueHash {
  path: string;
  sha256: string;
}

/**
 * Hashes each accepted value of an account.
 * @returns undefined if there is no such account, or no copy of its payload is kept
 */
export async function findValueHashes(
  on: Queryable,
  importSupplier: string,
  external: string,
): Promise<AcceptedValueHash[] | undefined> {
  for await (const { payload, transactions } of readAccepted(on, importSupplier, [external])) {
    if (payload === undefined) return undefined;
    const hashes = [
      ...hashesOfValues(accountForm, external, payload),
      ...hashesOfValues(transactionForm, external, transactions),
    ];
    return hashes.map(([path, sha256]) => ({ path, sha256 }));
  }
  return undefined;
}

async function* readAccepted(
  on: Queryable,
  importSupplier: string,
  externals: readonly string[],
): AsyncGenerator<Accepted> {
  const accounts: StoredAccount[] = await findStoredAccounts(on, importSupplier, externals);
  const sent = await findSentTransactions(
    on,
    accounts.flatMap(({ accountId }) => accountId ?? []),
  );
  for (const { external, accountId, payload } of accounts) {
    const transactions = (sent.get(accountId ?? '') ?? []).map(({ sent: text }) => readJson(text) as Item);
    yield {
      external,
      payload: payload === null ? undefined : (readJson(payload) as Item),
      transactions: { transactions },
    };
  }
}
