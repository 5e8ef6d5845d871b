import { pinNote } from '../notes/index.ts';
import type { Database, Statement, Transaction as DatabaseTransaction } from '../platform/database/database.ts';
import type { CreateTransactionsRequest } from './create-transactions.schema.ts';
import { openStatementPeriod } from './open-period.rules.ts';
import { noteOnMoved, settleTransactions, type AddedTransaction, type SettledTransactions, type StoredTransaction } from './settle-transactions.rules.ts';

/** What the client asked for beside the transactions (specification 4.1 rule 2). */
export interface TransactionOptions {
  checkPreviouslyAdded: boolean;
  forceAddToCurrentStatement: boolean;
}

export type TransactionsOutcome = { kind: 'account-not-found' } | ({ kind: 'settled' } & SettledTransactions);

/** The function is in migration m006: it locks the account's row, so that equal requests at once cannot double. */
const LOCK_AND_FIND: Statement = {
  name: 'lock-account-for-transactions',
  text: `
    select account_id as "accountId", to_char(last_billed_to_date, 'YYYY-MM-DD') as "lastBilledToDate", to_char(last_statement_end, 'YYYY-MM-DD') as "lastStatementEnd",
      coalesce(stored, '[]') as stored
    from lock_account_for_transactions($1, $2, $3)`,
};

interface AccountFacts {
  accountId: string;
  lastBilledToDate: string | null;
  lastStatementEnd: string | null;
  stored: StoredTransaction[];
}

/**
 * All transactions of a request with their items: one statement however many there are. Optional texts may be empty,
 * which counts as absent, hence the nullif. The caller holds the account's row.
 */
const INSERT_TRANSACTIONS: Statement = {
  name: 'insert-transactions',
  text: `
    with sent as materialized (
      select t.n - 1 + (select coalesce(max(position) + 1, 0) from transaction where account_id = $1) as position, t.*
      from rows from (
        jsonb_to_recordset($2::jsonb) as (transaction_id text, amount numeric, type text, reason text, display_note text, note text, reference text, payment_type text,
          product_code text, line_items jsonb, tax_items jsonb),
        jsonb_array_elements($2::jsonb), unnest($3::date[]), unnest($4::text[])
      ) with ordinality as t (transaction_id, amount, type, reason, display_note, note, reference, payment_type, product_code, line_items, tax_items, sent, day, description, n)),
    lines_written as (
      insert into transaction_line_item (account_id, position, transaction_position, start_date, end_date, number_of_units, net_amount, price_per_unit, rate_band, units)
      select $1, row_number() over (order by s.position, l.n) - 1 + (select coalesce(max(position) + 1, 0) from transaction_line_item where account_id = $1),
        s.position, l.start_date, l.end_date, l.number_of_units, l.net_amount, nullif(l.price_per_unit, '')::numeric, nullif(l.rate_band, ''), l.units
      from sent s, rows from (jsonb_to_recordset(s.line_items) as (start_date date, end_date date, number_of_units numeric, net_amount numeric, price_per_unit text,
        rate_band text, units numeric[])) with ordinality as l (start_date, end_date, number_of_units, net_amount, price_per_unit, rate_band, units, n)),
    taxes_written as (
      insert into transaction_tax_item (account_id, position, transaction_position, amount, tax_type, value_taxed, rate, unit_type)
      select $1, row_number() over (order by s.position, x.n) - 1 + (select coalesce(max(position) + 1, 0) from transaction_tax_item where account_id = $1),
        s.position, x.amount, x.tax_type, nullif(x.value_taxed, '')::numeric, nullif(x.rate, '')::numeric, nullif(x.unit_type, '')
      from sent s, rows from (jsonb_to_recordset(s.tax_items) as (amount numeric, tax_type text, value_taxed text, rate text, unit_type text))
        with ordinality as x (amount, tax_type, value_taxed, rate, unit_type, n))
    insert into transaction (account_id, position, transaction_id, transaction_date, amount, type, reason, display_note, note, reference, payment_type, product_code, description, sent)
    select $1, position, transaction_id, day, amount, type, nullif(reason, ''), nullif(display_note, ''), nullif(note, ''), nullif(reference, ''), nullif(payment_type, ''),
      nullif(product_code, ''), description, sent
    from sent order by position`,
};

/**
 * Adds the transactions of a request that the account does not have (specification 2.6, 4.1, design 3). One transaction
 * and a constant number of statements; when one of them is refused, nothing is left of any.
 * @param now the moment of the request; `today` is its day in France
 */
export async function createTransactions(database: Database, request: CreateTransactionsRequest, options: TransactionOptions, { now, today }: { now: Date; today: string }): Promise<TransactionsOutcome> {
  return database.transaction(async (tx) => {
    // What the client does not want to be detected is not looked for.
    const ids = options.checkPreviouslyAdded ? request.transactions.map(({ transaction_id: id }) => id) : [];
    const [account] = await tx.run<AccountFacts & Record<string, unknown>>(LOCK_AND_FIND, [request.import_supplier, request.external_account_number, ids]);
    if (account === undefined) return { kind: 'account-not-found' };
    const { accountId, stored } = account;
    const period = openStatementPeriod({ ...account, today });
    const settled = settleTransactions(request.transactions, { stored, period, mayMove: options.forceAddToCurrentStatement });
    if (settled.violations.length > 0) return { kind: 'settled', ...settled };
    if (settled.added.length > 0) await insertTransactions(tx, accountId, settled.added);
    const note = noteOnMoved(settled.added, period);
    if (note !== undefined) await pinNote(tx, accountId, { body: note, createdAt: now });
    return { kind: 'settled', ...settled };
  });
}

async function insertTransactions(tx: DatabaseTransaction, accountId: string, added: readonly AddedTransaction[]): Promise<void> {
  await tx.run(INSERT_TRANSACTIONS, [
    accountId, JSON.stringify(added.map(({ sent }) => sent)), added.map(({ transactionDate }) => transactionDate), added.map(({ description }) => description),
  ]);
}
