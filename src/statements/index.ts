/** The door of statements: transactions ask which periods are closed. */
export { findLastStatementEnd } from './last-statement.store.ts';
