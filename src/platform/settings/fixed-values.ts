import { dispatchPace, paymentBudget } from '../../../temporal.config.ts';

/** Values that operators have no reason to change. They are not read from the environment; tests pass others to `readSettings`. */
export const fixedValues = {
  /** Connections to the API. More bring no benefit: each costs memory, and requests wait for the database pools. */
  HTTP_CONNECTIONS_MAX: 5_000,
  /** Time limit from opening a connection, or from the first byte of a request on it, to the end of the request head. */
  HTTP_HEAD_DEADLINE_MS: 60_000,
  /** Quota of stored responses per organization. Beyond it requests with a key are answered with 429. */
  IDEMPOTENCY_ANSWERS_MAX: 5_000_000,
  IDEMPOTENCY_BYTES_MAX: 2_147_483_648,
  /** A request with an Idempotency-Key that got no response is executed again after this time; no request takes as long. */
  IDEMPOTENCY_CLAIM_SECONDS: 60,
  /** A paused import job expires after this time. */
  JOB_PAUSED_DAYS: 30,
  /** Time after SIGTERM in which running requests and activities can end. The stop periods of docker-compose.yml and the Kubernetes manifests are longer. */
  SHUTDOWN_GRACE_MS: 20_000,
  /** Time after SIGTERM in which clients can close the connections they keep, if there were requests just before; 0 closes idle ones immediately. */
  SHUTDOWN_DRAIN_MS: 3_000,
  BODY_LIMIT_BYTES: 1_048_576,
  /** Operations 12 and 13. A business with 1,000 contracts fits into one body. */
  BUSINESS_BODY_LIMIT_BYTES: 4_194_304,
  /** Operation 14. */
  POPULATE_BODY_LIMIT_BYTES: 2_097_152,
  /** Bytes of bodies over 64 kB that may be in progress concurrently, at most half of them of one organization. A body needs 20 times its size in memory. */
  LARGE_BODIES_BYTES: 8_388_608,
  /** How long a body over 64 kB waits for capacity (LARGE_BODIES_BYTES) before the answer 503. Clients wait longer for any answer. */
  LARGE_BODY_WAIT_MS: 5_000,
  /** Time in which a body over 64 kB must arrive once it has capacity (LARGE_BODIES_BYTES). */
  LARGE_BODY_ARRIVAL_MS: 20_000,
  /** Connections of an API process for streamed lists. */
  LIST_POOL_SIZE: 4,
  LOOKUP_POOL_SIZE: 6,
  /** In addition to two for downloads and long counts. */
  SUPPORT_SITE_POOL_SIZE: 4,
  /** How long a creation request waits for its outcome; creations take seconds, and proxies close a request after 60 s. */
  CREATION_TIMEOUT_MS: 30_000,
  CREATION_BATCH_SIZE: 64,
  /** Runs that may hold a slot concurrently. The second one keeps the database busy while the first one starts or ends. */
  CREATION_RUNS_IN_FLIGHT: 2,
  /** Open runs, including runs that have released their slot. Bounds their number when runs take long. */
  CREATION_RUNS_OPEN_MAX: 64,
  /** One statement for an account that was too slow in its batch and is created alone. After it the account is quarantined. */
  CREATION_ALONE_STATEMENT_MS: 12_000,
  /** Creation requests that may wait; further ones are answered with 503. */
  CREATION_REQUESTS_WAITING_MAX: 1_000,
  /** A run that has not ended after this time releases its slot. */
  CREATION_PLACE_HELD_MS: 2_000,
  /** Time limit for Temporal to accept the start of a creation run or a verification. Callers of creations wait 30 s, so a slow start is no 503. */
  CREATION_START_DEADLINE_MS: 10_000,
  PAYMENT_START_DEADLINE_MS: 3_000,
  /** How long a request waits for the outcome of a verification, which continues after it. */
  PAYMENT_TIMEOUT_MS: 20_000,
  /** Verifications of one API key that may be rejected in an hour, over all processes, so that references cannot be probed. */
  PAYMENT_REFUSALS_PER_HOUR: 500,
  /** As a multiple of PAYMENT_REFUSALS_PER_HOUR: import jobs have a whole migration verified, wrong references included. */
  PAYMENT_JOB_REFUSALS_FACTOR: 20,
  PAYMENT_BUDGET_MS: paymentBudget.totalMs as number,
  /** Time limits of one request to the document store, and of all those of one API request. */
  DOCUMENT_STORE_TIMEOUT_MS: 2_000,
  DOCUMENT_STORE_DEADLINE_MS: 10_000,
  /** The result of a lookup is used for this time before the supply point is looked up again. */
  LOOKUP_KNOWN_DAYS: 30,
  DISPATCH_EVERY_MS: dispatchPace.everyMs as number,
  /** Ports of the embedded servers. If one is in use, a free port is used instead. */
  POSTGRES_PORT: 54_330,
  TEMPORAL_PORT: 7_233,
  TEMPORAL_UI_PORT: 8_233,
};
