import { listAudit } from '../access/audit/list-audit.route.ts';
import { auditReads } from '../access/index.ts';
import { auditChainRoutes } from '../audit-chain/audit-chain.route.ts';
import { concurrencyLimit } from '../account-import/limit/concurrency-limit.route.ts';
import { operationsTeams, organisations } from '../access/organisations/organisation.route.ts';
import { importSuppliers } from '../suppliers/import-supplier.route.ts';
import { createApiKey, listApiKeys, revokeApiKey } from '../access/keys/api-keys.route.ts';
import { endPersonSession, endSessionsOfPerson, listPersonSessions } from '../access/people/person-sessions.route.ts';
import { bulkActionRoutes } from '../bulk-actions/bulk-action.route.ts';
import type { CreationQueue } from '../account-import/create/create-account.queue.ts';
import { createAccount } from '../account-import/create/create-account.route.ts';
import type { CreationContext } from '../account-import/create/create-account.store.ts';
import type { ConcurrencyLimitWatch } from '../account-import/limit/creation-slot.store.ts';
import { findTransferStatus } from '../account-import/list/find-transfer-status.route.ts';
import { listImportProcesses } from '../account-import/list/list-import-processes.route.ts';
import { deleteSkipMark, putSkipMark } from '../account-import/skip/skip-mark.route.ts';
import { stageAccount } from '../account-import/stage/stage-account.route.ts';
import { createStagedQuota } from '../account-import/stage/staged-quota.store.ts';
import { validateAccount } from '../account-import/validate/validate-account.route.ts';
import { findAccount, findRevision, listAccounts } from '../account-view/account-view.route.ts';
import { createAccountSlots, serializedByAccount } from '../accounts/account-slots.queue.ts';
import { createBusinessContracts, createBusiness, findBusiness } from '../businesses/businesses.route.ts';
import { checkStores, repairStores } from '../check/checks.route.ts';
import { eventEndpointRoutes } from '../events/event-endpoints.route.ts';
import { listEvents, listNewestEvents } from '../events/events.route.ts';
import { findImportJob, listImportJobs } from '../import-jobs/find/find-import-job.route.ts';
import { pauseJobsOfKey } from '../import-jobs/index.ts';
import { acceptJobDifferences } from '../import-jobs/manifest/accept-differences.route.ts';
import { createImportJob } from '../import-jobs/open/create-import-job.route.ts';
import { listImportJobCauses, listStagedCauses } from '../import-jobs/results/list-causes.route.ts';
import { listImportJobResults, listImportJobResultsForOperator } from '../import-jobs/results/list-results.route.ts';
import {
  changeImportJob,
  changeImportJobAsOperator,
  startImportJob,
} from '../import-jobs/steer/change-import-job.route.ts';
import { uploadPart } from '../import-jobs/upload/upload-part.route.ts';
import { createNotes } from '../notes/create-notes.route.ts';
import { notePinRoutes } from '../notes/note-pin.route.ts';
import { createOverview } from '../overview/index.ts';
import { findOverview } from '../overview/overview.route.ts';
import { createPaymentInstruction } from '../payment-instructions/create-payment-instruction.route.ts';
import { createErasure, findErasurePreview } from '../personal-data/erase/create-erasure.route.ts';
import { findRetention } from '../personal-data/expire/retention.route.ts';
import { findPersonExport } from '../personal-data/export/find-person-export.route.ts';
import type { Clock } from '../platform/clock.ts';
import type { Database, WritableDatabase } from '../platform/database/database.ts';
import type { Route, SupplierRoute } from '../platform/http/route.ts';
import type { Log } from '../platform/log.ts';
import type { Settings } from '../platform/settings.ts';
import type { WorkRuns } from '../platform/temporal/start-run.ts';
import type { TemporalGateway } from '../platform/temporal/temporal-gateway.ts';
import type { CurrentCertificateKeys } from '../reconciliation/certificate-key.client.ts';
import {
  createReconciliation,
  createReconciliationForOperator,
} from '../reconciliation/create-reconciliation.route.ts';
import {
  listCertificateKeys,
  listReconciliationsForOperator,
  accountValuesRoute,
  reconciliationRoutes,
} from '../reconciliation/find-reconciliation.route.ts';
import { search } from '../search/search.route.ts';
import { createStatements } from '../statements/create-statements.route.ts';
import { createStuckWork } from '../stuck/list-stuck.client.ts';
import { listStuck } from '../stuck/list-stuck.route.ts';
import { retryStuck } from '../stuck/retry-stuck.route.ts';
import type { DocumentCheck, SupplierDirectory } from '../suppliers/index.ts';
import {
  findForOperatorsRoutes,
  findPopulationBatch,
  findSupplyPoint,
  listPopulationBatches,
} from '../supply-points/find/find-population-batch.route.ts';
import { populate } from '../supply-points/populate/populate.route.ts';
import { steerLookupsRoutes } from '../supply-points/steer/steer-lookups.route.ts';
import { throttleRoutes } from '../supply-points/throttle/throttle.route.ts';
import {
  assignMessage,
  dismissMessage,
  findMessage,
  listMessages,
  receiveMarketMessages,
} from '../switching/market-messages.route.ts';
import { decideClaimRoute, putSwitchStatus } from '../switching/change-switch.route.ts';
import {
  withdrawAccount,
  withdrawImportJob,
  withdrawImportJobForOperator,
  withdrawWaveForOperator,
  withdrawWaveRoute,
} from '../withdrawal/create-withdrawal.route.ts';
import { findWithdrawalRoute, withdrawalListRoute } from '../withdrawal/find-withdrawal.route.ts';
import { addWaveAccounts } from '../waves/add-accounts.route.ts';
import { changeMembersRoutes } from '../waves/change-members.route.ts';
import { changePlanRoutes } from '../waves/change-plan.route.ts';
import { findWaveRoute, listEarlyStarts, listWaveNumbers, listWaves } from '../waves/find-wave.route.ts';
import { acceptWaveDifferences, putWaveManifest } from '../waves/wave-manifest.route.ts';
import { openWave } from '../waves/open-wave.route.ts';
import { steerWaveAsOperatorRoutes, steerWaveRoutes } from '../waves/steer-wave.route.ts';
import { createTransactions } from '../transactions/create-transactions.route.ts';
import { obtainTokenOperation, oauthOperations } from '../access/tokens/oauth.openapi.ts';
import { eventWebhook } from '../events/events.openapi.ts';
import type { OpenApiContents } from '../platform/http/route-openapi.ts';

