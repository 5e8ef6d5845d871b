import type { EntityManager } from '@mikro-orm/postgresql';
import { Type } from 'typebox';
import { v7 as uuidv7 } from 'uuid';
import { type Actor, findKeyOfSupplier, operationsTeams, recordAudit } from '../../access/index.ts';
import type { WritableDatabase } from '../../platform/database/database.ts';
import type { Queryable } from '../../platform/database/prepared-query.ts';
import type { AuthenticatedRequest, Caller, Reply, Route, Viewer } from '../../platform/http/route.ts';
import type { RouteOpenApi } from '../../platform/http/route-openapi.ts';
import { compilePayload } from '../../platform/validation/compile-payload.ts';
import { oneOf } from '../../platform/validation/field-types.schema.ts';
import { findSupplierInScope, readingOptionsOf, type SupplierDirectory } from '../../suppliers/index.ts';
import { findJoinableWave } from '../../account-import/index.ts';
import { membersIn, textOf } from '../../vocabulary/loose-payload.ts';
import { isRefused, refuse, type Refused } from '../../vocabulary/refusals.ts';
import { violation } from '../../vocabulary/violations.ts';
import { findJobViolations } from './create-import-job.rules.ts';
import { createImportJobSchema, jobId, type CreateImportJobRequest } from '../import-job.schema.ts';
import { insertJob } from '../import-job.store.ts';
import { MANIFEST_BYTES_MAX } from '../manifest/manifest-state.rules.ts';
import { storeManifest } from '../manifest/manifest.store.ts';

const check = compilePayload<CreateImportJobRequest, KeyAsOwner>(createImportJobSchema, findJobViolations);

const openApi: RouteOpenApi = {
  operationId: 'createImportJob',
  tag: 'Import jobs',
  summary: 'Open an import job',
  description:
    'A job imports records of one kind, one per line; a line is the body of the single request of its kind. Upload parts until the job is started; it expires if it is not started within seven days.',
  page: 'docs/suppliers/import-jobs.md',
  request: createImportJobSchema,
  rules: {
    import_supplier: ['invalid_choice'],
    goal: ['invalid_choice'],
    selection: ['invalid_choice'],
    operations_team_name: ['required', 'operations_team_name_does_not_exist'],
    wave_id: ['invalid_choice'],
    'options.stop_after_failures': ['required'],
    'options.window.to': ['invalid'],
    manifest: ['invalid'],
    'manifest.import_supplier': ['invalid_choice'],
    'manifest.kinds': ['required'],
  },
  requestExamples: {
    accounts: {
      import_supplier: 'SUPPLIER_FR',
      kind: 'accounts',
      goal: 'CREATE',
      name: 'Migration of November',
      operations_team_name: 'Migration',
      options: { canary: 100, stop_after_failures: { percent: 5 }, window: { from: '20:00', to: '06:00' } },
    },
    notes: { import_supplier: 'SUPPLIER_FR', kind: 'notes', goal: 'IMPORT' },
  },
  replies: {
    201: {
      description: 'The job is open.',
      schema: Type.Object({ job_id: jobId(), status: oneOf(['OPEN']) }, { title: 'OpenedImportJob' }),
    },
  },
};

/** `POST import-jobs/`: opens a job for uploads. */
export const createImportJob = (deps: OpenJobDeps): Route => ({
  method: 'POST',
  path: '/v1/data-import/import-jobs',
  access: 'supplier',
  openApi,
  bodyLimitBytes: MANIFEST_BYTES_MAX,
  handle: (request) => checkAndOpen(deps, request, request.caller),
});

/**
 * Opens a job for a person of the support site. It belongs to the organization of the oldest valid key that may import for the supplier, and
 * is paused if this key is revoked, like a job that the key has started.
 * @param order `body` as in the API; `viewer` undefined for operators
 */
