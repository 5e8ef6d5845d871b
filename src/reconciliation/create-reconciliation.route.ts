import { Type } from 'typebox';
import { v7 as uuidv7 } from 'uuid';
import { type Actor, recordAudit } from '../access/index.ts';
import type { Database } from '../platform/database/database.ts';
import { kyselyOf } from '../platform/database/prepared-query.ts';
import type { AuthenticatedRequest, Reply, Route } from '../platform/http/route.ts';
import { forOperators, type RouteOpenApi } from '../platform/http/route-openapi.ts';
import type { WorkRuns } from '../platform/temporal/start-run.ts';
import { compilePayload } from '../platform/validation/compile-payload.ts';
import { oneOf } from '../platform/validation/field-types.schema.ts';
import type { ReconciledTables } from './reconciliation.entity.ts';
import { type ReconciliationViewer, reconciliationWorkItem, startReconciliation } from './reconciliation.store.ts';
import {
  type CreateReconciliationRequest,
  createReconciliationSchema,
  reconciliationId,
} from './reconciliation.schema.ts';
import {
  type SupplierDirectory,
  findSupplierByCode,
  findSupplierInScope,
  readingOptionsOf,
} from '../suppliers/index.ts';
import { type Refused, isRefused, refuse } from '../vocabulary/refusals.ts';
import { type Violation, violation } from '../vocabulary/violations.ts';
import { isUuid } from '../vocabulary/wire-forms.ts';

const check = compilePayload<CreateReconciliationRequest>(createReconciliationSchema, findSubjectViolations);

interface CreateDeps {
  suppliers: SupplierDirectory;
  database: Database;
  runs: WorkRuns;
}

const openApi: RouteOpenApi = {
  operationId: 'createReconciliation',
  tag: 'Reconciliations',
  summary: 'Compare stored with accepted data',
  description:
    'Compares every created account of an import supplier, or of one import job, field by field with the payload it was created from, and its transactions with the accepted ones.',
  page: 'docs/suppliers/reconciliation.md',
  request: createReconciliationSchema,
  rules: { import_supplier: ['required', 'invalid_choice'], job_id: ['invalid', 'invalid_choice'] },
  requestExamples: { supplier: { import_supplier: 'SUPPLIER_FR' } },
  replies: {
    201: {
      description: 'It is running. If one with the same subject is already running, the response names that one.',
      schema: Type.Object(
        { reconciliation_id: reconciliationId(), status: oneOf(['RUNNING']) },
        { title: 'StartedReconciliation' },
      ),
    },
  },
};

/** `POST reconciliations/`: starts a comparison of stored with accepted data, or returns the running one with the same subject. */
export const createReconciliation = (deps: CreateDeps): Route => ({
  method: 'POST',
  path: '/v1/data-import/reconciliations',
  access: 'supplier',
  openApi,
  bodyLimitBytes: 4_096,
  handle: (request) => start(deps, request, request.caller),
});

/** The same for operators, of any import supplier. */
export const createReconciliationForOperator = (deps: CreateDeps): Route => ({
  method: 'POST',
  path: '/v1/operations/reconciliations',
  access: 'operator',
  action: 'reconciliation.start',
  openApi: forOperators(openApi, {
    summary: 'Compare stored with accepted data of any import supplier',
    description: '',
    page: 'docs/suppliers/reconciliation.md#for-operators',
  }),
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
 * Starts a reconciliation of any import supplier or job, from a form of the support site.
 * @returns the id of the running reconciliation
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
  await deps.runs.start([reconciliationWorkItem({ id, importSupplier: subject.importSupplier })]);
  return id;
}

/** Requires either the import supplier or the job. */
function findSubjectViolations({ import_supplier: supplier, job_id: job }: Record<string, unknown>): Violation[] {
  const isNamed = (value: unknown) => value !== undefined && value !== '';
  if (isNamed(supplier) !== isNamed(job)) return [];
  return isNamed(job)
    ? [violation('invalid', ['job_id'], 'Send import_supplier or job_id, not both.')]
    : [violation('required', ['import_supplier'], 'Send import_supplier or job_id.')];
}

type Subject = { importSupplier: string; importJobId: string | null } | { violation: Violation };

/** Finds the import supplier or job to compare. With `viewer`, only one that the viewer may see. */
async function findSubject(
  database: Database,
  { import_supplier: supplier, job_id: jobId = '' }: CreateReconciliationRequest,
  viewer: ReconciliationViewer | undefined,
): Promise<Subject> {
  const isVisible = (code: string) => viewer === undefined || viewer.importSuppliers.has(code);
  if (supplier) {
    const isSent = isVisible(supplier) && !supplier.includes('\0');
    const found = isSent ? await findSupplierByCode(database.em(), supplier) : undefined;
    if (found) return { importSupplier: supplier, importJobId: null };
    const detail = 'Your API key has no import supplier with this code.';
    return { violation: violation('invalid_choice', ['import_supplier'], detail) };
  }
  const job = isUuid(jobId)
    ? await kyselyOf<ReconciledTables>(database)
        .selectFrom('import_job')
        .select(['import_supplier', 'kind', 'goal', 'started_at', 'results_deleted_at'])
        .where('id', '=', jobId)
        .$if(viewer?.organisation !== undefined, (all) => all.where('organisation', '=', viewer!.organisation!))
        .executeTakeFirst()
    : undefined;
  if (job === undefined || !isVisible(job.import_supplier)) {
    return { violation: violation('invalid_choice', ['job_id'], 'Your API key has no import job with this id.') };
  }
  const hasResults = job.started_at !== null && job.results_deleted_at === null;
  if (job.kind === 'accounts' && job.goal === 'CREATE' && hasResults) {
    return { importSupplier: job.import_supplier, importJobId: jobId };
  }
  const detail =
    'Only a job that has created accounts and still has its results can be compared. Send its import supplier instead.';
  return { violation: violation('invalid_choice', ['job_id'], detail) };
}
