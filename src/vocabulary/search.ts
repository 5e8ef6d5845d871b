import type { ValueSet } from './value-sets.ts';

/** Kinds of search results. */
export const foundKinds = {
  account: 'specified',
  business: 'specified',
  import_job: 'specified',
  population_batch: 'specified',
  supply_point: 'specified',
} as const satisfies ValueSet;
export type FoundKind = keyof typeof foundKinds;

/** What matched the search text. */
export const waysFound = {
  external_account_number: 'specified',
  external_business_identifier: 'specified',
  service_account_number: 'specified',
  service_business_id: 'specified',
  import_job_id: 'specified',
  population_batch_id: 'specified',
  supply_point_identifier: 'specified',
  email: 'specified',
  phone: 'specified',
  name: 'specified',
} as const satisfies ValueSet;
export type WayFound = keyof typeof waysFound;
