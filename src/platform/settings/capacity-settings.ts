import { Type } from 'typebox';
import { dispatchPace } from '../../../temporal.config.ts';
import { setting } from './setting-kinds.ts';

/** Capacity: concurrency and waiting times. */
export const capacitySettings = {
  HTTP_CONNECTIONS_MAX: Type.Optional(
    Type.Integer({
      description:
        'Connections to the API that may be open at once; unset, 5000, or fewer where the limit of open files is low.',
      examples: [2000],
      minimum: 1,
    }),
  ),
  HTTP_CONNECTIONS_PER_ADDRESS_MAX: Type.Optional(
    Type.Integer({
      description:
        'Limit of connections from one client address, or IPv6 /64 network; 0: no limit. Unset: a quarter of all, or no limit if HTTP_PROXIES is greater than 0, because all connections then come from the proxies.',
      examples: [200],
      minimum: 0,
    }),
  ),
  HTTP_POOL_SIZE: setting.count('Database connections for requests.', 10),
  WORKER_POOL_SIZE: setting.count('Database connections for activities; the worker runs as many at once.', 10),
  LARGE_BODIES_BYTES: setting.count(
    'Bytes of bodies over 64 kB that may be in progress at once, at most half of them of one organization. Others wait, then get 503.',
    8_388_608,
  ),
  CREATION_TIMEOUT_MS: setting.count('How long a creation request waits for its outcome.', 30_000),
  PAYMENT_TIMEOUT_MS: setting.count(
    'How long a request waits for the outcome of a verification, which continues after it.',
    20_000,
  ),
  DISPATCH_EVERY_MS: setting.count(
    'Pause between two rounds of the dispatcher, which starts scheduled work that is due; 100 to 600000.',
    dispatchPace.everyMs,
    100,
    600_000,
  ),
  JOB_BYTES_MAX: setting.count('Bytes that the import jobs of one organization may store, compressed.', 10_737_418_240),
};
