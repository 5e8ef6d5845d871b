import { Type } from 'typebox';
import type { Database } from '../../platform/database/database.ts';
import type { Reply, Route } from '../../platform/http/route.ts';
import type { RouteOpenApi } from '../../platform/http/route-openapi.ts';
import { warningsMember } from '../../platform/validation/warning.schema.ts';
import type { DocumentCheck, KnownSupplier } from '../../suppliers/index.ts';
import { migrationNotOngoing } from '../../suppliers/supplier-status.rules.ts';
import { payloadRequest } from '../validate/account-payload.openapi.ts';
import type { AccountPayload } from '../../accounts/account-payload.schema.ts';
import { findPayloadWarnings } from '../validate/account-warnings.validation.ts';
import { parisDay } from '../../platform/clock.ts';
import { type Warning, warningsOf } from '../../vocabulary/warnings.ts';
import { isRefused, refuse, type Refused } from '../../vocabulary/refusals.ts';
import { alreadyImportedMembers } from './already-imported.schema.ts';
import {
  checkAccountPayload,
  type PayloadDeps,
  refuseMissingDocuments,
  stagedForm,
} from '../validate/account-payload.validation.ts';
import { alreadyImported } from './already-imported.rules.ts';
import { batchStagings } from './stage-account.queue.ts';
import { stageAccounts, type StagedAccount, type StagingOutcome } from './stage-account.store.ts';
import { addToWave, findInOtherWaves, findJoinableWave } from '../wave/wave-members.store.ts';
import { violation } from '../../vocabulary/violations.ts';
import { findStagingWarnings } from './staging-warnings.store.ts';
import { type Log, loggedFault } from '../../platform/log.ts';
import type { StagedQuota } from './staged-quota.store.ts';

const stagedReply = Type.Object(
  { import_supplier: Type.String(), external_account_number: Type.String(), warnings: Type.Optional(warningsMember) },
  { title: 'StagedAccount' },
);
const openApi: RouteOpenApi = {
  operationId: 'stageAccount',
  tag: 'Accounts',
  summary: 'Stage an account, or replace the staged data',
  description:
    'Validates the account like validate-account, and stores it. Can be repeated until the account is created. `warnings` lists data that needs attention; warnings do not block the account.',
  ...payloadRequest,
  query: {
    wave_id: {
      description: 'The wave that the account joins.',
      example: '019ac3f2-8b21-7d3c-9e4f-6a7b8c9d0e1f',
      violations: ['invalid_choice'],
    },
  },
  replies: {
    200: { description: 'The staged data is replaced.', schema: stagedReply },
    201: { description: 'The account is staged for the first time.', schema: stagedReply },
  },
  refusals: [
    'account_failed_validation',
    'account_import_process_already_imported',
    'import_process_marked_to_skip',
    'import_supplier_migration_not_ongoing',
    'account_in_another_wave',
    'validation_failed',
  ],
  refusalMembers: { account_import_process_already_imported: alreadyImportedMembers },
};

/** Operation 2: stages an account, or replaces its staged data. */
export const stageAccount = (
  deps: PayloadDeps & {
    database: Database;
    documents: DocumentCheck;
    stagedQuota: StagedQuota;
    bodyLimitBytes: number;
  },
  stage = batchStagings(deps.database),
): Route => ({
  method: 'POST',
  path: '/v1/data-import/account-import-process/create-or-update',
  access: 'supplier',
  openApi,
  bodyLimitBytes: deps.bodyLimitBytes,
  handle: async (request) => {
    const checked = await checkAccountPayload(request, deps);
    if (isRefused(checked)) return checked;
    const missing = await refuseMissingDocuments(deps.documents, checked.supplier, checked.account, request.log);
    if (missing) return missing;
    const waveId = request.query.get('wave_id');
    const stageOne = waveId === null ? stage : stageIntoWave(deps.database, waveId);
    const outcome = await stageWithinQuota({ ...deps, stage: stageOne }, checked.supplier, stagedForm(checked));
    if (isRefused(outcome)) return outcome;
    if (request.isLarge) await request.yieldToEventLoop();
    const warnings = [
      ...findPayloadWarnings(checked, parisDay(deps.clock.now())),
      ...(outcome.kind === 'staged' && outcome.mayWarn
        ? await stagingWarnings(deps.database, checked.account, request.log)
        : []),
    ];
    return answer(checked.account, outcome, warnings);
  },
});

/** Stages an account and makes it a member of a wave, in one transaction. */
const stageIntoWave =
  (database: Database, waveId: string) =>
  async (account: StagedAccount): Promise<StagingOutcome | Refused> =>
    database.transaction(async (em) => {
      const { importSupplier, externalAccountNumber } = account;
      const wave = { id: waveId, importSupplier };
      if (!(await findJoinableWave(em, waveId, importSupplier))) {
        const detail = 'This import supplier has no open wave with this id.';
        return refuse('validation_failed', { violations: [violation('invalid_choice', ['wave_id'], detail)] });
      }
      if ((await findInOtherWaves(em, wave, [externalAccountNumber])).size > 0) {
        return refuse('account_in_another_wave');
      }
      const [outcome] = await stageAccounts(em, importSupplier, [account]);
      if (outcome!.kind === 'staged') await addToWave(em, wave, [externalAccountNumber]);
      return outcome!;
    });

/** The account is already staged, so a failure to read its warnings must not change the answer. */
async function stagingWarnings(database: Database, account: AccountPayload, log: Log): Promise<Warning[]> {
  try {
    return (await findStagingWarnings(database, [account]))[0]!;
  } catch (error) {
    log.warn({ fault: loggedFault(error) }, 'warnings about a staged account cannot be read');
    return [];
  }
}

/** Reserves quota before staging, and releases it if no account was added. */
async function stageWithinQuota(
  deps: { stage(account: StagedAccount): Promise<StagingOutcome | Refused>; stagedQuota: StagedQuota },
  supplier: KnownSupplier | undefined,
  staged: StagedAccount,
): Promise<StagingOutcome | Refused> {
  const reservation = await deps.stagedQuota.reserve(supplier, staged.externalAccountNumber);
  if (isRefused(reservation)) return reservation;
  let isNew = false;
  try {
    const outcome = await deps.stage(staged);
    isNew = !isRefused(outcome) && outcome.kind === 'staged' && outcome.revision === 1;
    return outcome;
  } finally {
    if (!isNew) reservation.release();
  }
}

function answer(
  { import_supplier, external_account_number }: AccountPayload,
  outcome: StagingOutcome,
  warnings: readonly Warning[],
): Reply | Refused {
  switch (outcome.kind) {
    case 'staged':
      return {
        status: outcome.revision === 1 ? 201 : 200,
        body: { import_supplier, external_account_number, ...warningsOf(warnings) },
      };
    case 'imported':
      return alreadyImported(external_account_number, outcome.accountNumber);
    case 'skipped':
      return refuse('import_process_marked_to_skip');
    case 'not-ongoing':
      return migrationNotOngoing(outcome.status);
  }
}
