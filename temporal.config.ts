import type { SearchAttributePair } from '@temporalio/common';
import { fingerprint } from './src/vocabulary/fingerprint.ts';
import { networkOperatorTitles, type NetworkOperatorName } from './src/vocabulary/network-operators.ts';

/** Task queues, workflow ids, descriptions of runs, and the budgets of time and retries. Pure data, shared by workflows, workers and clients. */

/** The queue for accounts that are created alone. */
export const aloneQueueOf = (taskQueue: string) => `${taskQueue}-alone`;

export const taskQueues = {
  /** Workflows, and activities that use only Postgres. */
  imports: 'imports',
  /** Quarantined accounts, which took too long in their batch or which the database rejects: each alone, so that no other waits. */
  importsAlone: aloneQueueOf('imports'),
  /** Calls to payment vendors. */
  payments: 'payments',
  /** Activities of the industry switch. */
  switching: 'switching',
  /** Lookups at one network operator each; activities only, so that a slow operator delays no other. */
  lookupsEnedis: 'lookups-enedis',
  lookupsGrdf: 'lookups-grdf',
  /** Pages of import jobs; activities only, so that a migration delays no single request. */
  importJobs: 'import-jobs',
  /** Low priority: reconciliations, and the deletion of expired data. */
  reconciliation: 'reconciliation',
  events: 'events', // deliveries to suppliers; activities only, so that a slow receiver delays no other work
  /** No worker polls it: starts that only show that Temporal accepts starts. */
  probe: 'probe',
} as const;

/** The workflow of each kind of run; the kind is shown in `ImportKind`, in workflow ids and to operators. */
export const workflowOfKind = {
  'create-accounts': 'createAccounts',
  'create-account': 'createAccount',
  'verify-payment-instruction': 'verifyPaymentInstruction',
  'switch-supplier': 'switchSupplier',
  'populate-supply-points': 'populateSupplyPoints',
  'look-up-supply-points': 'lookUpSupplyPoints',
  'import-job': 'importJob',
  reconcile: 'reconcile',
  retention: 'retention',
  'deliver-events': 'deliverEvents',
} as const;

export type RunKind = keyof typeof workflowOfKind;

/** Signal on which a run of a kind reads new work; kinds without one read it at their start only. */
export const wakeSignalOfKind: Partial<Record<RunKind, string>> = {
  'switch-supplier': 'wake',
  'look-up-supply-points': 'workArrived',
  'import-job': 'jobChanged',
};

/** Longest id before it is hashed; Temporal takes 1,000 bytes, some set-ups 255. */
const ID_LENGTH_MAX = 200;

function workflowId(verb: string, ...parts: readonly string[]): string {
  const id = [verb, ...parts.map(encodeURIComponent)].join('/');
  if (id.length <= ID_LENGTH_MAX) return id;
  const tail = `~${fingerprint(id)}`;
  return id.slice(0, ID_LENGTH_MAX - tail.length) + tail;
}

/** Part of a run's current details in the web UI. */
export const retryDetails =
  'If the pending activity shows a failure, it is retried automatically. To retry now, choose "Reset" on it.';

/** Builders of all workflow ids. An id only merges concurrent runs; Postgres holds the truth about completed work. */
export const workflowIds = {
  createAccounts: (batchId: string) => workflowId('create-accounts', batchId),
  createAccount: (importSupplier: string, externalAccountNumber: string) =>
    workflowId('create-account', importSupplier, externalAccountNumber),
  /** @param referenceHash a hash: the reference is bank data and must not be part of an id */
  verifyInstruction: (
    importSupplier: string,
    externalAccountNumber: string,
    vendor: string,
    type: string,
    referenceHash: string,
  ) => workflowId('verify-instruction', importSupplier, externalAccountNumber, vendor, type, referenceHash),
  switchSupplier: (accountNumber: string) => workflowId('switch-supplier', accountNumber),
  populateSupplyPoints: (batchId: string) => workflowId('populate-supply-points', batchId),
  /** The run whose memo keeps the highest numbers that were ever reserved. */
  numberMarks: 'number-marks',
  lookUpSupplyPoints: (networkOperator: string) => workflowId('look-up-supply-points', networkOperator),
  importJob: (jobId: string) => workflowId('import-job', jobId),
  reconcile: (reconciliationId: string) => workflowId('reconcile', reconciliationId),
  /** One for all suppliers. */
  retention: 'retention',
  deliverEvents: (endpointId: string) => workflowId('deliver-events', endpointId),
} as const;

