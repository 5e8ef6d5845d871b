/** A version of a workflow with possibly open runs, and its recorded histories. */
export interface WorkflowVersion {
  workflow: string;
  /** Ids of `patched` in runs of this version. */
  patches: readonly string[];
  /** Names that begin with the name of the workflow. */
  histories: readonly string[];
}

/**
 * The versions whose runs the current workflows must be able to continue. Remove a version and its histories only when no installation
 * has an open run of it; `patched` then becomes `deprecatePatch`.
 */
export const workflowVersions: readonly WorkflowVersion[] = [
  { workflow: 'createAccount', patches: [], histories: ['create-account.created', 'create-account.mended'] },
  {
    workflow: 'createAccounts',
    patches: [],
    histories: [
      'create-accounts.created',
      'create-accounts.database-away',
      'create-accounts.empty',
      'create-accounts.joined',
      'create-accounts.quarantined',
      'create-accounts.quarantined-after-outage',
      'create-accounts.took-too-long',
    ],
  },
  {
    workflow: 'createAccounts',
    patches: ['waiting-batches-are-found'],
    histories: ['create-accounts.found.database-away', 'create-accounts.found.took-too-long'],
  },
  {
    workflow: 'importJob',
    patches: [],
    histories: ['import-job.cancelled', 'import-job.completed', 'import-job.resumed', 'import-job.waits'],
  },
  {
    workflow: 'lookUpSupplyPoints',
    patches: [],
    histories: [
      'look-up-supply-points.first-run',
      'look-up-supply-points.goes-on',
      'look-up-supply-points.operator-down',
      'look-up-supply-points.rests',
      'look-up-supply-points.through',
      'look-up-supply-points.woken',
    ],
  },
  {
    workflow: 'lookUpSupplyPoints',
    patches: ['wakes-outlast-pages'],
    histories: ['look-up-supply-points.looks-again'],
  },
  { workflow: 'lookUpSupplyPoints', patches: ['releases-lost-pages'], histories: ['look-up-supply-points.releases'] },
  { workflow: 'deliverEvents', patches: [], histories: ['deliver-events.done', 'deliver-events.unreachable'] },
  { workflow: 'reconcile', patches: [], histories: ['reconcile.cancelled', 'reconcile.completed'] },
  { workflow: 'wave', patches: [], histories: ['wave.cancelled', 'wave.paused', 'wave.signed-off'] },
  {
    workflow: 'bulkAction',
    patches: [],
    histories: ['bulk-action.cancelled', 'bulk-action.completed', 'bulk-action.paused'],
  },
  { workflow: 'withdraw', patches: [], histories: ['withdraw.cancelled', 'withdraw.completed'] },
  { workflow: 'retention', patches: [], histories: ['retention.cancelled', 'retention.completed'] },
  { workflow: 'populateSupplyPoints', patches: [], histories: ['populate-supply-points.completed'] },
  {
    workflow: 'requestSwitches',
    patches: [],
    histories: ['request-switches.ended', 'request-switches.industry-switch-away', 'request-switches.woken'],
  },
  {
    workflow: 'switchSupplier',
    patches: [],
    histories: ['switch-supplier.requested', 'switch-supplier.signalled-while-sending', 'switch-supplier.unreachable'],
  },
  {
    workflow: 'verifyPaymentInstruction',
    patches: [],
    histories: [
      'verify-payment-instruction.budget-spent',
      'verify-payment-instruction.database-away-for-a-budget',
      'verify-payment-instruction.refused',
      'verify-payment-instruction.retried',
      'verify-payment-instruction.verified',
      'verify-payment-instruction.written-late',
    ],
  },
];
