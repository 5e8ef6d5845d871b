/** Task queues, workflow ids, and the time and retry budget of each outside party. Pure data: shared by workflows, worker and clients. */

export const taskQueues = {
  /** Workflows, and activities that touch our own database. */
  imports: 'imports',
  /** Calls to payment vendors. */
  payments: 'payments',
} as const;

/** The workflow of each kind of run; the kind stands in `ImportKind`, in workflow ids and in what operators read. */
export const workflowOfKind = {
  'create-accounts': 'createAccounts',
  'create-account': 'createAccount',
  'verify-payment-instruction': 'verifyPaymentInstruction',
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
  /** @param referenceHash a hash: the reference itself is bank data and stands in no id */
  verifyInstruction: (importSupplier: string, externalAccountNumber: string, vendor: string, type: string, referenceHash: string) =>
    workflowId('verify-instruction', importSupplier, externalAccountNumber, vendor, type, referenceHash),
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

/** Budget of a verification at a payment vendor (specification 7.2, design 3). */
export const paymentBudget = {
  /** The whole of it; a verification that is not settled then ends as `payment_vendor_unreachable`. */
  totalMs: 86_400_000,
  /** Longest that one attempt asks, all its calls together; they are ended for real then. */
  askMs: 10_000,
  /** 2 s more than the calls may take, so that an attempt tells its own end; only a worker that died runs into it. */
  askTimeout: '12s',
  settleTimeout: '15s',
  /** Waits between attempts: full jitter up to the doubled wait of the attempt before. */
  firstWaitMs: 1_000,
  longestWaitMs: 60_000,
  /** An instruction that its payer has not approved yet: nobody is away, and asking often changes nothing. */
  longestWaitNotYetMs: 300_000,
  /** Attempts at once over all vendors in one worker; more than two vendors' calls together, so that a slow one starves none. */
  slots: 48,
} as const;

const paymentVendor = { timeoutMs: 5_000, callsMax: 12, waitingMax: 8, failuresInARow: 5, restMs: 10_000 } as const;

/** Limits of the calls to each payment vendor: time-out, bulkhead and breaker. */
export const paymentVendorLimits = {
  GOCARDLESS: paymentVendor,
  STRIPE: paymentVendor,
  // Three calls of an attempt go to one host: token, entry point, search.
  SLIMPAY: { ...paymentVendor, timeoutMs: 4_000 },
  ADYEN: paymentVendor,
} as const;
