import { v7 as uuidv7 } from 'uuid';
import type { Actor } from '../access/index.ts';
import { type AccountKey, accountKeyPath, accountKeySchema } from '../accounts/account-key.schema.ts';
import { findWithdrawableJob } from '../import-jobs/index.ts';
import { jobPath } from '../import-jobs/import-job.schema.ts';
import type { Database } from '../platform/database/database.ts';
import type { Reply, Route } from '../platform/http/route.ts';
import { forOperators, type RouteOpenApi } from '../platform/http/route-openapi.ts';
import type { WorkRuns } from '../platform/temporal/start-run.ts';
import { compileOperatorBody, compilePayload, type PayloadOptions } from '../platform/validation/compile-payload.ts';
import { readingOptionsOf, type SupplierDirectory } from '../suppliers/index.ts';
import { beginWaveWithdrawal, findWithdrawableWave } from '../waves/index.ts';
import { wavePath } from '../waves/wave.schema.ts';
import { isRefused, refuse, type Refused } from '../vocabulary/refusals.ts';
import { previewWithdrawal } from './find-obstacles.store.ts';
import {
  type CreateWithdrawal,
  createWithdrawalSchema,
  startedWithdrawal,
  withdrawalPreview,
} from './withdrawal.schema.ts';
import {
  FIRST,
  findCandidates,
  type NewWithdrawal,
  startWithdrawal,
  withdrawalWorkItem,
  type WithdrawalViewer,
  type WithdrawnScope,
} from './withdrawal.store.ts';

export interface WithdrawDeps {
  suppliers: SupplierDirectory;
  database: Database;
  /** Database of the list pool, because a preview reads every account. */
  lists: Database;
  runs: WorkRuns;
}

const DOCS = 'docs/operators/withdrawal.md';
const checkPayload = compilePayload<CreateWithdrawal>({ ...createWithdrawalSchema, additionalProperties: false });
const checkKey = compileOperatorBody<AccountKey>(accountKeySchema);

const documented = {
  page: DOCS,
  request: createWithdrawalSchema,
  requestExamples: {
    preview: { reason: 'The file was of the wrong month.', dry_run: true },
    withdrawal: { reason: 'The file was of the wrong month.' },
  },
  replies: {
    200: { description: 'With `dry_run`: what would be withdrawn. Nothing was changed.', schema: withdrawalPreview },
    202: {
      description:
        'The withdrawal is running. If one of the same accounts is already running, the response names that one.',
      schema: startedWithdrawal,
    },
  },
} as const satisfies Partial<RouteOpenApi>;

/** `POST accounts/<supplier>/<external>/withdraw/`: withdraws one account. */
export const withdrawAccount = (deps: WithdrawDeps): Route => ({
  method: 'POST',
  path: '/v1/operations/accounts/:supplier/:external/withdraw',
  access: 'operator',
  action: 'account.withdraw',
  openApi: {
    ...documented,
    operationId: 'withdrawAccount',
    summary: 'Withdraw an account',
    description:
      'The account is deleted with everything that was created with it, and is staged again with the same data. Its number is never given again.',
    path: accountKeyPath,
    refusals: ['account_not_found'],
  },
  bodyLimitBytes: 16_384,
  handle: ({ params, body, caller }) => withdrawAccountAsOperator(deps, caller, params, body),
});

const jobOpenApi: RouteOpenApi = {
  ...documented,
  operationId: 'withdrawImportJob',
  tag: 'Import jobs',
  summary: 'Withdraw the accounts that an import job created',
  description:
    'Each account is deleted with everything that was created with it, and is staged again with the same data. Accounts with an obstacle are kept. Numbers are never given again.',
  path: jobPath,
  refusals: ['import_job_not_found', 'import_job_not_withdrawable'],
};

/** `POST import-jobs/<id>/withdraw/`: withdraws the accounts that a job created. */
export const withdrawImportJob = (deps: WithdrawDeps): Route => ({
  method: 'POST',
  path: '/v1/data-import/import-jobs/:job/withdraw',
  access: 'supplier',
  openApi: jobOpenApi,
  bodyLimitBytes: 16_384,
  handle: ({ params, body, caller }) => withdrawJob(deps, caller, params['job'] ?? '', body, caller),
});

/** The same for operators, of any job. */
export const withdrawImportJobForOperator = (deps: WithdrawDeps): Route => ({
  method: 'POST',
  path: '/v1/operations/import-jobs/:job/withdraw',
  access: 'operator',
  action: 'account.withdraw',
  openApi: forOperators(jobOpenApi, { summary: 'Withdraw the accounts that any import job created' }),
  bodyLimitBytes: 16_384,
  handle: ({ params, body, caller }) => withdrawJob(deps, caller, params['job'] ?? '', body, undefined),
});

function checkBody(body: unknown, options?: PayloadOptions): CreateWithdrawal | Refused {
  const { data, violations } = checkPayload(body, undefined, options);
  return violations.length === 0 ? data : refuse('validation_failed', { violations });
}

const waveOpenApi: RouteOpenApi = {
  ...documented,
  operationId: 'withdrawWave',
  tag: 'Waves',
  summary: 'Withdraw the accounts of a wave',
  description:
    'With the notes, transactions, statements and payment instructions that jobs of the wave added. Accounts with an obstacle are kept. If the creation of the wave was approved, a second person must approve its withdrawal first.',
  path: wavePath,
  refusals: ['wave_not_found', 'wave_status_forbids'],
};

