export type { components, Lines, paths } from './api.ts';
export { connect, dataOf, type Gangway } from './client.ts';
export { AddressError, RefusedError, TokenRefusedError, UnreachableError, type Violation } from './errors.ts';
export type { ImportJob, ImportJobRequest } from './import-jobs.ts';
export type { Records } from './lines.ts';
export { PartError, RecordsError } from './parts.ts';
