import type { EntityManager } from '@mikro-orm/postgresql';
import { v7 as uuidv7 } from 'uuid';
import { operationsTeams, recordAudit } from '../../access/index.ts';
import type { WritableDatabase } from '../../platform/database/database.ts';
import type { Caller, Route } from '../../platform/http/route.ts';
import { compilePayload } from '../../platform/validation/compile-payload.ts';
import { findSupplierInScope, readingOptionsOf, type SupplierDirectory } from '../../suppliers/index.ts';
import { isRefused, refuse, type Refused } from '../../vocabulary/refusals.ts';
import { violation } from '../../vocabulary/violations.ts';
import { findJobViolations } from './create-import-job.rules.ts';
import { createImportJobOpenApi } from '../import-jobs.openapi.ts';
import { createImportJobSchema, type CreateImportJobRequest } from '../import-job.schema.ts';
import { insertJob } from '../import-job.store.ts';

const check = compilePayload<CreateImportJobRequest, Caller>(createImportJobSchema, findJobViolations);

/** `POST import-jobs/`: opens a job for uploads. */
export const createImportJob = (deps: { database: WritableDatabase; suppliers: SupplierDirectory }): Route => ({
  method: 'POST',
  path: '/v1/data-import/import-jobs',
  access: 'supplier',
  openApi: createImportJobOpenApi,
  bodyLimitBytes: 16_384,
  handle: async (request) => {
    const { caller } = request;
    const supplier = await findSupplierInScope(deps.suppliers, request, 'import_supplier');
    const { data, violations, truncated } = await check.ofRequest(request, caller, readingOptionsOf(supplier));
    if (violations.length > 0) return refuse('validation_failed', { violations, truncated });
    const jobId = uuidv7();
    const refused = await deps.database.transaction((em) => openJob(em, jobId, data, caller));
    return isRefused(refused) ? refused : { status: 201, body: { job_id: jobId, status: 'OPEN' } };
  },
});

async function openJob(
  em: EntityManager,
  jobId: string,
  data: CreateImportJobRequest,
  caller: Caller,
): Promise<Refused | undefined> {
  const team = data.operations_team_name || null;
  if (team !== null && (await operationsTeams.one(em, team)) === undefined) {
    return refuse('validation_failed', {
      violations: [violation('operations_team_name_does_not_exist', ['operations_team_name'])],
    });
  }
  const refused = await insertJob(em, {
    id: jobId,
    importSupplier: data.import_supplier,
    organisation: caller.organisation,
    apiKeyId: caller.keyId,
    kind: data.kind,
    goal: data.goal,
    selection: data.selection || 'uploaded',
    name: data.name || null,
    operationsTeam: team,
    options: data.options ?? {},
  });
  if (refused) return refused;
  await recordAudit(em, caller, {
    action: 'import_job.opened',
    subject: `import-jobs/${jobId}`,
    after: { import_supplier: data.import_supplier, kind: data.kind, goal: data.goal },
  });
  return undefined;
}