/** `POST waves/<id>/withdraw/`: withdraws the accounts of a wave. */
export const withdrawWaveRoute = (deps: WithdrawDeps): Route => ({
  method: 'POST',
  path: '/v1/data-import/waves/:wave/withdraw',
  access: 'supplier',
  openApi: waveOpenApi,
  bodyLimitBytes: 16_384,
  handle: ({ params, body, caller }) => withdrawWave(deps, caller, params['wave'] ?? '', body, caller),
});

/** The same for operators, of any wave. */
export const withdrawWaveForOperator = (deps: WithdrawDeps): Route => ({
  method: 'POST',
  path: '/v1/operations/waves/:wave/withdraw',
  access: 'operator',
  action: 'account.withdraw',
  openApi: forOperators(waveOpenApi, { summary: 'Withdraw the accounts of any wave' }),
  bodyLimitBytes: 16_384,
  handle: ({ params, body, caller }) => withdrawWave(deps, caller, params['wave'] ?? '', body, undefined),
});

/** Withdraws an account, or previews it. @returns the response of the API */
export async function withdrawAccountAsOperator(
  deps: WithdrawDeps,
  actor: Actor,
  params: Readonly<Record<string, string>>,
  body: unknown,
): Promise<Reply | Refused> {
  const sent = checkBody(body);
  if (isRefused(sent)) return sent;
  const key = checkKey({ import_supplier: params['supplier'], external_account_number: params['external'] });
  if (isRefused(key)) return refuse('account_not_found');
  const { import_supplier: importSupplier, external_account_number: externalAccountNumber } = key;
  const scope = { importSupplier, externalAccountNumber, importJobId: null, waveId: null, attachingJobs: [] };
  const [account] = await findCandidates(deps.database, scope, FIRST, 1);
  if (account === undefined) return refuse('account_not_found');
  return withdraw(deps, actor, { ...scope, organisation: null, isByOperator: true }, sent);
}

/**
 * Withdraws the accounts of a job, or previews it.
 * @param viewer undefined for operators, who may withdraw all jobs
 * @returns the response of the API
 */
export async function withdrawJob(
  deps: WithdrawDeps,
  actor: Actor,
  jobId: string,
  body: unknown,
  viewer: WithdrawalViewer | undefined,
): Promise<Reply | Refused> {
  const job = await findWithdrawableJob(deps.database, jobId, viewer);
  const sent = await checkBodyOf(deps, viewer, job, body);
  if (isRefused(sent)) return sent;
  if (isRefused(job)) return job;
  const scope = {
    importSupplier: job.importSupplier,
    externalAccountNumber: null,
    importJobId: job.id,
    waveId: null,
    attachingJobs: [],
  };
  return withdraw(deps, actor, { ...scope, organisation: job.organisation, isByOperator: viewer === undefined }, sent);
}

/**
 * Withdraws the accounts of a wave with what its jobs added, or previews it.
 * @param viewer undefined for operators, who may withdraw all waves
 * @returns the response of the API
 */
export async function withdrawWave(
  deps: WithdrawDeps,
  actor: Actor,
  waveId: string,
  body: unknown,
  viewer: WithdrawalViewer | undefined,
): Promise<Reply | Refused> {
  const found = await findWithdrawableWave(deps.database, waveId, viewer);
  const sent = await checkBodyOf(deps, viewer, isRefused(found) ? found : found.wave, body);
  if (isRefused(sent)) return sent;
  if (isRefused(found)) return found;
  const { importSupplier, organisation } = found.wave;
  const of = { externalAccountNumber: null, importJobId: null, waveId, attachingJobs: found.jobIds };
  const isByOperator = viewer === undefined;
  return withdraw(deps, actor, { ...of, importSupplier, organisation, isByOperator }, sent);
}

/** Checks a body by the options of the import supplier. Without a job or wave any form that some supplier may use is accepted. */
async function checkBodyOf(
  { suppliers }: WithdrawDeps,
  viewer: WithdrawalViewer | undefined,
  found: { importSupplier: string } | Refused,
  body: unknown,
): Promise<CreateWithdrawal | Refused> {
  if (viewer === undefined) return checkBody(body);
  if (isRefused(found)) return checkBody(body, { nullMeansAbsent: true });
  return checkBody(body, readingOptionsOf(await suppliers.find(found.importSupplier)));
}

async function withdraw(
  deps: WithdrawDeps,
  actor: Actor,
  scope: WithdrawnScope & Pick<NewWithdrawal, 'organisation' | 'isByOperator'>,
  { reason, dry_run: isDryRun = false, withdraw_businesses: withdrawsBusinesses = false }: CreateWithdrawal,
): Promise<Reply | Refused> {
  if (isDryRun) return { status: 200, body: await previewWithdrawal(deps.lists, scope) };
  const started = await deps.database.transaction(async (em) => {
    const withdrawal = await startWithdrawal(em, { ...scope, id: uuidv7(), reason, withdrawsBusinesses }, actor);
    const refused = withdrawal.isNew && scope.waveId !== null ? await beginWaveWithdrawal(em, scope.waveId) : undefined;
    if (refused !== undefined) await em.rollback();
    return refused ?? withdrawal;
  });
  if (isRefused(started)) return started;
  const { id, isNew } = started;
  // Not awaited: the withdrawal is committed.
  if (isNew) void deps.runs.start([withdrawalWorkItem({ id, importSupplier: scope.importSupplier })]);
  return { status: 202, body: { withdrawal_id: id, status: 'RUNNING' } };
}
