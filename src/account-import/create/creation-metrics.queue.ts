import { isRefused } from '../../vocabulary/refusals.ts';
import type { CreationQueue } from './create-account.queue.ts';
import type { CreationRuns } from './creation-batches.queue.ts';

/** The metrics of creations. */
export interface CreationMeasures {
  accountImported(importSupplier: string, outcome: string): void;
  batchStarted(accounts: number): void;
}

/** Counts the answers of a queue by outcome. */
export function queueWithMetrics(queue: CreationQueue, measures: CreationMeasures): CreationQueue {
  return {
    ...queue,
    submit: async (request, hungUp) => {
      const answer = await queue.submit(request, hungUp);
      measures.accountImported(request.importSupplier, isRefused(answer) ? answer.code : answer.kind);
      return answer;
    },
  };
}

/** Reports the size of every run that is started. */
export function runsWithMetrics(runs: CreationRuns, measures: CreationMeasures): CreationRuns {
  return {
    ...runs,
    start: (entries, ...rest) => {
      measures.batchStarted(entries.length);
      return runs.start(entries, ...rest);
    },
  };
}
