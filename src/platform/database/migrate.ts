import { Migrator } from '@mikro-orm/migrations';
import { MikroORM } from '@mikro-orm/postgresql';
import type { Pool } from 'pg';
import { applySqlFiles, type SqlFile } from './apply-sql-files.ts';
import { readDatabaseUrl } from './connection-options.ts';
import { grantToApplication } from './grant-application.ts';
import { M001AccessAndSuppliers } from './migrations/m001-access-and-suppliers.ts';
import { M002ImportProcesses } from './migrations/m002-import-processes.ts';
import { M003Accounts } from './migrations/m003-accounts.ts';
import { M004Businesses } from './migrations/m004-businesses.ts';
import { M005Operations } from './migrations/m005-operations.ts';
import { M006Attachments } from './migrations/m006-attachments.ts';
import { M007KindsOfWork } from './migrations/m007-kinds-of-work.ts';
import { M008PaymentInstructions } from './migrations/m008-payment-instructions.ts';
import { M009SupplyPointPopulation } from './migrations/m009-supply-point-population.ts';
import { M010IndustrySwitch } from './migrations/m010-industry-switch.ts';
import { M011PromptWork } from './migrations/m011-prompt-work.ts';
import { M014CountedAttemptCreate } from './migrations/m014-counted-attempt-create.ts';
import { M015ApiKeyScopeAndSessions } from './migrations/m015-api-key-scope-and-sessions.ts';
import { M016PopulationBatchOpen } from './migrations/m016-population-batch-open.ts';
import { M017PaymentInstructionPoints } from './migrations/m017-payment-instruction-points.ts';
import { M018AccountSupplyPointClaims } from './migrations/m018-account-supply-point-claims.ts';
import { M019LookUpCustomerAuthorisation } from './migrations/m019-look-up-customer-authorisation.ts';
import { M020DocumentRootKept } from './migrations/m020-document-root-kept.ts';
import { M021NumberMarkReservedNumbers } from './migrations/m021-number-mark-reserved-numbers.ts';
import { M023DispatcherLeaseCreate } from './migrations/m023-dispatcher-lease-create.ts';
import { M025LookUpTakenBy } from './migrations/m025-look-up-taken-by.ts';
import { M026ThrottleLastSlot } from './migrations/m026-throttle-last-slot.ts';
import { M029StepsAndNewestBatches } from './migrations/m029-steps-and-newest-batches.ts';
import { M030WorkItemAndPopulationRenames } from './migrations/m030-work-item-and-population-renames.ts';
import { M031AppliedSqlFileCreate } from './migrations/m031-applied-sql-file-create.ts';
import { M032CompletedAtRenames } from './migrations/m032-completed-at-renames.ts';
import { M033ImportJobCreate } from './migrations/m033-import-job-create.ts';
import { M034PersonSessionCreate } from './migrations/m034-person-session-create.ts';
import { M035SearchIndexesCreate } from './migrations/m035-search-indexes-create.ts';
import { M039CreationSlotWaitCreate } from './migrations/m039-creation-slot-wait-create.ts';
import { M040AccountCountCreate } from './migrations/m040-account-count-create.ts';
import { M042UnmatchedAndBatchLists } from './migrations/m042-unmatched-and-batch-lists.ts';
import { M043PeopleAndAudit } from './migrations/m043-people-and-audit.ts';
import { M044AccountListIndexesCreate } from './migrations/m044-account-list-indexes-create.ts';
import { M045ImportProcessRevisionPayload } from './migrations/m045-import-process-revision-payload.ts';
import { M046ReconciliationCreate } from './migrations/m046-reconciliation-create.ts';
import { M047ImportProcessCounted } from './migrations/m047-import-process-counted.ts';
import { M050WorkItemExpectingRun } from './migrations/m050-work-item-expecting-run.ts';
import { M053EventCreate } from './migrations/m053-event-create.ts';
import { M054EventEndpointCreate } from './migrations/m054-event-endpoint-create.ts';
import { M056RetentionCreate } from './migrations/m056-retention-create.ts';
import { M057IdempotencyKeyCreate } from './migrations/m057-idempotency-key-create.ts';
import { M058IdempotencyUseCreate } from './migrations/m058-idempotency-use-create.ts';
import { M060ReconciliationDifferenceVendorAnswer } from './migrations/m060-reconciliation-difference-vendor-answer.ts';
import { M061AcceptedHashes } from './migrations/m061-accepted-hashes.ts';
import { M062ImportJobLineOtherKeys } from './migrations/m062-import-job-line-other-keys.ts';
import { M063AccountSupplyPointUnique } from './migrations/m063-account-supply-point-unique.ts';
import { M065WorkItemTrace } from './migrations/m065-work-item-trace.ts';
import { M066ImportJobLineRevision } from './migrations/m066-import-job-line-revision.ts';

