import type { SearchAttributePair } from '@temporalio/common';
import { fingerprint } from './src/vocabulary/fingerprint.ts';
import { networkOperatorTitles, type NetworkOperatorName } from './src/vocabulary/network-operators.ts';

/** Task queues, workflow ids, run descriptions, time budgets and retry budgets. Pure data, shared by workflows, workers and clients. */

/** Task queue for accounts that are created one at a time. */
export const aloneQueueOf = (taskQueue: string) => `${taskQueue}-alone`;

export const taskQueues = {
  /** Workflows and activities that create accounts for single requests. Nothing else, so that no other run delays a waiting caller. */
  creations: 'creations',
  /** Quarantined accounts: the database rejects them, or they timed out in their batch. Each runs alone, so that it delays no other. */
  creationsAlone: aloneQueueOf('creations'),
  /** All other workflows, and their activities that use only Postgres. */
  imports: 'imports',
  /** Calls to payment vendors. */
  payments: 'payments',
  /** Activities of the industry switch. */
  switching: 'switching',
  /** Lookups, one queue per network operator. Activities only, so that a slow operator does not delay other work. */
  lookupsEnedis: 'lookups-enedis',
  lookupsGrdf: 'lookups-grdf',
  /** Pages of import jobs. Activities only, so that a migration does not delay single requests. */
  importJobs: 'import-jobs',
  /** Low priority: reconciliations, and deletion of expired data. */
  reconciliation: 'reconciliation',
  events: 'events', // deliveries to suppliers; activities only, so that a slow receiver does not delay other work
  /** No worker polls it. The readiness check starts runs here to verify that Temporal accepts starts. */
  probe: 'probe',
} as const;

/** Workflow type of each kind of run. The kind appears in `ImportKind`, in workflow ids and in the operator site. */
export const workflowOfKind = {
  'create-accounts': 'createAccounts',
  'create-account': 'createAccount',
  'verify-payment-instruction': 'verifyPaymentInstruction',
  'request-switches': 'requestSwitches',
  'switch-supplier': 'switchSupplier',
  'populate-supply-points': 'populateSupplyPoints',
  'look-up-supply-points': 'lookUpSupplyPoints',
  'import-job': 'importJob',
  wave: 'wave',
  reconcile: 'reconcile',
  retention: 'retention',
  'deliver-events': 'deliverEvents',
  withdraw: 'withdraw',
  'bulk-action': 'bulkAction',
} as const;

export type RunKind = keyof typeof workflowOfKind;

/** The task queue on which runs of a kind are started. */
export const taskQueueOfKind = (kind: RunKind) =>
  kind === 'create-accounts' || kind === 'create-account' ? taskQueues.creations : taskQueues.imports;

/** Signal that makes an open run read new work. Kinds without a signal read their work only when they start. */
export const wakeSignalOfKind: Partial<Record<RunKind, string>> = {
  'request-switches': 'wake',
  'switch-supplier': 'wake',
  'look-up-supply-points': 'workArrived',
  'import-job': 'jobChanged',
  wave: 'waveChanged',
  'bulk-action': 'bulkActionChanged',
};

/** Longer ids are hashed. Temporal accepts 1,000 bytes, some installations only 255. */
const ID_LENGTH_MAX = 200;

function workflowId(verb: string, ...parts: readonly string[]): string {
  const id = [verb, ...parts.map(encodeURIComponent)].join('/');
  if (id.length <= ID_LENGTH_MAX) return id;
  const tail = `~${fingerprint(id)}`;
  return id.slice(0, ID_LENGTH_MAX - tail.length) + tail;
}

/** Shown in the web UI among a run's current details. */
export const retryDetails =
  'If the pending activity shows a failure, it is retried automatically. To retry now, choose "Reset" on it.';

