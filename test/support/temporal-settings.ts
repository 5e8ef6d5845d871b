/** What spares the Temporal servers of tests work that no test needs: each value costs processor time for each namespace or task queue. */
export const temporalSettings = [
  // Each file of tests has a namespace, and the server would poll for schedules in each, which we have none of.
  'worker.perNamespaceWorkerCount=0',
  // Of four partitions of a task queue three only pass on what they get to the first.
  'matching.numTaskqueueReadPartitions=1',
  'matching.numTaskqueueWritePartitions=1',
  // Every five seconds each task queue would look how much waits, and a worker has a dozen of them: most of what an idle one costs the server. Never
  // (0) makes server 1.31 look without a rest.
  'matching.ephemeralDataUpdateInterval="1h"',
];

/**
 * Lets the heap of such a server, which is a program in Go, grow to five times of what is in use, instead of twice, before it looks for what
 * is not; up to so much memory in all.
 */
export const temporalMemory = { GOGC: '400', GOMEMLIMIT: '1GiB' };