/** Search attributes and their types, registered at startup. They hold codes and hashes, never an account number or a name. */
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

/** The members of an input that describe a run; they depend on the kind. */
interface DescribedInput {
  entries?: readonly unknown[];
  importSupplier?: string;
  vendor?: string;
  networkOperator?: NetworkOperatorName;
  batchId?: string;
  jobId?: string;
  reconciliationId?: string;
}

const summaryOfKind: Record<RunKind, (input: DescribedInput) => string> = {
  'create-accounts': ({ entries = [] }) =>
    `Creates ${entries.length === 1 ? 'one account' : `${entries.length} accounts`}`,
  'create-account': ({ importSupplier }) =>
    `One account of ${importSupplier} that the database refuses, or that takes too long`,
  'verify-payment-instruction': ({ vendor, importSupplier }) =>
    `Verification of a payment instruction at ${vendor} for ${importSupplier}`,
  'switch-supplier': ({ importSupplier }) => `Industry switch of one account of ${importSupplier}`,
  'populate-supply-points': () => 'Watches one batch of supply points; cancelling this run cancels the batch',
  'look-up-supply-points': ({ networkOperator }) =>
    `Looks up supply points at ${networkOperator && networkOperatorTitles[networkOperator]}`,
  'import-job': ({ importSupplier }) => `Import job of ${importSupplier}; cancelling this run cancels the job`,
  reconcile: ({ importSupplier }) =>
    `Compares what stands of ${importSupplier} with what was accepted; cancelling this run cancels it`,
  retention: () => 'Deletes what is kept no longer; cancelling this run ends it for this night',
  'deliver-events': ({ importSupplier }) => `Delivers events of ${importSupplier} to one of its addresses`,
};

/** Summary of a run in the web UI, and its search attributes. */
export interface RunDescription {
  staticSummary: string;
  typedSearchAttributes: SearchAttributePair[];
}

/**
 * Describes a run by its kind and input, so that the description is the same for every starter. It contains no account number and no
 * name.
 */
export function describeRun(kind: RunKind, input: unknown): RunDescription {
  const described = (input ?? {}) as DescribedInput;
  const values: Partial<Record<SearchAttribute, string | undefined>> = {
    ImportKind: kind,
    ImportSupplier: described.importSupplier,
    NetworkOperator: described.networkOperator,
    BatchId: described.batchId ?? described.jobId ?? described.reconciliationId,
  };
  return {
    staticSummary: summaryOfKind[kind](described),
    typedSearchAttributes: Object.entries(values).flatMap(([name, value]) =>
      value === undefined ? [] : [{ key: { name, type: 'KEYWORD' as const }, value }],
    ),
  };
}

/** Type of the failure of a creation that took too long; the workflow that made the batch splits it. */
export const DATABASE_TIMED_OUT = 'database_timed_out';

/** Budgets of creation. Only Postgres is retried forever. */
export const creationBudget = {
  /** First attempt, a local activity: quick, and never split on a fault of the environment. */
  firstTry: { startToCloseTimeout: '5s', maximumAttempts: 1 },
  /** Attempts while the database is away, visible in the web UI. Few runs wait, and resends wait for them, so they retry often. */
  waiting: { startToCloseTimeout: '15s', initialInterval: '1s', backoffCoefficient: 2, maximumInterval: '10s' },
  /** A single account of a batch that took too long; it gets more time. */
  waitingAlone: { startToCloseTimeout: '60s', initialInterval: '1s', backoffCoefficient: 2, maximumInterval: '10s' },
  /** An account whose data the database rejects: nothing changes before its data is corrected. */
  alone: { startToCloseTimeout: '60s', initialInterval: '1s', backoffCoefficient: 2, maximumInterval: '60s' },
  /** An account that takes too long even alone: each attempt is expensive, so it is retried rarely. */
  aloneTimedOutRetry: '10m',
  /** Number of parts into which a slow batch is split, again and again: three steps lead from 64 accounts to one. */
  partsOfSlowBatch: 4,
} as const;

/** Budget of a verification at a payment vendor. */
export const paymentBudget = {
  /** Total time; a verification without an outcome then ends as `payment_vendor_unreachable`. */
  totalMs: 86_400_000,
  /** Time limit of one attempt with all its calls, which are aborted then. */
  askMs: 10_000,
  /** 2 s more than the calls may take, so that an attempt reports its own timeout; only a dead worker exceeds this. */
  askTimeout: '12s',
  completeTimeout: '15s',
  /** Backoff between attempts: full jitter, doubled with each attempt. */
  firstWaitMs: 1_000,
  longestWaitMs: 60_000,
  /** An instruction that its payer has not approved yet: frequent requests change nothing. */
  longestWaitNotYetMs: 300_000,
  /** Attempts at once over all vendors in one worker; more than two vendors' calls together, so that a slow one starves none. */
  slots: 48,
} as const;