/** Builders of all workflow ids. Ids only merge concurrent runs; Postgres decides whether work is complete. */
export const workflowIds = {
  createAccounts: (batchId: string) => workflowId('create-accounts', batchId),
  createAccount: (importSupplier: string, externalAccountNumber: string) =>
    workflowId('create-account', importSupplier, externalAccountNumber),
  /** @param referenceHash hash of the reference, which is bank data and must not appear in an id */
  verifyInstruction: (
    importSupplier: string,
    externalAccountNumber: string,
    vendor: string,
    type: string,
    referenceHash: string,
  ) => workflowId('verify-instruction', importSupplier, externalAccountNumber, vendor, type, referenceHash),
  /** One run for all switches. */
  requestSwitches: 'request-switches',
  /** The run of a switch that cannot be requested in pages. */
  switchSupplier: (accountNumber: string) => workflowId('switch-supplier', accountNumber),
  populateSupplyPoints: (batchId: string) => workflowId('populate-supply-points', batchId),
  /** The run whose memo stores the highest reserved account numbers. */
  numberMarks: 'number-marks',
  lookUpSupplyPoints: (networkOperator: string) => workflowId('look-up-supply-points', networkOperator),
  importJob: (jobId: string) => workflowId('import-job', jobId),
  wave: (waveId: string) => workflowId('wave', waveId),
  reconcile: (reconciliationId: string) => workflowId('reconcile', reconciliationId),
  /** One run for all suppliers. */
  retention: 'retention',
  deliverEvents: (endpointId: string) => workflowId('deliver-events', endpointId),
  withdraw: (withdrawalId: string) => workflowId('withdraw', withdrawalId),
  bulkAction: (bulkActionId: string) => workflowId('bulk', bulkActionId),
} as const;

/** The run that works off kinds of work in pages. Only items with `runsAlone` have a run of their own. */
export const pageRunOfKind: Partial<Record<RunKind, { kind: RunKind; workflowId: string; input: unknown }>> = {
  'switch-supplier': { kind: 'request-switches', workflowId: workflowIds.requestSwitches, input: {} },
};

/** Search attributes and their types, registered at startup. Values are codes and hashes, never account numbers or names. */
export const searchAttributes = {
  ImportKind: 'KEYWORD',
  ImportStatus: 'KEYWORD',
  ImportSupplier: 'KEYWORD',
  NetworkOperator: 'KEYWORD',
  BatchId: 'KEYWORD',
  /** Hashes of the accounts of a batch that waits for the database (docs/decisions/0073-waiting-batches-are-found-by-account.md). */
  ImportAccounts: 'KEYWORD_LIST',
} as const;
type SearchAttribute = keyof typeof searchAttributes;

/** The value in `ImportAccounts`. 64 bits, because Temporal limits the value of a search attribute to 2 kB. */
export const accountHash = (importSupplier: string, externalAccountNumber: string): string =>
  fingerprint(JSON.stringify([importSupplier, externalAccountNumber])).slice(0, 16);

/** Members of a run's input that its description uses; they depend on the kind. */
interface DescribedInput {
  entries?: readonly unknown[];
  importSupplier?: string;
  vendor?: string;
  networkOperator?: NetworkOperatorName;
  batchId?: string;
  jobId?: string;
  waveId?: string;
  reconciliationId?: string;
  withdrawalId?: string;
  bulkActionId?: string;
}

const summaryOfKind: Record<RunKind, (input: DescribedInput) => string> = {
  'create-accounts': ({ entries = [] }) =>
    `Creates ${entries.length === 1 ? 'one account' : `${entries.length} accounts`}`,
  'create-account': ({ importSupplier }) =>
    `One account of ${importSupplier} that the database refuses, or that takes too long`,
  'verify-payment-instruction': ({ vendor, importSupplier }) =>
    `Verification of a payment instruction at ${vendor} for ${importSupplier}`,
  'request-switches': () => 'Requests industry switches and applies market messages, in pages',
  'switch-supplier': ({ importSupplier }) =>
    `Industry switch of one account of ${importSupplier} that failed too often in pages`,
  'populate-supply-points': () => 'Watches one batch of supply points; cancelling this run cancels the batch',
  'look-up-supply-points': ({ networkOperator }) =>
    `Looks up supply points at ${networkOperator && networkOperatorTitles[networkOperator]}`,
  'import-job': ({ importSupplier }) => `Import job of ${importSupplier}; cancelling this run cancels the job`,
  wave: ({ importSupplier }) => `Wave of ${importSupplier}; cancelling this run cancels the wave`,
  reconcile: ({ importSupplier }) =>
    `Compares what stands of ${importSupplier} with what was accepted; cancelling this run cancels it`,
  retention: () => 'Deletes what is kept no longer; cancelling this run ends it for this night',
  withdraw: ({ importSupplier }) =>
    `Withdraws accounts of ${importSupplier}; cancelling this run keeps the remaining ones`,
  'bulk-action': () => 'Changes all stuck work that matches a filter; cancelling this run cancels the remaining items',
  'deliver-events': ({ importSupplier }) => `Delivers events of ${importSupplier} to one of its addresses`,
};

