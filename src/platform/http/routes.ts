import type { Settings } from '../settings.ts';
import type { Clock } from '../clock.ts';
import type { Database } from '../database/database.ts';
import type { SupplierDirectory } from '../../suppliers/index.ts';
import type { CreationQueue } from '../../accounts/create-account.queue.ts';
import type { CreationContext } from '../../accounts/create-account.store.ts';
import { createAccount } from '../../accounts/create-account.route.ts';
import { findTransferStatus } from '../../accounts/find-transfer-status.route.ts';
import { listImportProcesses } from '../../accounts/list-import-processes.route.ts';
import { stageAccountRoute } from '../../accounts/stage-account.route.ts';
import { validateAccount } from '../../accounts/validate-account.route.ts';
import { createApiKey } from '../../access/create-api-key.route.ts';
import { findOperationsTeam } from '../../access/find-operations-team.route.ts';
import { listApiKeys } from '../../access/list-api-keys.route.ts';
import { listAudit } from '../../access/list-audit.route.ts';
import { putOperationsTeam } from '../../access/put-operations-team.route.ts';
import { revokeApiKey } from '../../access/revoke-api-key.route.ts';
import { findImportSupplier } from '../../suppliers/find-import-supplier.route.ts';
import { listImportSuppliers } from '../../suppliers/list-import-suppliers.route.ts';
import { putImportSupplier } from '../../suppliers/put-import-supplier.route.ts';
import type { Route } from './route.ts';

export interface RouteDeps {
  settings: Settings;
  clock: Clock;
  database: Database;
  lists: Database;
  suppliers: SupplierDirectory;
  creation: CreationContext;
  queue: CreationQueue;
}

/** Every route of the interface, by row of the specification's table (section 4), then the operator interface (design 4). */
export function buildRoutes(deps: RouteDeps): Route[] {
  const payload = { ...deps, bodyLimitBytes: deps.settings.BODY_LIMIT_BYTES };
  return [
    /*  1 */ validateAccount(payload),
    /*  2 */ stageAccountRoute(payload),
    /*  3 */ createAccount(payload),
    /*  8 */ findTransferStatus(deps),
    /*  9 */ listImportProcesses('all', deps),
    /* 10 */ listImportProcesses('pending', deps),
    /* 11 */ listImportProcesses('imported', deps),
    ...operatorRoutes(deps),
  ];
}

function operatorRoutes(deps: RouteDeps): Route[] {
  return [
    putImportSupplier(deps), findImportSupplier(deps), listImportSuppliers(deps),
    putOperationsTeam(deps), findOperationsTeam(deps),
    createApiKey(deps), listApiKeys(deps), revokeApiKey(deps),
    listAudit(deps),
  ];
}