export interface RouteDeps {
  settings: Settings;
  clock: Clock;
  database: Database;
  lists: Database;
  suppliers: SupplierDirectory;
  documents: DocumentCheck;
  creation: CreationContext;
  queue: CreationQueue;
  limit: ConcurrencyLimitWatch;
  gateway: TemporalGateway;
  log: Log;
  runs: WorkRuns;
  certificateKeys: CurrentCertificateKeys;
}

/** All routes of the API by operation number, then the operator API. */
export function buildRoutes(deps: RouteDeps): Route[] {
  const payload = { ...deps, bodyLimitBytes: deps.settings.BODY_LIMIT_BYTES };
  const accountSlots = createAccountSlots();
  const business = { ...deps, bodyLimitBytes: deps.settings.BUSINESS_BODY_LIMIT_BYTES };
  return [
    /*  1 */ validateAccount(payload),
    /*  2 */ stageAccount({ ...payload, stagedQuota: createStagedQuota(deps) }),
    /*  3 */ createAccount(payload),
    /*  4 */ serializedByAccount(inOneTransaction(createNotes, payload), accountSlots),
    /*  5 */ serializedByAccount(inOneTransaction(createTransactions, payload), accountSlots),
    /*  6 */ serializedByAccount(inOneTransaction(createStatements, payload), accountSlots),
    /*  7 */ createPaymentInstruction(payload),
    /*  8 */ findTransferStatus(deps),
    /*  9 */ listImportProcesses('all', deps),
    /* 10 */ listImportProcesses('pending', deps),
    /* 11 */ listImportProcesses('imported', deps),
    /* 12 */ inOneTransaction(createBusiness, business),
    /* 13 */ inOneTransaction(createBusinessContracts, business),
    /* 14 */ inOneTransaction(populate, {
      ...deps,
      bodyLimitBytes: deps.settings.POPULATE_BODY_LIMIT_BYTES,
      knownDays: deps.settings.LOOKUP_KNOWN_DAYS,
    }),
    listPopulationBatches(deps),
    findPopulationBatch(deps, 'supplier'),
    ...importJobRoutes(deps),
    ...waveRoutes(deps),
    /* 16 */ createReconciliation(deps),
    ...reconciliationRoutes(deps, 'supplier'),
    accountValuesRoute(deps),
    listCertificateKeys(deps),
    /* 17 */ listEvents(deps),
    ...operatorRoutes(deps),
  ];
}

/** Lets a supplier route commit its work together with the response stored for an Idempotency-Key. Runs are started after the commit. */
function inOneTransaction<Deps extends { database: WritableDatabase; runs: WorkRuns }>(
  make: (deps: Deps) => Route,
  deps: Deps,
): SupplierRoute {
  const within: SupplierRoute['within'] = (database, onceCommitted) => {
    const runs: WorkRuns = { start: async (work) => onceCommitted(() => void deps.runs.start(work)) };
    return (make({ ...deps, database, runs }) as SupplierRoute).handle;
  };
  return { ...(make(deps) as SupplierRoute), within };
}

/** Import jobs, which are part of operation 15. */
function importJobRoutes(deps: RouteDeps): Route[] {
  return [
    /* 15 */ inOneTransaction(createImportJob, deps),
    listImportJobs(deps, 'supplier'),
    findImportJob(deps, 'supplier'),
    uploadPart(deps),
    startImportJob(deps),
    changeImportJob('pause', deps),
    changeImportJob('resume', deps),
    changeImportJob('cancel', deps),
    listImportJobCauses(deps, 'supplier'),
    listImportJobResults(deps),
    listStagedCauses(deps, 'supplier'),
    withdrawImportJob(deps),
    withdrawWaveRoute(deps),
    findWithdrawalRoute(deps, 'supplier'),
    withdrawalListRoute(deps, 'kept', 'supplier'),
    withdrawalListRoute(deps, 'businesses', 'supplier'),
  ];
}

