/**
 * Settings that spare the Temporal servers of tests unneeded work: each value costs processor time for each namespace
 * or task queue.
 */
export const temporalSettings = [
  // Each test file has a namespace, and the server would poll each for schedules, which we do not use.
  'worker.perNamespaceWorkerCount=0',
  // Of four partitions of a task queue three only forward to the first.
  'matching.numTaskqueueReadPartitions=1',
  'matching.numTaskqueueWritePartitions=1',
  // Every five seconds each task queue would count its backlog, and a worker has a dozen of them: most of an idle
  // worker's cost on the server. Never (0) makes server 1.31 count without a pause.
  'matching.ephemeralDataUpdateInterval="1h"',
];

/**
 * Lets the heap of such a server, a Go program, grow to five times the used memory, instead of twice, before a
 * garbage collection; up to this limit of memory in all.
 */
export const temporalMemory = { GOGC: '400', GOMEMLIMIT: '1GiB' };
