import { v7 as uuidv7 } from 'uuid';
import { recordAudit, type Actor } from '../access/index.ts';
import type { Database } from '../platform/database/database.ts';
import type { AuthenticatedRequest, Reply, Route } from '../platform/http/route.ts';
import type { Log } from '../platform/log.ts';
import type { TemporalGateway } from '../platform/temporal/temporal-gateway.ts';
import { compilePayload } from '../platform/validation/compile-payload.ts';
import {
  findSupplierByCode,
  findSupplierInScope,
  readingOptionsOf,
  type SupplierDirectory,
} from '../suppliers/index.ts';
import { isRefused, refuse, type Refused } from '../vocabulary/refusals.ts';
import { violation, type Violation } from '../vocabulary/violations.ts';
import { isUuid } from '../vocabulary/wire-forms.ts';
import { findJobToReconcile } from './reconciled-job.store.ts';
import { startReconciliationRun } from './reconciliation-runs.client.ts';
import { createReconciliationSchema, type CreateReconciliationRequest } from './reconciliation.schema.ts';
import { startReconciliation, type ReconciliationViewer } from './reconciliation.store.ts';
import { createReconciliationOpenApi, createReconciliationForOperatorOpenApi } from './reconciliations.openapi.ts';

const check = compilePayload<CreateReconciliationRequest>(createReconciliationSchema, findSubjectViolations);

interface CreateDeps {
  suppliers: SupplierDirectory;
  database: Database;
  gateway: TemporalGateway;
  log: Log;
}

/** `POST reconciliations/`: starts a comparison of what stands with what was accepted. One of the same that runs is answered instead. */
export const createReconciliation = (deps: CreateDeps): Route => ({
  method: 'POST',
  path: '/v1/data-import/reconciliations',
  access: 'supplier',
  openApi: createReconciliationOpenApi,
  bodyLimitBytes: 4_096,
  handle: (request) => start(deps, request, request.caller),
});

/** The same for operators, of any import supplier. */
export const createReconciliationForOperator = (deps: CreateDeps): Route => ({
  method: 'POST',
  path: '/v1/operations/reconciliations',
  access: 'operator',
  action: 'reconciliation.start',
  openApi: createReconciliationForOperatorOpenApi,
  bodyLimitBytes: 4_096,
  handle: (request) => start(deps, request, undefined),
});

async function start(
  deps: CreateDeps,
  request: AuthenticatedRequest,
  viewer: ReconciliationViewer | undefined,
): Promise<Reply | Refused> {
  const supplier = await findSupplierInScope(deps.suppliers, request, 'import_supplier');
  const { data, violations } = await check.ofRequest(request, undefined, readingOptionsOf(supplier));
  if (violations.length > 0) return refuse('validation_failed', { violations });
  const id = await startFor(deps, request.caller, data, viewer);
  return isRefused(id) ? id : { status: 201, body: { reconciliation_id: id, status: 'RUNNING' } };
}

/**
 * Starts one of any import supplier or job, as an operator asked by a form.
 * @returns the id of the one that runs now
 */
export async function startReconciliationAsOperator(
  deps: Omit<CreateDeps, 'suppliers'>,
  actor: Actor,
  body: unknown,
): Promise<string | Refused> {
  const { data, violations } = check(body);
  return violations.length > 0 ? refuse('validation_failed', { violations }) : startFor(deps, actor, data, undefined);
}

async function startFor(
  deps: Omit<CreateDeps, 'suppliers'>,
  actor: Actor,
  data: CreateReconciliationRequest,
  viewer: ReconciliationViewer | undefined,
): Promise<string | Refused> {
  const subject = await findSubject(deps.database, data, viewer);
  if ('violation' in subject) return refuse('validation_failed', { violations: [subject.violation] });
  const wanted = { id: uuidv7(), ...subject, organisation: viewer?.organisation ?? null };
  const id = await deps.database.transaction(async (em) => {
    const running = await startReconciliation(em, wanted);
    if (running === wanted.id) {
      await recordAudit(em, actor, {
        action: 'reconciliation.started',
        subject: `reconciliations/${wanted.id}`,
        after: { import_supplier: subject.importSupplier, job_id: subject.importJobId },
      });
    }
    return running;
  });
  await startReconciliationRun(deps, { id, importSupplier: subject.importSupplier });
  return id;
}

/** One of the two is named, and not both. */
function findSubjectViolations({ import_supplier: supplier, job_id: job }: Record<string, unknown>): Violation[] {
  const isNamed = (value: unknown) => value !== undefined && value !== '';
  if (isNamed(supplier) !== isNamed(job)) return [];
  return isNamed(job)
    ? [violation('invalid', ['job_id'], 'Send import_supplier or job_id, not both.')]
    : [violation('required', ['import_supplier'], 'Send import_supplier or job_id.')];
}

type Subject = { importSupplier: string; importJobId: string | null } | { violation: Violation };

async function findSubject(
  database: Database,
  { import_supplier: supplier, job_id: job }: CreateReconciliationRequest,
  viewer: ReconciliationViewer | undefined,
): Promise<Subject> {
  if (supplier) {
    const isSeen = viewer === undefined || viewer.importSuppliers.has(supplier);
    const found = isSeen && !supplier.includes('\0') ? await findSupplierByCode(database.em(), supplier) : undefined;
    return found
      ? { importSupplier: supplier, importJobId: null }
      : {
          violation: violation(
            'invalid_choice',
            ['import_supplier'],
            'There is no import supplier of this code for your key.',
          ),
        };
  }
  const found = isUuid(job ?? '') ? await findJobToReconcile(database, job!, viewer) : undefined;
  if (found?.canBeCompared) return { importSupplier: found.importSupplier, importJobId: found.id };
  const detail = found
    ? 'Only a job that has created accounts, and whose results are still kept, can be compared; name its import supplier instead.'
    : 'There is no import job of this id that your key may see.';
  return { violation: violation('invalid_choice', ['job_id'], detail) };
}
