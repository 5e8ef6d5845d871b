/** Public interface of statements, for import jobs. */
export { createStatements } from './create-statements.route.ts';
