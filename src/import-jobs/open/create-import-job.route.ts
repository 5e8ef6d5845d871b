import type { EntityManager } from '@mikro-orm/postgresql';
import { Type } from 'typebox';
import { v7 as uuidv7 } from 'uuid';
import { operationsTeams, recordAudit } from '../../access/index.ts';
import type { WritableDatabase } from '../../platform/database/database.ts';
import type { Caller, Route } from '../../platform/http/route.ts';
import type { RouteOpenApi } from '../../platform/http/route-openapi.ts';
import { compilePayload } from '../../platform/validation/compile-payload.ts';
import { oneOf } from '../../platform/validation/field-types.schema.ts';
import { findSupplierInScope, readingOptionsOf, type SupplierDirectory } from '../../suppliers/index.ts';
import { findJoinableWave } from '../../account-import/index.ts';
import { membersIn } from '../../vocabulary/loose-payload.ts';
import { isRefused, refuse, type Refused } from '../../vocabulary/refusals.ts';
import { violation } from '../../vocabulary/violations.ts';
import { findJobViolations } from './create-import-job.rules.ts';
import { createImportJobSchema, jobId, type CreateImportJobRequest } from '../import-job.schema.ts';
import { insertJob } from '../import-job.store.ts';
import { MANIFEST_BYTES_MAX } from '../manifest/manifest-state.rules.ts';
import { storeManifest } from '../manifest/manifest.store.ts';

const check = compilePayload<CreateImportJobRequest, Caller>(createImportJobSchema, findJobViolations);

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
export const createImportJob = (deps: { database: WritableDatabase; suppliers: SupplierDirectory }): Route => ({
  method: 'POST',
  path: '/v1/data-import/import-jobs',
  access: 'supplier',
  openApi,
  bodyLimitBytes: MANIFEST_BYTES_MAX,
  handle: async (request) => {
    const { caller } = request;
    const supplier = await findSupplierInScope(deps.suppliers, request, 'import_supplier');
    const { data, violations, truncated } = await check.ofRequest(request, caller, readingOptionsOf(supplier));
    if (violations.length > 0) return refuse('validation_failed', { violations, truncated });
    const id = uuidv7();
    const refused = await deps.database.transaction(async (em) => {
      const failed = await openJob(em, id, data, caller);
      if (failed === undefined && data.manifest !== undefined) {
        await storeManifest(em, { importJobId: id }, data.manifest, membersIn(request.body)['manifest']);
      }
      return failed;
    });
    return isRefused(refused) ? refused : { status: 201, body: { job_id: id, status: 'OPEN' } };
  },
});

async function openJob(
  em: EntityManager,
  id: string,
  data: CreateImportJobRequest,
  caller: Caller,
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
    organisation: caller.organisation,
    apiKeyId: caller.keyId,
    kind: data.kind,
    goal: data.goal,
    selection: data.selection || 'uploaded',
    waveId,
    name: data.name || null,
    operationsTeam: team,
    options: data.options ?? {},
  });
  if (refused) return refused;
  await recordAudit(em, caller, {
    action: 'import_job.opened',
    subject: `import-jobs/${id}`,
    after: { import_supplier: data.import_supplier, kind: data.kind, goal: data.goal },
  });
  return undefined;
}
