/** Public interface of transactions: balances for account views, and the route for import jobs. */
export { accountBalanceSql } from './create-transactions.store.ts';
export { createTransactions } from './create-transactions.route.ts';
