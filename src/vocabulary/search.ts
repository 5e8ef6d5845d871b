import { setOf } from './value-sets.ts';

/** Kinds of search results. */
export const foundKinds = setOf('own', [
  'account',
  'business',
  'import_job',
  'market_message',
  'population_batch',
  'supply_point',
  'wave',
]);
export type FoundKind = keyof typeof foundKinds;

/** What matched the search text. */
export const waysFound = setOf('own', [
  'external_account_number',
  'external_business_identifier',
  'service_account_number',
  'service_business_id',
  'import_job_id',
  'import_job_name',
  'message_id',
  'payment_reference',
  'population_batch_id',
  'supply_point_identifier',
  'wave_id',
  'wave_name',
  'email',
  'phone',
  'name',
  'company_name',
]);
