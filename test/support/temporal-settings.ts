/**
 * Settings that reduce the work of Temporal servers in tests: each costs processor time per namespace or task queue.
 */
export const temporalSettings = [
  // Each test file has a namespace, and the server would poll each for schedules, which we do not use.
  'worker.perNamespaceWorkerCount=0',
  // Three of four partitions of a task queue only forward to the first.
  'matching.numTaskqueueReadPartitions=1',
  'matching.numTaskqueueWritePartitions=1',
  // By default each task queue counts its backlog every five seconds, and a worker has a dozen queues: most of an idle
  // worker's cost on the server. With 0 (never), server 1.31 counts without a pause.
  'matching.ephemeralDataUpdateInterval="1h"',
];

/**
 * Lets the heap of such a server, a Go program, grow to five times the used memory instead of twice before a garbage
 * collection, up to this limit of memory.
 */
export const temporalMemory = { GOGC: '400', GOMEMLIMIT: '1GiB' };