/** Summary of a run in the web UI, with its search attributes. */
export interface RunDescription {
  staticSummary: string;
  typedSearchAttributes: SearchAttributePair[];
}

/** Describes a run by its kind and input only, so that every starter gives the same description. Contains no account number and no name. */
export function describeRun(kind: RunKind, input: unknown): RunDescription {
  const described = (input ?? {}) as DescribedInput;
  const values: Partial<Record<SearchAttribute, string | undefined>> = {
    ImportKind: kind,
    ImportSupplier: described.importSupplier,
    NetworkOperator: described.networkOperator,
    BatchId:
      described.batchId ??
      described.jobId ??
      described.waveId ??
      described.reconciliationId ??
      described.withdrawalId ??
      described.bulkActionId,
  };
  return {
    staticSummary: summaryOfKind[kind](described),
    typedSearchAttributes: Object.entries(values).flatMap(([name, value]) =>
      value === undefined ? [] : [{ key: { name, type: 'KEYWORD' as const }, value }],
    ),
  };
}

/** Failure type of a creation that timed out. The workflow that made the batch then splits it. */
export const DATABASE_TIMED_OUT = 'database_timed_out';

/** Budgets of creations. Only calls to Postgres are retried without limit. */
export const creationBudget = {
  /** First attempt, a local activity. After a fault of the database the batch waits; only a timeout of the database splits it. */
  firstTry: { startToCloseTimeout: '5s', maximumAttempts: 1 },
  /** Attempts while the database is unavailable, visible in the web UI. Frequent, because callers wait and few runs do. */
  waiting: { startToCloseTimeout: '15s', initialInterval: '1s', backoffCoefficient: 2, maximumInterval: '10s' },
  /** A single account of a batch that timed out; it gets more time. */
  waitingAlone: { startToCloseTimeout: '60s', initialInterval: '1s', backoffCoefficient: 2, maximumInterval: '10s' },
  /** An account that the database rejects. Retrying cannot succeed until its data is corrected. */
  alone: { startToCloseTimeout: '60s', initialInterval: '1s', backoffCoefficient: 2, maximumInterval: '60s' },
  /** An account that times out even alone. Each attempt is expensive, so retries are rare. */
  aloneTimedOutRetry: '10m',
  /** Number of parts into which a batch that timed out is split, repeatedly: 64, 16, 4, 1 accounts. */
  partsOfSlowBatch: 4,
} as const;

/** Budget of one verification at a payment vendor. */
export const paymentBudget = {
  /** Total time. A verification without a result then ends as `payment_vendor_unreachable`. */
  totalMs: 86_400_000,
  /** Time limit of one attempt. Calls still running are aborted. */
  attemptMs: 10_000,
  /** 2 s longer than `attemptMs`, so that an attempt reports its own timeout. Only a dead worker exceeds it. */
  attemptTimeout: '12s',
  completeTimeout: '15s',
  /** Backoff between attempts: exponential with full jitter. */
  firstWaitMs: 1_000,
  longestWaitMs: 60_000,
  /** Longest backoff while the payer has not approved the instruction yet. */
  longestWaitNotYetMs: 300_000,
  /** Concurrent attempts per worker over all vendors. More than the calls to two vendors, so that one slow vendor starves no other. */
  slots: 48,
} as const;