const paymentVendor = { timeoutMs: 5_000, callsMax: 12, waitingMax: 8, failuresInARow: 5, restMs: 10_000 } as const;

/** Limits of the calls to each payment vendor: timeout, bulkhead and circuit breaker. */
export const paymentVendorLimits = {
  GOCARDLESS: paymentVendor,
  STRIPE: paymentVendor,
  // Three calls of an attempt go to one host: token, entry point, search.
  SLIMPAY: { ...paymentVendor, timeoutMs: 4_000 },
  ADYEN: paymentVendor,
} as const;

/** The pace of the dispatcher, which starts pending work; the first two are settings. Slow on purpose: after an outage interactive work comes first. */
export const dispatchPace = {
  everyMs: 30_000, // between two rounds, unless the last one left some for the next
  retrySeconds: 60, // until started work is checked again, in case its run is lost
  /** Few, so that work that callers wait for is started before due switches. */
  startsPerRound: 50,
  againPerRoundMin: 10, // of work that was started before, however much is new
  switchesPerRoundMin: 5,
  restMs: 100, // after each start; less if the run was open already, as no work has begun
  /** Switches take weeks: five a second, and one a second while accounts are created beside them. */
  restAfterSwitchMs: 200,
  restBesideCreationsMs: 1_000,
  restAfterFoundMs: 20,
} as const;

/** Time and retries of the industry switch; runs take it as an argument, so that tests can pass seconds. */
export interface SwitchBudget {
  /** Requests to the network operator: one attempt requests some points in sequence. The heartbeat distinguishes a killed worker from a slow operator. */
  sending: {
    startToCloseTimeout: string;
    scheduleToCloseTimeout: string;
    heartbeatTimeout?: string;
    initialInterval: string;
    maximumInterval: string;
  };
  /** Time without a market message after which operators are notified. */
  silenceMs: number;
  historyLengthMax: number; // events after which a run continues as a new one
}

/** After a week without a response an operator has to act; a switch needs up to three weeks. */
export const switchBudget: SwitchBudget = {
  sending: {
    startToCloseTimeout: '3m',
    scheduleToCloseTimeout: '7d',
    heartbeatTimeout: '15s',
    initialInterval: '5s',
    maximumInterval: '15m',
  },
  silenceMs: 30 * 86_400_000,
  historyLengthMax: 1_000,
};

/** Interval at which the work item of a running switch is checked; needed only if Temporal lost the run. */
export const switchRetrySeconds = 12 * 3_600;
export const batchRetrySeconds = 3_600; // its run only watches, and there may be thousands
/** Kinds of which many runs are open for long: the dispatcher retries one that runs after this time instead of a minute. */
export const retrySecondsOfKind: Partial<Record<RunKind, number>> = {
  'switch-supplier': switchRetrySeconds,
  'populate-supply-points': batchRetrySeconds,
};
/** A run whose budget is spent is started again after this time. */
export const switchUnreachableSeconds = 86_400;

/** Limits of the calls to the industry switch; the whole of a call stays far below its activity's time. */
export const industrySwitchLimits = {
  timeoutMs: 5_000,
  callsMax: 4,
  waitingMax: 100,
  failuresInARow: 5,
  restMs: 30_000,
} as const;
/** The queue of each network operator's lookups. */
export const lookupQueues = { enedis: taskQueues.lookupsEnedis, grdf: taskQueues.lookupsGrdf } as const;

