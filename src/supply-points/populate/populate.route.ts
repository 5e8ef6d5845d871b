import type { WritableDatabase } from '../../platform/database/database.ts';
import type { Caller, Route } from '../../platform/http/route.ts';
import type { WorkRuns } from '../../platform/temporal/start-run.ts';
import { compilePayload } from '../../platform/validation/compile-payload.ts';
import { readingOptionsOf, type SupplierDirectory } from '../../suppliers/index.ts';
import { membersIn } from '../../vocabulary/loose-payload.ts';
import { isRefused, refuse } from '../../vocabulary/refusals.ts';
import { warningsOf } from '../../vocabulary/warnings.ts';
import { acceptBatch, openBatchQuotas, runsOf } from './populate.store.ts';
import { findPopulateViolations, wantedOf } from './populate.rules.ts';
import { populateOpenApi, type PopulateRequest, populateSchema } from './populate.openapi.ts';

const check = compilePayload<PopulateRequest, Caller>(populateSchema, findPopulateViolations);

interface PopulateDeps {
  database: WritableDatabase;
  suppliers: SupplierDirectory;
  runs: WorkRuns;
  bodyLimitBytes: number;
  knownDays: number;
}

/** Operation 14: stores a batch of identifiers. The lookups are done later. */
export const populate = (deps: PopulateDeps): Route => ({
  method: 'POST',
  path: '/v1/data-import/supply-point/populate',
  access: 'supplier',
  openApi: populateOpenApi,
  bodyLimitBytes: deps.bodyLimitBytes,
  handle: async (request) => {
    const { caller } = request;
    if (caller.importSuppliers.size === 0) {
      return refuse('permission_denied', {
        detail: 'Your API key has no import supplier, to which a batch must belong. Use a key with an import supplier.',
      });
    }
    const { data, violations, truncated, payloadWarnings } = await check.ofRequest(request, caller, {
      openValueSets: await setsOpenForAll(deps.suppliers, request),
    });
    if (violations.length > 0) return refuse('validation_failed', { violations, truncated });
    if (request.isLarge) await request.yieldToEventLoop();
    const importSuppliers = ownersOf(data, caller);
    const known = await deps.suppliers.all();
    const accepted = await acceptBatch(deps.database, {
      caller,
      importSuppliers,
      openBatchQuotas: openBatchQuotas(importSuppliers.flatMap((code) => known.get(code) ?? [])),
      customerCategory: data.customer_category || 'Domestic',
      customerAuthorisation: data.customer_authorisation,
      knownDays: deps.knownDays,
      ...wantedOf(data.prm_ids ?? [], data.pce_ids ?? []),
    });
    if (isRefused(accepted)) return accepted;
    const { batchId, networkOperators } = accepted;
    // Not awaited: the batch is stored, and the dispatcher starts runs that could not be started here.
    void deps.runs.start(runsOf({ networkOperators, batchIds: [batchId] }));
    return { status: 201, body: { batch_id: batchId, ...warningsOf(payloadWarnings) } };
  },
});

/** The import suppliers that a batch belongs to. */
function ownersOf(body: unknown, caller: Caller): string[] {
  const named = membersIn(body)['import_supplier'];
  return typeof named === 'string' && named.trim() !== '' ? [named.trim()] : [...caller.importSuppliers];
}

/** The value sets that are open for every import supplier of the batch. */
async function setsOpenForAll(
  suppliers: SupplierDirectory,
  { body, caller }: { body: unknown; caller: Caller },
): Promise<string[]> {
  const known = await suppliers.all();
  const owners = ownersOf(body, caller).map((code) => readingOptionsOf(known.get(code)).openValueSets);
  return (owners[0] ?? []).filter((set) => owners.every((sets) => sets.includes(set)));
}
