import type { WritableDatabase } from '../../platform/database/database.ts';
import type { Caller, Route } from '../../platform/http/route.ts';
import type { WorkRuns } from '../../platform/temporal/start-run.ts';
import { compilePayload } from '../../platform/validation/compile-payload.ts';
import { readingOptionsOf, type SupplierDirectory } from '../../suppliers/index.ts';
import { membersIn } from '../../vocabulary/loose-payload.ts';
import { isRefused, refuse } from '../../vocabulary/refusals.ts';
import { warningsOf } from '../../vocabulary/warnings.ts';
import { acceptBatch, openBatchQuotas, runsOf } from './populate.store.ts';
import { findPopulateViolations, wantedOf } from './population-batch.rules.ts';
import { type Static, Type } from 'typebox';
import type { RouteOpenApi } from '../../platform/http/route-openapi.ts';
import { warningsMember } from '../../platform/validation/warning.schema.ts';
import { batchId } from '../supply-points.openapi.ts';
import { choice, key, openable } from '../../platform/validation/field-types.schema.ts';
import { customerCategories } from '../../vocabulary/value-sets.ts';

/** Identifiers of one request, both lists together. */
const IDENTIFIERS_MAX = 100_000;

const identifiers = () => Type.Optional(Type.Array(key(64), { maxItems: IDENTIFIERS_MAX }));

/** Body of operation 14. */
export const populateSchema = Type.Object({
  prm_ids: identifiers(),
  pce_ids: identifiers(),
  customer_category: Type.Optional(openable('customer_category', choice(customerCategories))),
  customer_authorisation: Type.Optional(Type.Boolean()),
  import_supplier: Type.Optional(key(32)),
});

type PopulateRequest = Static<typeof populateSchema>;

/** Operation 14. */
const populateOpenApi: RouteOpenApi = {
  operationId: 'populateSupplyPoints',
  tag: 'Supply points',
  summary: 'Look up supply points at the network operators',
  description:
    'Responds as soon as the batch is stored. An identifier in several batches is looked up once; one that was looked up recently is completed immediately. An identifier in both lists is a warning in the status. `customer_authorisation` declares to Enedis SGE that the customers have authorized the lookups; if omitted, the option of your organization applies, which is false unless operators set it. The batch belongs to `import_supplier`, or to all import suppliers of the key.',
  request: populateSchema,
  rules: {
    import_supplier: ['invalid_choice'],
    '': ['empty', 'max_length', 'max_depth'],
    'prm_ids.*': ['invalid_prm'],
    'pce_ids.*': ['invalid_pce'],
  },
  requestExamples: {
    'electricity and gas': {
      prm_ids: ['25014987360042', '25014987360059'],
      pce_ids: ['03628810476215', 'GI153881'],
      customer_category: 'Domestic',
    },
    'with authorisation': { prm_ids: ['25014987360042'], customer_authorisation: true, import_supplier: 'SUPPLIER_FR' },
  },
  replies: {
    201: {
      description: 'The batch is stored and will be processed.',
      schema: Type.Object(
        { batch_id: batchId(), warnings: Type.Optional(warningsMember) },
        { title: 'PopulationBatchId' },
      ),
    },
  },
  refusals: ['permission_denied'],
};

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
