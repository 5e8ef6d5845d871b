/** The door of statements: import jobs add statements as the operation does. */
export { createStatements } from './create-statements.route.ts';
