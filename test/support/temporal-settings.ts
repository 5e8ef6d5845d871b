/** What spares the Temporal servers of tests work that no test needs: each value costs processor time for each namespace or task queue. */
export const temporalSettings = [
  // Each file of tests has a namespace, and the server would poll for schedules in each, which we have none of.
  'worker.perNamespaceWorkerCount=0',
  // Of four partitions of a task queue three only pass on what they get to the first.
  'matching.numTaskqueueReadPartitions=1',
  'matching.numTaskqueueWritePartitions=1',
];