export async function openJobForPerson(
  deps: OpenJobDeps,
  { actor, ...order }: { actor: Actor; viewer: Viewer | undefined; body: unknown },
): Promise<Reply | Refused> {
  const request = await requestOfPerson(deps.database, order);
  return isRefused(request) ? request : checkAndOpen(deps, request, actor);
}

/**
 * Makes the request of a person that of the key which owns what they open: the oldest valid one that may import for the supplier in the body.
 * @param order `viewer` undefined for operators
 */
export async function requestOfPerson(
  on: Queryable,
  { viewer, body }: { viewer: Viewer | undefined; body: unknown },
): Promise<OwnersRequest | Refused> {
  const supplier = textOf(membersIn(body)['import_supplier']);
  const isVisible = viewer === undefined || viewer.importSuppliers.has(supplier);
  const owner = isVisible ? await findKeyOfSupplier(on, supplier, viewer?.organisation) : undefined;
  if (owner === undefined) {
    return refuse('validation_failed', {
      detail: 'No valid API key may import for this import supplier. Create one first.',
    });
  }
  const caller = { ...owner, importSuppliers: new Set([supplier]) };
  return { body, isLarge: false, yieldToEventLoop: () => Promise.resolve(), caller };
}

interface OpenJobDeps {
  database: WritableDatabase;
  suppliers: SupplierDirectory;
}

/** The key that a job or wave belongs to. */
export type KeyAsOwner = Pick<Caller, 'keyId' | 'organisation' | 'importSuppliers'>;

/** A request to open a job or wave, of a key or of a person. */
export type OwnersRequest = Pick<AuthenticatedRequest, 'body' | 'isLarge' | 'yieldToEventLoop'> & {
  caller: KeyAsOwner;
};

async function checkAndOpen(deps: OpenJobDeps, request: OwnersRequest, actor: Actor): Promise<Reply | Refused> {
  const { caller } = request;
  const supplier = await findSupplierInScope(deps.suppliers, request, 'import_supplier');
  const { data, violations, truncated } = await check.ofRequest(request, caller, readingOptionsOf(supplier));
  if (violations.length > 0) return refuse('validation_failed', { violations, truncated });
  const id = uuidv7();
  const refused = await deps.database.transaction(async (em) => {
    const failed = await openJob(em, id, data, caller, actor);
    if (failed === undefined && data.manifest !== undefined) {
      await storeManifest(em, { importJobId: id }, data.manifest, membersIn(request.body)['manifest']);
    }
    return failed;
  });
  return isRefused(refused) ? refused : { status: 201, body: { job_id: id, status: 'OPEN' } };
}

async function openJob(
  em: EntityManager,
  id: string,
  data: CreateImportJobRequest,
  owner: KeyAsOwner,
  actor: Actor,
): Promise<Refused | undefined> {
  const team = data.operations_team_name || null;
  if (team !== null && (await operationsTeams.one(em, team)) === undefined) {
    return refuse('validation_failed', {
      violations: [violation('operations_team_name_does_not_exist', ['operations_team_name'])],
    });
  }
  const waveId = data.wave_id || null;
  if (waveId !== null && !(await findJoinableWave(em, waveId, data.import_supplier))) {
    return refuse('validation_failed', {
      violations: [violation('invalid_choice', ['wave_id'], 'This import supplier has no open wave with this id.')],
    });
  }
  const refused = await insertJob(em, {
    id,
    importSupplier: data.import_supplier,
    organisation: owner.organisation,
    apiKeyId: owner.keyId,
    kind: data.kind,
    goal: data.goal,
    selection: data.selection || 'uploaded',
    waveId,
    name: data.name || null,
    operationsTeam: team,
    options: data.options ?? {},
  });
  if (refused) return refused;
  await recordAudit(em, actor, {
    action: 'import_job.opened',
    subject: `import-jobs/${id}`,
    after: { import_supplier: data.import_supplier, kind: data.kind, goal: data.goal },
  });
  return undefined;
}
