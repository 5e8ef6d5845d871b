import { Type } from 'typebox';
import { v7 as uuidv7 } from 'uuid';
import { type Actor, operationsTeams, recordAudit } from '../access/index.ts';
import { type KeyAsOwner, type OwnersRequest, requestOfPerson } from '../import-jobs/index.ts';
import type { WritableDatabase } from '../platform/database/database.ts';
import type { AuthenticatedRequest, Reply, Route, Viewer } from '../platform/http/route.ts';
import type { WorkRuns } from '../platform/temporal/start-run.ts';
import { compilePayload } from '../platform/validation/compile-payload.ts';
import { oneOf } from '../platform/validation/field-types.schema.ts';
import { enqueueWork } from '../platform/work-items/work-item.store.ts';
import { findSupplierInScope, readingOptionsOf, type SupplierDirectory } from '../suppliers/index.ts';
import { isRefused, refuse, type Refused } from '../vocabulary/refusals.ts';
import { violation } from '../vocabulary/violations.ts';
import { Wave, type WaveRecord } from './wave.entity.ts';
import { findWaveViolations } from './wave.rules.ts';
import { type CreateWaveRequest, createWaveSchema, waveId } from './wave.schema.ts';
import { waveWorkItem } from './wave.store.ts';

const check = compilePayload<CreateWaveRequest, KeyAsOwner>(createWaveSchema, findWaveViolations);

interface OpenDeps {
  database: WritableDatabase;
  suppliers: SupplierDirectory;
  runs: WorkRuns;
}

/** `POST waves/`: opens a wave. */
export const openWave = (deps: OpenDeps): Route => ({
  method: 'POST',
  path: '/v1/data-import/waves',
  access: 'supplier',
  openApi: {
    operationId: 'openWave',
    tag: 'Waves',
    summary: 'Open a wave',
    description:
      'A wave is a set of accounts that are rehearsed, approved, created and signed off together. Its members are the accounts that jobs with its `wave_id` stage, and those added by number.',
    page: 'docs/suppliers/waves.md',
    request: createWaveSchema,
    rules: {
      import_supplier: ['invalid_choice'],
      name: ['invalid'],
      operations_team_name: ['operations_team_name_does_not_exist'],
      'plan.create_until': ['invalid'],
      'plan.supply_start_to': ['invalid'],
      'options.stop_after_failures': ['required'],
    },
    requestExamples: {
      night: {
        import_supplier: 'SUPPLIER_FR',
        name: 'Brittany 3',
        operations_team_name: 'Migration',
        plan: {
          create_from: '2026-12-12T22:00:00+01:00',
          create_until: '2026-12-13T06:00:00+01:00',
          supply_start_from: '2027-01-01',
          supply_start_to: '2027-01-01',
        },
        options: { canary: 100, stop_after_failures: { percent: 1 } },
      },
    },
    replies: {
      201: {
        description: 'The wave is open.',
        schema: Type.Object({ wave_id: waveId(), status: oneOf(['PREPARING']) }, { title: 'OpenedWave' }),
      },
    },
  },
  bodyLimitBytes: 16_384,
  handle: (request) => checkAndOpen(deps, request, request.caller),
});

/**
 * Opens a wave for a person of the support site. It belongs to the organization of the oldest valid key that may import for the supplier,
 * like a job that a person opens.
 * @param order `body` as in the API; `viewer` undefined for operators
 */
export async function openWaveForPerson(
  deps: OpenDeps,
  { actor, ...order }: { actor: Actor; viewer: Viewer | undefined; body: unknown },
): Promise<Reply | Refused> {
  const request = await requestOfPerson(deps.database, order);
  return isRefused(request) ? request : checkAndOpen(deps, request, actor);
}

type OpenRequest = OwnersRequest & Pick<AuthenticatedRequest, 'onceId'>;

async function checkAndOpen(deps: OpenDeps, request: OpenRequest, actor: Actor): Promise<Reply | Refused> {
  const { caller, onceId } = request;
  const supplier = await findSupplierInScope(deps.suppliers, request, 'import_supplier');
  const { data, violations } = await check.ofRequest(request, caller, readingOptionsOf(supplier));
  if (violations.length > 0) return refuse('validation_failed', { violations });
  const opened = await insertWave(deps.database, onceId ?? uuidv7(), data, caller, actor);
  if (isRefused(opened)) return opened;
  void deps.runs.start([waveWorkItem(opened)]);
  return { status: 201, body: { wave_id: opened.id, status: 'PREPARING' } };
}

async function insertWave(
  database: WritableDatabase,
  id: string,
  data: CreateWaveRequest,
  owner: KeyAsOwner,
  actor: Actor,
): Promise<Pick<WaveRecord, 'id' | 'importSupplier'> | Refused> {
  const { plan = {}, import_supplier: importSupplier, name, operations_team_name: team } = data;
  return database.transaction(async (em) => {
    if ((await operationsTeams.one(em, team)) === undefined) {
      return refuse('validation_failed', {
        violations: [violation('operations_team_name_does_not_exist', ['operations_team_name'])],
      });
    }
    const known = await em.findOne(Wave, { importSupplier, name });
    if (known !== null && known.id !== id) {
      const detail = `The import supplier has a wave with this name: ${known.id}. Choose another name.`;
      return refuse('validation_failed', { violations: [violation('invalid', ['name'], detail)] });
    }
    if (known !== null) return known;
    await em.insert(Wave, {
      id,
      importSupplier,
      organisation: owner.organisation,
      apiKeyId: owner.keyId,
      name,
      operationsTeam: team,
      createFrom: instantOf(plan.create_from),
      createUntil: instantOf(plan.create_until),
      supplyStartFrom: plan.supply_start_from || null,
      supplyStartTo: plan.supply_start_to || null,
      expectedAccounts: plan.expected_accounts ?? null,
      options: data.options ?? {},
      status: 'PREPARING',
    });
    await enqueueWork(em, [waveWorkItem({ id, importSupplier })]);
    await recordAudit(em, actor, {
      action: 'wave.opened',
      subject: `waves/${id}`,
      after: { import_supplier: importSupplier, name, plan, options: data.options ?? {} },
    });
    return { id, importSupplier };
  });
}

function instantOf(sent: string | undefined): Date | null {
  return sent ? new Date(sent) : null;
}