/** Waves: sets of accounts that are approved and created together. */
function waveRoutes(deps: RouteDeps): Route[] {
  return [
    openWave(deps),
    listWaves(deps, 'supplier'),
    findWaveRoute(deps, 'supplier'),
    addWaveAccounts(deps),
    changePlanRoutes(deps).supplier,
    putWaveManifest(deps),
    ...changeMembersRoutes(deps).suppliers,
    ...steerWaveRoutes(deps),
    listWaveNumbers(deps),
    listEarlyStarts(deps),
  ];
}

function operatorRoutes(deps: RouteDeps): Route[] {
  // These routes write their own audit entry for each read, because they show personal data.
  const readsOfPeople = [
    findAccount(deps),
    findRevision(deps),
    findBusiness(deps),
    findSupplyPoint(deps),
    listImportJobResultsForOperator(deps),
    search(deps),
    findPersonExport(deps),
  ];
  return [
    ...readsOfPeople,
    ...[...otherOperatorRoutes(deps), ...proofRoutes(deps), ...eventRoutes(deps)].map(auditReads(deps)),
    createErasure(deps),
  ];
}

/** Routes for reconciliations and personal data. */
function proofRoutes(deps: RouteDeps): Route[] {
  return [
    createReconciliationForOperator(deps),
    listReconciliationsForOperator(deps),
    ...reconciliationRoutes(deps, 'operator'),
    withdrawAccount(deps),
    withdrawImportJobForOperator(deps),
    withdrawWaveForOperator(deps),
    findWithdrawalRoute(deps, 'operator'),
    withdrawalListRoute(deps, 'kept', 'operator'),
    withdrawalListRoute(deps, 'businesses', 'operator'),
    findErasurePreview(deps),
    findRetention(deps),
    ...auditChainRoutes(deps),
  ];
}

/** Routes for events and their endpoints. */
function eventRoutes(deps: RouteDeps): Route[] {
  return [...eventEndpointRoutes(deps), listNewestEvents(deps)];
}

function otherOperatorRoutes(deps: RouteDeps): Route[] {
  const stuck = createStuckWork(deps);
  return [
    listAccounts(deps),
    ...importSuppliers.routes(deps, () => deps.suppliers.forget()),
    ...operationsTeams.routes(deps),
    ...organisations.routes(deps),
    createApiKey(deps),
    listApiKeys(deps),
    revokeApiKey({ ...deps, onKeyRevoked: pauseJobsOfKey }),
    listPersonSessions(deps),
    endPersonSession(deps),
    endSessionsOfPerson(deps),
    putSkipMark(deps),
    deleteSkipMark(deps),
    ...notePinRoutes(deps),
    ...concurrencyLimit.routes(deps, () => deps.limit.forget()),
    receiveMarketMessages({ ...deps, bodyLimitBytes: deps.settings.BODY_LIMIT_BYTES }),
    listMessages(deps),
    findMessage(deps),
    dismissMessage(deps),
    assignMessage({ ...deps, leadDays: deps.settings.SWITCH_LEAD_TIME_DAYS }),
    putSwitchStatus({ ...deps, leadDays: deps.settings.SWITCH_LEAD_TIME_DAYS }),
    decideClaimRoute({ ...deps, leadDays: deps.settings.SWITCH_LEAD_TIME_DAYS }),
    findOverview({ overview: createOverview({ ...deps, stuck }) }),
    listStuck({ stuck }),
    retryStuck(deps),
    ...bulkActionRoutes(deps),
    checkStores(deps),
    repairStores(deps),
    ...throttleRoutes(deps),
    ...findForOperatorsRoutes(deps),
    ...steerLookupsRoutes(deps),
    findPopulationBatch(deps, 'operator'),
    listImportJobs(deps, 'operator'),
    findImportJob(deps, 'operator'),
    changeImportJobAsOperator('pause', deps),
    changeImportJobAsOperator('resume', deps),
    changeImportJobAsOperator('cancel', deps),
    acceptJobDifferences(deps),
    listAudit(deps),
    listWaves(deps, 'operator'),
    findWaveRoute(deps, 'operator'),
    changePlanRoutes(deps).operator,
    ...changeMembersRoutes(deps).operators,
    acceptWaveDifferences(deps),
    ...steerWaveAsOperatorRoutes(deps),
    listImportJobCauses(deps, 'operator'),
    listStagedCauses(deps, 'operator'),
  ];
}

/** What the OpenAPI document contains beside the routes. */
export const besideRoutes: OpenApiContents = {
  operations: [obtainTokenOperation, ...oauthOperations],
  webhooks: { event: eventWebhook },
};
