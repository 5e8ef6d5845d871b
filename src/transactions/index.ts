/** The door of transactions: who shows an account shows its balance. */
export { accountBalance, accountBalanceSql } from './account-balance.store.ts';