/**
 * Calls for lines of import jobs, per worker. Fewer than `callsMax`, so that single requests find a free slot; GoCardless allows 1,000 calls a
 * minute, Stripe 100 a second.
 */
const callsOfJobs = { callsAtOnce: 8, perSecond: 40 } as const;
const paymentVendor = {
  timeoutMs: 5_000,
  callsMax: 12,
  waitingMax: 8,
  failuresInARow: 5,
  openMs: 10_000,
  ofJobs: callsOfJobs,
} as const;

/** Limits of the calls to each payment vendor: timeout, bulkhead, circuit breaker, and the part of import jobs. */
export const paymentVendorLimits = {
  GOCARDLESS: { ...paymentVendor, ofJobs: { ...callsOfJobs, perSecond: 12 } },
  STRIPE: { ...paymentVendor, ofJobs: { ...callsOfJobs, perSecond: 75 } },
  // An attempt makes three calls to the same host: token, entry point, search.
  SLIMPAY: { ...paymentVendor, timeoutMs: 4_000 },
  ADYEN: paymentVendor,
} as const;

/** Budget of a page of payment instructions of an import job. */
export const paymentPageBudget = {
  /** After this time no further call starts, because the page occupies a slot of the activities of jobs. */
  pageMs: 2_000,
  /** Attempts for an instruction; after them it gets a run of its own. */
  triesMax: 2,
  retryMs: 500,
  /** Time until the dispatcher starts runs for instructions that a page has stored. Longer than a page and the restart of its activity. */
  holdSeconds: 60,
  /** The same while the vendor is paused or busy. */
  holdPausedSeconds: 600,
  /** Time until lines are retried for which no call was left, and whose vendor is paused. */
  laterSeconds: 1,
  pausedSeconds: 10,
} as const;

/** Pace of the dispatcher of each worker, which starts pending work. It rests as long as it works, so that requests come first after an outage. */
export const dispatchPace = {
  everyMs: 30_000, // between two rounds; each worker looks for due work ten times as often
  retrySeconds: 60, // until started work is checked again, in case its run was lost
  pageSize: 50, // work that a worker claims together
  againMin: 10, // reserved for work that was started before
  claimSeconds: 10, // until claimed work is due again, in case its worker dies
  startsAtOnce: 8,
  pauseBesideRequestsMs: 100, // after each start while single creations wait; one start at a time then
} as const;

/** Budget of switches that are worked off in pages. Passed to the run as an argument, so that tests can use seconds. */
export interface SwitchPageBudget {
  /** Accounts per page of messages. */
  messagePageSize: number;
  /** Accounts per page of requests, normally and while single creations wait. */
  requestPageSize: number;
  requestPageSizeBesideRequests: number;
  /** Concurrent requests of a page. */
  callsAtOnce: number;
  /** After this time a page sends no further request; the others follow with the next page. */
  sendSeconds: number;
  /** Time for which a page holds its accounts. Longer than a page takes; after a kill the accounts are requested again then. */
  holdSeconds: number;
  /** Time without a market message after which operators are notified. A switch takes up to three weeks. */
  silenceSeconds: number;
  /** Failed tries after which an account gets a run of its own: too few to open the circuit breaker. The delay after the first doubles. */
  triesMax: number;
  retrySeconds: number;
  /** The run stays open if a switch is due within this time. */
  soonSeconds: number;
  eventsPerRun: number; // after which a run continues as new
}

export const switchPageBudget: SwitchPageBudget = {
  messagePageSize: 200,
  requestPageSize: 200,
  requestPageSizeBesideRequests: 25,
  callsAtOnce: 16,
  sendSeconds: 5,
  holdSeconds: 30,
  silenceSeconds: 30 * 86_400,
  triesMax: 3,
  retrySeconds: 5,
  soonSeconds: 60,
  eventsPerRun: 3_000,
};

/** Attempts of a page of requests; they continue while the industry switch is away. The heartbeat reveals a killed worker. */
export const switchPageAttempts = {
  startToCloseTimeout: '3m',
  heartbeatTimeout: '15s',
  initialInterval: '2s',
  backoffCoefficient: 2,
  maximumInterval: '60s',
} as const;

