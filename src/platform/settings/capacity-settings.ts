import { setting } from './setting-kinds.ts';

/** Capacity: concurrency, and storage of import jobs. */
export const capacitySettings = {
  HTTP_POOL_SIZE: setting.count('Database connections for requests.', 10),
  WORKER_POOL_SIZE: setting.count('Database connections for activities; the worker runs as many at once.', 10),
  JOB_BYTES_MAX: setting.count('Bytes that the import jobs of one organization may store, compressed.', 10_737_418_240),
};
