import type { EntityManager } from '@mikro-orm/postgresql';
import { Type } from 'typebox';
import { type Actor, recordAudit } from '../access/index.ts';
import { findMeasuredRate } from '../import-jobs/index.ts';
import type { Reply, Route } from '../platform/http/route.ts';
import { forOperators, type RouteOpenApi } from '../platform/http/route-openapi.ts';
import { compilePayload } from '../platform/validation/compile-payload.ts';
import { signalWork } from '../platform/work-items/work-item.store.ts';
import { isRefused, refuse, type Refused } from '../vocabulary/refusals.ts';
import { violation, type Violation } from '../vocabulary/violations.ts';
import { markApproved } from './approval.store.ts';
import { readingOptions } from './change-members.route.ts';
import {
  changedPlan,
  findPlanViolations,
  planDifferences,
  planTooShort,
  statusForbids,
  takesPlan,
} from './wave.rules.ts';
import type { SteerDeps } from './steer-wave.store.ts';
import { findApproval } from './wave-facts.store.ts';
import type { WaveRecord } from './wave.entity.ts';
import { changedWave, type ChangePlanRequest, changePlanSchema, wavePath } from './wave.schema.ts';
import {
  changeWave,
  countWave,
  findWaveOfRequest,
  lockWave,
  type WaveChange,
  type WaveViewer,
  waveWorkItem,
} from './wave.store.ts';

const checkPlan = compilePayload<ChangePlanRequest>(changePlanSchema, ({ plan, options }): Violation[] =>
  plan === undefined && options === undefined
    ? [violation('required', ['plan'], 'Send the members of plan or options that change.')]
    : [],
);

const BODY_BYTES_MAX = 16_384;

const openApi: RouteOpenApi = {
  operationId: 'changeWavePlan',
  tag: 'Waves',
  summary: 'Change the plan of a wave',
  description:
    'Its dates, expected number, pace, canary and stop rules, until the creation begins. Absent members stay, and null removes a value. An approval ends, because it names the plan: a scheduled creation that was approved has to be approved and requested again.',
  page: 'docs/suppliers/waves.md#plan',
  path: wavePath,
  request: changePlanSchema,
  rules: { plan: ['required'], 'plan.create_until': ['invalid'], 'plan.supply_start_to': ['invalid'] },
  requestExamples: {
    later: {
      plan: { create_from: '2026-12-13T22:00:00+01:00', create_until: '2026-12-14T06:00:00+01:00' },
      options: { max_per_second: null },
      reason: 'A night later, without a limit.',
    },
  },
  replies: {
    200: {
      description: 'The plan is changed.',
      schema: Type.Object(
        {
          ...changedWave.properties,
          changed: Type.Array(Type.String(), {
            description: 'The members that differ from before.',
            examples: [['plan.create_until']],
          }),
          approval_ended: Type.Boolean({
            description: 'Whether the creation has to be approved again.',
            examples: [false],
          }),
        },
        { title: 'ChangedPlan' },
      ),
    },
  },
  refusals: ['wave_not_found', 'wave_status_forbids', 'wave_plan_too_short'],
};

/** A request to change a plan, by the API or by a form of the support site. */
interface PlanOrder {
  params: Readonly<Record<string, string>>;
  body: unknown;
  caller: Actor;
}

/** `PATCH waves/<id>/`, for suppliers and for operators. */
export function changePlanRoutes(deps: SteerDeps): { supplier: Route; operator: Route } {
  const shared = { method: 'PATCH', bodyLimitBytes: BODY_BYTES_MAX } as const;
  return {
    supplier: {
      ...shared,
      path: '/v1/data-import/waves/:wave',
      access: 'supplier',
      openApi,
      handle: (request) => changePlan(deps, request, request.caller),
    },
    operator: {
      ...shared,
      path: '/v1/operations/waves/:wave',
      access: 'operator',
      action: 'wave.steer',
      openApi: forOperators(openApi, { page: 'docs/operators/waves.md#changing-the-plan' }),
      handle: (request) => changePlan(deps, request, undefined),
    },
  };
}

/**
 * Changes the plan of the wave in a path, records it in the audit, and wakes its run.
 * @param viewer undefined for operators
 * @param planRevision the revision that the person has seen; another one is refused
 */
export async function changePlan(
  { database, runs }: SteerDeps,
  order: PlanOrder,
  viewer: WaveViewer | undefined,
  planRevision?: number,
): Promise<Reply | Refused> {
  const found = await findWaveOfRequest(database, order, viewer);
  const { data, violations, truncated } = checkPlan(order.body, undefined, await readingOptions(database, found));
  if (violations.length > 0) return refuse('validation_failed', { violations, truncated });
  if (isRefused(found)) return found;
  const outcome = await database.transaction(async (em) => {
    const wave = (await lockWave(em, found.id, viewer))!;
    if (planRevision !== undefined && wave.planRevision !== planRevision) {
      return refuse('wave_changed', { detail: 'The plan was changed meanwhile. Check it, and change it again.' });
    }
    return changeLocked(em, wave, data, order.caller);
  });
  if (isRefused(outcome)) return outcome;
  const { wave, changed, hasEndedApproval } = outcome;
  void runs.start([waveWorkItem(wave)]);
  const { id, status, pausedBecause } = wave;
  const body = { wave_id: id, status, paused_because: pausedBecause, changed, approval_ended: hasEndedApproval };
  return { status: 200, body };
}

interface PlanOutcome {
  wave: WaveRecord;
  changed: string[];
  hasEndedApproval: boolean;
}

async function changeLocked(
  em: EntityManager,
  wave: WaveRecord,
  sent: ChangePlanRequest,
  caller: Actor,
): Promise<PlanOutcome | Refused> {
  const counts = await countWave(em, wave.id);
  if (!takesPlan(wave, counts.pending)) return statusForbids(wave.status, 'get another plan');
  const plan = changedPlan(wave, sent);
  const violations = findPlanViolations(plan);
  if (violations.length > 0) return refuse('validation_failed', { violations });
  const { before, after } = planDifferences(wave, plan);
  const changed = Object.keys(after);
  if (changed.length === 0) return { wave, changed, hasEndedApproval: false };
  const approval = await findApproval(em, wave.id);
  const hasEndedApproval = approval?.planRevision === wave.planRevision && approval.decision !== 'declined';
  if (hasEndedApproval) await markApproved(em, wave.id, false);
  const isRequested = wave.status === 'SCHEDULED' || wave.status === 'PAUSED';
  if (isRequested && !hasEndedApproval) {
    const refused = planTooShort(plan, counts.pending, await findMeasuredRate(em, wave.importSupplier), new Date());
    if (refused) return refused;
  }
  const prepared: WaveChange = isRequested && hasEndedApproval ? { status: 'PREPARING', pausedBecause: null } : {};
  const stored = await changeWave(em, wave, { ...plan, ...prepared, planRevision: wave.planRevision + 1 });
  await recordAudit(em, caller, {
    action: 'wave.plan_changed',
    subject: `waves/${wave.id}`,
    before: { status: wave.status, ...before },
    after: { status: stored.status, ...after },
    reason: sent.reason,
  });
  await countWave(em, wave.id);
  await signalWork(em, [waveWorkItem(stored)]);
  return { wave: stored, changed, hasEndedApproval };
}