/** Budget of the requests of a switch with a run of its own: retried for a week; then an operator must act. */
export interface SwitchBudget {
  startToCloseTimeout: string;
  scheduleToCloseTimeout: string;
  heartbeatTimeout?: string;
  initialInterval: string;
  maximumInterval: string;
}

export const switchBudget: SwitchBudget = {
  startToCloseTimeout: '3m',
  scheduleToCloseTimeout: '7d',
  heartbeatTimeout: '15s',
  initialInterval: '5s',
  maximumInterval: '15m',
};

/** Interval at which the dispatcher checks a switch with a run of its own. Needed only if Temporal lost the run. */
export const switchRetrySeconds = 12 * 3_600;
export const batchRetrySeconds = 3_600; // longer than the default, because these runs only watch and there may be thousands
/** Kinds that keep many runs open for long. The dispatcher checks them at this interval instead of `dispatchPace.retrySeconds`. */
export const retrySecondsOfKind: Partial<Record<RunKind, number>> = {
  'switch-supplier': switchRetrySeconds,
  'populate-supply-points': batchRetrySeconds,
};
/** Delay before a switch whose budget is exhausted is started again. */
export const switchUnreachableSeconds = 86_400;

/** Limits of calls to the industry switch. A call, including its wait, stays far below the timeout of its activity. */
export const industrySwitchLimits = {
  timeoutMs: 5_000,
  callsMax: 16,
  waitingMax: 100,
  failuresInARow: 5,
  openMs: 30_000,
} as const;
export const lookupQueues = { enedis: taskQueues.lookupsEnedis, grdf: taskQueues.lookupsGrdf } as const;

/** Budgets of lookups at the network operators. */
export const lookupBudget = {
  /** Concurrent pages over all workers, identifiers per page, and concurrent calls per page. */
  pagesAtOnce: 4,
  pageSize: 100,
  callsAtOnce: 16,
  /** After this time a page returns its remaining identifiers, so that other batches get served. */
  pageSeconds: 5,
  /** Retries of a page while the network operator is down. Frequent, so that lookups resume soon after an outage. */
  page: {
    startToCloseTimeout: '3m',
    heartbeatTimeout: '15s',
    initialInterval: '1s',
    backoffCoefficient: 2,
    maximumInterval: '10s',
  },
  /** An identifier that keeps failing: retries back off from `retrySeconds`, then it is deferred, and finally given up. */
  identifier: { triesMax: 5, retrySeconds: 2, deferredSeconds: 3_600, giveUpSeconds: 86_400 },
  /** Limits of calls. The timeout is shorter than the heartbeat timeout of the activity. */
  call: { timeoutMs: 10_000, callsMax: 64, waitingMax: 1_000, failuresInARow: 10, openMs: 2_000 },
  /** Short database activities before and after pages. */
  step: { startToCloseTimeout: '15s', initialInterval: '1s', backoffCoefficient: 2, maximumInterval: '10s' },
  eventsPerRun: 3_000, // after which a run continues as new; Temporal's limit is 51,200
  /** Polling of a batch. The pause grows to `longestSeconds`, and with the number of open batches, so that all runs together poll once a second. */
  watch: { shortestSeconds: 2, longestSeconds: 30, checksPerRun: 300, secondsForEachOpen: 1, pauseMaxSeconds: 3_600 },
} as const;

export type IdentifierBudget = { readonly [Part in keyof typeof lookupBudget.identifier]: number };

const step = { initialInterval: '1s', backoffCoefficient: 2, maximumInterval: '10s' } as const;

/**
 * Budget of work that takes hours and runs in time slices of a few seconds; the run reports its progress in between. Postgres is retried
 * without limit. `work` and `step` are activity options.
 */
const longWorkBudget = {
  /** Time slice of one activity. */
  workMs: 5_000,
  work: { startToCloseTimeout: '60s', heartbeatTimeout: '15s', retry: step },
  /** Short activities before and after the slices. */
  step: { startToCloseTimeout: '15s', retry: step },
  /** Rounds after which a run continues as new. */
  roundsPerRun: 200,
} as const;