/** All migrations in order. A step that has been released never changes; a new need is a new step. */
export const migrations = [
  M001AccessAndSuppliers,
  M002ImportProcesses,
  M003Accounts,
  M004Businesses,
  M005Operations,
  M006Attachments,
  M007KindsOfWork,
  M008PaymentInstructions,
  M009SupplyPointPopulation,
  M010IndustrySwitch,
  M011PromptWork,
  M014CountedAttemptCreate,
  M015ApiKeyScopeAndSessions,
  M016PopulationBatchOpen,
  M017PaymentInstructionPoints,
  M018AccountSupplyPointClaims,
  M019LookUpCustomerAuthorisation,
  M020DocumentRootKept,
  M021NumberMarkReservedNumbers,
  M023DispatcherLeaseCreate,
  M025LookUpTakenBy,
  M026ThrottleLastSlot,
  M029StepsAndNewestBatches,
  M030WorkItemAndPopulationRenames,
  M031AppliedSqlFileCreate,
  M032CompletedAtRenames,
  M033ImportJobCreate,
  M034PersonSessionCreate,
  M035SearchIndexesCreate,
  M039CreationSlotWaitCreate,
  M040AccountCountCreate,
  M042UnmatchedAndBatchLists,
  M043PeopleAndAudit,
  M044AccountListIndexesCreate,
  M045ImportProcessRevisionPayload,
  M046ReconciliationCreate,
  M047ImportProcessCounted,
  M050WorkItemExpectingRun,
  M053EventCreate,
  M054EventEndpointCreate,
  M056RetentionCreate,
  M057IdempotencyKeyCreate,
  M058IdempotencyUseCreate,
  M060ReconciliationDifferenceVendorAnswer,
  M061AcceptedHashes,
  M062ImportJobLineOtherKeys,
  M063AccountSupplyPointUnique,
  M065WorkItemTrace,
  M066ImportJobLineRevision,
];

/** Key of the advisory lock under which migrations run, so that several processes may start at once. */
const LOCK_KEY = 4_716_202;

/**
 * Brings the database to the newest schema and the newest functions.
 * @param url of the role that owns the tables
 * @param files the functions; whoever starts hands them over, so that the platform names no capability
 * @param applicationRole the role that the service runs as, when it is another one; it is given what it needs
 * @returns the names of the migrations, and the paths of the files of functions, that were run now
 * @throws ApplicationRoleMissing when there is no such role
 */
export async function migrate(url: string, files: readonly SqlFile[], applicationRole?: string): Promise<string[]> {
  const { url: address, ssl } = readDatabaseUrl(url);
  const orm = await MikroORM.init({
    clientUrl: address,
    ...(ssl ? { driverOptions: { ssl } } : {}),
    entities: [],
    discovery: { warnWhenNoEntities: false },
    ensureDatabase: false,
    extensions: [Migrator],
    pool: { min: 0, max: 2 },
    migrations: {
      migrationsList: migrations.map((migration) => ({ name: migration.name, class: migration })),
      snapshot: false,
      allOrNothing: true,
      disableForeignKeys: false,
    },
    logger: () => {},
  } as never);
  const pool = await (orm.em.getConnection() as unknown as { getNativeClient(): Promise<Pool> }).getNativeClient();
  const holder = await pool.connect();
  try {
    // Held to the end by a connection of its own: whoever starts at the same time waits here, then finds nothing to do.
    await holder.query('begin');
    await holder.query('select pg_advisory_xact_lock($1)', [LOCK_KEY]);
    const done = await orm.migrator.up();
    const applied = await applySqlFiles(holder, files);
    if (applicationRole !== undefined) await grantToApplication(holder, applicationRole);
    await holder.query('commit');
    return [...done.map((step) => step.name), ...applied];
  } finally {
    holder.release();
    await orm.close(true);
  }
}
