import { pinNote } from '../notes/index.ts';
import type { WritableDatabase } from '../platform/database/database.ts';
import { type PreparedQuery, run } from '../platform/database/prepared-query.ts';
import {
  type AddedTransaction,
  type ClassifiedTransactions,
  type StoredTransaction,
  classifyTransactions,
  noteOnMoved,
  openStatementPeriod,
} from './classify-transactions.rules.ts';
import type { CreateTransactionsRequest } from './create-transactions.schema.ts';

/** Options of the request. */
export interface TransactionOptions {
  checkPreviouslyAdded: boolean;
  forceAddToCurrentStatement: boolean;
}

/** Facts that apply to all transactions of a request. */
interface Moment {
  now: Date;
  /** The day of `now` in France. */
  today: string;
  /** The import job of the request; null for a single request. */
  importJobId: string | null;
}

export type TransactionsOutcome = { kind: 'account-not-found' } | ({ kind: 'classified' } & ClassifiedTransactions);

/** The functions are defined in the .sql files of this folder. */
const LOCK_AND_FIND: PreparedQuery = {
  name: 'lock-account-for-transactions',
  text: `
    select account_id as "accountId", to_char(last_billed_to_date, 'YYYY-MM-DD') as "lastBilledToDate", to_char(last_statement_end, 'YYYY-MM-DD') as "lastStatementEnd",
      coalesce(stored, '[]') as stored
    from lock_account_for_transactions($1, $2, $3)`,
};

const INSERT_TRANSACTIONS: PreparedQuery = {
  name: 'insert-transactions',
  text: 'select insert_transactions($1, $2, $3, $4, $5)',
};

const ATTACH_PLAIN: PreparedQuery = {
  name: 'attach-plain-transactions',
  text: 'select attach_plain_transactions($1, $2, $3, $4, $5, $6, $7, $8) as outcome',
};

interface AccountFacts {
  accountId: string;
  lastBilledToDate: string | null;
  lastStatementEnd: string | null;
  stored: StoredTransaction[];
}

/**
 * Adds the transactions that the account does not have, all or none, in a constant number of statements: a single one if none is known and
 * no date must be moved.
 */
export async function createTransactions(
  database: WritableDatabase,
  request: CreateTransactionsRequest,
  options: TransactionOptions,
  moment: Moment,
): Promise<TransactionsOutcome> {
  // Empty if the client disabled the detection.
  const ids = options.checkPreviouslyAdded ? request.transactions.map(({ transaction_id: id }) => id) : [];
  const asIfPlain = classifyTransactions(request.transactions, {
    stored: [],
    period: { from: null, to: '9999-12-31' },
    mayMove: true,
  });
  const [row] = await run<{ outcome: 'written' | 'not-plain' | 'account-not-found' }>(database, ATTACH_PLAIN, [
    request.import_supplier,
    request.external_account_number,
    ids,
    moment.today,
    ...columnsOf(asIfPlain.added),
    moment.importJobId,
  ]);
  switch (row!.outcome) {
    case 'account-not-found':
      return { kind: 'account-not-found' };
    case 'written':
      return { kind: 'classified', ...asIfPlain };
    case 'not-plain':
      return createWithConflicts(database, request, ids, options, moment);
  }
}

/** Used if some are known or outside the open statement period: classifies each transaction individually. */
async function createWithConflicts(
  database: WritableDatabase,
  request: CreateTransactionsRequest,
  ids: readonly string[],
  options: TransactionOptions,
  { now, today, importJobId }: Moment,
): Promise<TransactionsOutcome> {
  return database.transaction(async (em) => {
    const [account] = await run<AccountFacts & Record<string, unknown>>(em, LOCK_AND_FIND, [
      request.import_supplier,
      request.external_account_number,
      ids,
    ]);
    if (account === undefined) return { kind: 'account-not-found' };
    const period = openStatementPeriod({ ...account, today });
    const classified = classifyTransactions(request.transactions, {
      stored: account.stored,
      period,
      mayMove: options.forceAddToCurrentStatement,
    });
    if (classified.violations.length > 0) return { kind: 'classified', ...classified };
    if (classified.added.length > 0) {
      await run(em, INSERT_TRANSACTIONS, [account.accountId, ...columnsOf(classified.added), importJobId]);
    }
    const note = noteOnMoved(classified.added, period);
    if (note !== undefined) await pinNote(em, account.accountId, { body: note, createdAt: now, importJobId });
    return { kind: 'classified', ...classified };
  });
}

function columnsOf(added: readonly AddedTransaction[]): unknown[] {
  return [
    JSON.stringify(added.map(({ sent }) => sent)),
    added.map(({ transactionDate }) => transactionDate),
    added.map(({ description }) => description),
  ];
}

/**
 * SQL of an account's balance, exact to the cent. A positive balance is the customer's credit: payments and credits, minus charges
 * and repayments.
 * @param accountId SQL of the account's id
 */
export function accountBalanceSql(accountId: string): string {
  return `(select (coalesce(sum(case when m.type in ('PAYMENT', 'CREDIT') then m.amount else -m.amount end), 0))::numeric(40, 2)::text
    from transaction m where m.account_id = ${accountId})`;
}
