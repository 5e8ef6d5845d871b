import { jest } from '@jest/globals';
import type {
  CreationAnswer,
  CreationQueue,
  CreationRuns,
  QueueLimits,
} from '../../src/account-import/create/create-account.queue.ts';
import type { CreationEntry, CreationOutcome } from '../../src/account-import/create/create-account.rules.ts';

/** Default limits of a queue. */
export const LIMITS: QueueLimits = {
  runsInFlight: 1,
  batchSize: 64,
  runsOpenMax: 64,
  requestsWaitingMax: 1_000,
  slotTimeoutMs: 2_000,
  answerTimeoutMs: 30_000,
};

/** A run that the test ends. */
interface Run {
  entries: readonly CreationEntry[];
  accounts: string[];
  end(outcomes?: CreationOutcome[]): void;
  /** Fails the run with an unknown outcome. */
  lose(): void;
}

/** Runs in memory; `failNextStart` makes the next start fail. */
export function memoryRuns() {
  const open: Run[] = [];
  let nextFault: Error | undefined;
  let created = 0;
  const number = () => `A-${(created += 1)}`;
  const runs: CreationRuns = {
    start: async (entries) => {
      const fault = nextFault;
      nextFault = undefined;
      if (fault) throw fault;
      const { promise, resolve, reject } = Promise.withResolvers<CreationOutcome[]>();
      const over = () => open.splice(open.indexOf(run), 1);
      const run: Run = {
        entries,
        accounts: entries.map((entry) => entry.externalAccountNumber),
        end: (outcomes = entries.map(() => ({ kind: 'created', serviceAccountNumber: number() }))) => {
          over();
          resolve(outcomes);
        },
        lose: () => {
          over();
          reject(new Error('workflow lost'));
        },
      };
      open.push(run);
      return { outcomes: promise };
    },
  };
  return {
    runs,
    open,
    number,
    failNextStart: (fault: Error) => {
      nextFault = fault;
    },
  };
}

/** The outcome and the response of a created account. */
export const created = (serviceAccountNumber: string): CreationOutcome & CreationAnswer => ({
  kind: 'created',
  serviceAccountNumber,
});
/** Advances timers just long enough for the short wait for returning callers. */
export const flushPromises = () => jest.advanceTimersByTimeAsync(5);

/** A request, with its response so far. */
export function submitRequest(queue: CreationQueue, externalAccountNumber: string, importSupplier = 'ACME') {
  const hangUp = new AbortController();
  const request = { answer: undefined as CreationAnswer | undefined, hangUp: () => hangUp.abort() };
  void queue
    .submit({ importSupplier, externalAccountNumber, operationsTeam: 'Migration' }, hangUp.signal)
    .then((answer) => {
      request.answer = answer;
    });
  return request;
}