/** Budget of import jobs. Each page of lines is one transaction. */
export const importJobBudget = {
  ...longWorkBudget,
  /** Concurrent activities per worker; further jobs wait. */
  jobsAtOnce: 2,
  /** Lines per transaction, normally and while single creations wait. */
  atOnce: 250,
  atOnceBesideRequests: 32,
  /** Pages that one job creates concurrently. They use half of the machine and leave the rest to single requests. */
  concurrentPages: 2,
} as const;

/** Budget of withdrawals. Each page of accounts is one transaction, which single requests for these accounts wait for. */
export const withdrawalBudget = {
  ...longWorkBudget,
  /** Accounts per transaction, normally and while single creations wait. */
  atOnce: 100,
  atOnceBesideRequests: 25,
  /** A page that took longer halves the next one. */
  pageMs: 200,
} as const;

/** Budget of bulk actions. Each page of items is one transaction. */
export const bulkActionBudget = {
  ...longWorkBudget,
  /** Items per transaction, normally and while single creations wait. */
  atOnce: 100,
  atOnceBesideRequests: 25,
  /** Concurrent calls to Temporal for the items of a page. */
  callsAtOnce: 8,
  /** While the action is paused, its run checks for changes at this interval, in case a signal was lost. */
  pausedMs: 600_000,
} as const;

/** Budget of retention. Each page of rows is one transaction. */
export const retentionBudget = {
  ...longWorkBudget,
  /** Rows per transaction, normally and while single creations wait. */
  atOnce: 200,
  atOnceBesideRequests: 25,
} as const;

/** Budget of reconciliations. Each page of accounts is one transaction. */
export const reconciliationBudget = {
  ...longWorkBudget,
  /** Accounts per transaction, normally and while single creations wait. */
  atOnce: 200,
  atOnceBesideRequests: 25,
  /**
   * Calls to payment vendors: `page` instructions whose responses are stored together, `spacingMs` between the starts of two calls to a
   * vendor (the lowest vendor limit is sixteen per second), `atOnce` concurrent calls (a third of the call slots), a pause after a failed
   * call, longer if the vendor requests it. After some failed pages in a row the vendor is not called again.
   */
  queries: { page: 40, spacingMs: 100, atOnce: 4, pauseMs: 1_000, longestPauseMs: 20_000, failuresInARow: 12 },
  /** Per worker. */
  runsAtOnce: 1,
} as const;

/** Time and retry budget of deliveries. Passed to runs as an argument, so that tests can use seconds. */
export interface DeliveryBudget {
  /** One activity delivers for some seconds. If the receiver rejects the first event, the activity is retried for a day. */
  deliver: {
    startToCloseTimeout: string;
    scheduleToCloseTimeout: string;
    heartbeatTimeout: string;
    initialInterval: string;
    backoffCoefficient: number;
    maximumInterval: string;
  };
}

/** Retries after 5, 15 and 45 seconds, then minutes, then hourly. A receiver that was down for an hour is retried within the next hour. */
export const deliveryBudget: DeliveryBudget = {
  deliver: {
    startToCloseTimeout: '60s',
    scheduleToCloseTimeout: '24h',
    heartbeatTimeout: '15s',
    initialInterval: '5s',
    backoffCoefficient: 3,
    maximumInterval: '1h',
  },
};

/** Limits of one delivery activity. */
export const deliveryPace = {
  /** Time slice; afterwards other endpoints get the slot. */
  workMs: 10_000,
  /** Events per read. */
  pageSize: 100,
  /** Concurrent deliveries. Events of one subject are delivered in order. */
  atOnce: 8,
  /** Time limit of one request, including DNS lookup and connection. */
  timeoutMs: 15_000,
  /** Endpoints that one worker serves concurrently. */
  slots: 16,
  /** Short database activities. */
  step: { startToCloseTimeout: '15s', ...step },
  /** Activities after which a run continues as new. */
  roundsPerRun: 200,
  /** Delay before an endpoint whose budget is exhausted is retried. */
  unreachableSeconds: 86_400,
} as const;
