/** Task queues, workflow ids, and the time and retry budget of each outside party. Pure data: shared by workflows, worker and clients. */

export const taskQueues = {
  /** Workflows, and activities that touch our own database. */
  imports: 'imports',
  /** Look-ups at one network operator each; activities only, so that a slow operator holds up nobody else. */
  lookUpsEnedis: 'lookups-enedis',
  lookUpsGrdf: 'lookups-grdf',
} as const;

/** The workflow of each kind of run; the kind stands in `ImportKind`, in workflow ids and in what operators read. */
export const workflowOfKind = {
  'create-accounts': 'createAccounts',
  'create-account': 'createAccount',
  'populate-supply-points': 'populateSupplyPoints',
  'look-up-supply-points': 'lookUpSupplyPoints',
} as const;

export type RunKind = keyof typeof workflowOfKind;

/** Longest id before it is hashed; Temporal takes 1,000 bytes, some set-ups 255. */
const ID_LENGTH_MAX = 200;

function workflowId(verb: string, ...parts: readonly string[]): string {
  const id = [verb, ...parts.map(encodeURIComponent)].join('/');
  if (id.length <= ID_LENGTH_MAX) return id;
  const tail = `~${fingerprint(id)}`;
  return id.slice(0, ID_LENGTH_MAX - tail.length) + tail;
}

/** 128 bits of FNV-1a in two lanes, as hex: enough to keep long ids apart, and usable inside workflow code (no node:crypto there). */
function fingerprint(text: string): string {
  const PRIME = 0x00000100000001b3n;
  const MASK = 0xffff_ffff_ffff_ffffn;
  let forward = 0xcbf29ce484222325n;
  let backward = 0x84222325cbf29ce4n;
  for (let index = 0; index < text.length; index += 1) {
    forward = ((forward ^ BigInt(text.charCodeAt(index))) * PRIME) & MASK;
    backward = ((backward ^ BigInt(text.charCodeAt(text.length - 1 - index))) * PRIME) & MASK;
  }
  return forward.toString(16).padStart(16, '0') + backward.toString(16).padStart(16, '0');
}

/** Builders of all workflow ids; an id only merges what runs at once, the truth about what was done is in Postgres. */
export const workflowIds = {
  createAccounts: (batchId: string) => workflowId('create-accounts', batchId),
  createAccount: (importSupplier: string, externalAccountNumber: string) => workflowId('create-account', importSupplier, externalAccountNumber),
  populateSupplyPoints: (batchId: string) => workflowId('populate-supply-points', batchId),
  lookUpSupplyPoints: (networkOperator: string) => workflowId('look-up-supply-points', networkOperator),
} as const;

/** Keyword search attributes, registered at boot. They hold codes only, never an account number or a name. */
export const searchAttributes = ['ImportKind', 'ImportStatus', 'ImportSupplier', 'NetworkOperator', 'BatchId'] as const;

/** Budgets of creation. Our own database is the one party that is retried for ever. */
export const creationBudget = {
  /** First try, inside the workflow task: quick, and never split on a fault of the environment. */
  firstTry: { startToCloseTimeout: '5s', maximumAttempts: 1 },
  /** What stands in the web UI while the database is away. Few wait, and resends wait for them: so they try often. */
  waiting: { startToCloseTimeout: '15s', initialInterval: '1s', backoffCoefficient: 2, maximumInterval: '10s' },
  /** An account whose data the database refuses: nothing changes before somebody mends it. */
  alone: { startToCloseTimeout: '15s', initialInterval: '1s', backoffCoefficient: 2, maximumInterval: '60s' },
} as const;

/** The queue of each network operator's look-ups. */
export const lookUpQueues = { enedis: taskQueues.lookUpsEnedis, grdf: taskQueues.lookUpsGrdf } as const;

/** Budgets of look-ups at the network operators (design 8). */
export const lookUpBudget = {
  /** Pages under way at once over all workers, identifiers in a page, and calls at once within it. */
  pagesAtOnce: 4,
  pageSize: 100,
  callsAtOnce: 10,
  /** A page gives back what it has not asked after this time, so that other batches get their turn. */
  pageSeconds: 10,
  /** While the operator is down its pages try again and again: this is what stands in the web UI, and it has no end but an operator's. */
  page: { startToCloseTimeout: '3m', heartbeatTimeout: '15s', initialInterval: '1s', backoffCoefficient: 2, maximumInterval: '30s' },
  /** One identifier that alone keeps failing: pauses grow from `retrySeconds`, then it is set aside, and given up in the end. */
  identifier: { triesMax: 5, retrySeconds: 2, setAsideSeconds: 3_600, giveUpSeconds: 86_400 },
  /** Calls: ends well before the activity's heartbeat does. */
  call: { timeoutMs: 10_000, callsMax: 64, waitingMax: 1_000, failuresInARow: 10, restMs: 2_000 },
  /** Our own database, for the short steps around pages. */
  step: { startToCloseTimeout: '15s', initialInterval: '1s', backoffCoefficient: 2, maximumInterval: '10s' },
  /** A run that has become this long goes on as a new one; Temporal's limit lies at 51,200. */
  eventsPerRun: 3_000,
  /** Watching one batch: the pause between two looks grows up to the longer one. */
  watch: { shortestSeconds: 2, longestSeconds: 60, looksPerRun: 300 },
} as const;

export type IdentifierBudget = { readonly [Part in keyof typeof lookUpBudget.identifier]: number };
