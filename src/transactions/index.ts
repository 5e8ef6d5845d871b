/** The door of transactions: who shows an account shows its balance, and import jobs add transactions as the operation does. */
export { accountBalance, accountBalanceSql } from './create-transactions.store.ts';
export { createTransactions } from './create-transactions.route.ts';