/** Budgets of lookups at the network operators. */
export const lookupBudget = {
  /** Pages at once over all workers, identifiers in a page, and calls at once within it. */
  pagesAtOnce: 4,
  pageSize: 100,
  callsAtOnce: 16,
  /** A page returns its remaining identifiers after this time, so that other batches are served. */
  pageSeconds: 5,
  /** While the network operator is down its pages are retried, visible in the web UI, until an operator cancels them. Often enough that lookups resume soon after an outage. */
  page: {
    startToCloseTimeout: '3m',
    heartbeatTimeout: '15s',
    initialInterval: '1s',
    backoffCoefficient: 2,
    maximumInterval: '10s',
  },
  /** One identifier that keeps failing alone: pauses grow from `retrySeconds`, then it is deferred, and finally given up. */
  identifier: { triesMax: 5, retrySeconds: 2, deferredSeconds: 3_600, giveUpSeconds: 86_400 },
  /** Calls: ends well before the activity's heartbeat does. */
  call: { timeoutMs: 10_000, callsMax: 64, waitingMax: 1_000, failuresInARow: 10, restMs: 2_000 },
  /** Postgres, for the short steps around pages. */
  step: { startToCloseTimeout: '15s', initialInterval: '1s', backoffCoefficient: 2, maximumInterval: '10s' },
  eventsPerRun: 3_000, // then a run continues as a new one; Temporal's limit is 51,200
  /** Watching a batch: pauses grow to `longestSeconds`, or with the number of open batches, so that all together are read once a second. A signal reports its end, unless Temporal is away. */
  watch: { shortestSeconds: 2, longestSeconds: 30, looksPerRun: 300, secondsForEachOpen: 1, pauseMaxSeconds: 3_600 },
} as const;

export type IdentifierBudget = { readonly [Part in keyof typeof lookupBudget.identifier]: number };

const step = { initialInterval: '1s', backoffCoefficient: 2, maximumInterval: '10s' } as const;

/**
 * Budget of work that takes hours and is done a few seconds at a time, by a run that reports its progress in between. Postgres is retried
 * forever. `work` and `step` are options of activities.
 */
const longWorkBudget = {
  /** Time that one activity works. */
  workMs: 5_000,
  work: { startToCloseTimeout: '60s', heartbeatTimeout: '15s', retry: step },
  /** Short activities beside it. */
  step: { startToCloseTimeout: '15s', retry: step },
  /** Rounds of a run before it continues as a new one. */
  roundsPerRun: 200,
} as const;

/** Budget of import jobs; a page of lines is a transaction. */
export const importJobBudget = {
  ...longWorkBudget,
  /** Activities at once in one worker; more jobs wait. */
  jobsAtOnce: 2,
  /** Lines of one transaction, and their number while single creations wait. */
  atOnce: 250,
  atOnceBesideRequests: 32,
  /** Pages that one job creates concurrently. They use half of the machine; the other half remains for single requests. */
  concurrentPages: 2,
} as const;

/** Budget of the retention; a page of rows is a transaction. */
export const retentionBudget = {
  ...longWorkBudget,
  /** Rows of one transaction, and their number while single creations wait. */
  atOnce: 200,
  atOnceBesideRequests: 25,
} as const;

/** Budget of reconciliations; a page of accounts is a transaction. */
export const reconciliationBudget = {
  ...longWorkBudget,
  /** Accounts of one transaction, and their number while single creations wait. */
  atOnce: 200,
  atOnceBesideRequests: 25,
  /** Calls to payment vendors: ten a second to each, where the lowest limit of a vendor is sixteen, and a third of its slots. */
  asking: { page: 40, spacingMs: 100, atOnce: 4, pauseMs: 1_000, longestPauseMs: 20_000, failuresInARow: 12 },
  /** In one worker. */
  runsAtOnce: 1,
} as const;

/** Time and retries of deliveries; runs take it as an argument, so that tests can pass seconds. */
export interface DeliveryBudget {
  /** One activity delivers for some seconds. While the receiver fails at its first event, it is retried for a day. */
  deliver: {
    startToCloseTimeout: string;
    scheduleToCloseTimeout: string;
    heartbeatTimeout: string;
    initialInterval: string;
    backoffCoefficient: number;
    maximumInterval: string;
  };
}

/** 5, 15, 45 seconds, then minutes, then every hour: a receiver that was down for an hour is retried within the next. */
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

/** Limits of one activity that delivers events. */
export const deliveryPace = {
  /** Time that it delivers; then other endpoints get its slot. */
  workMs: 10_000,
  /** Events that are read at once. */
  pageSize: 100,
  /** Events of different subjects that are delivered at once; those of one subject are delivered in order. */
  atOnce: 8,
  /** Time limit of one request, with name lookup and connection. */
  timeoutMs: 15_000,
  /** Endpoints that one worker delivers to at once. */
  slots: 16,
  /** Short activities, on Postgres. */
  step: { startToCloseTimeout: '15s', ...step },
  /** Activities of a run before it continues as a new one. */
  roundsPerRun: 200,
  /** An endpoint whose budget is spent is retried after this time. */
  unreachableSeconds: 86_400,
} as const;
