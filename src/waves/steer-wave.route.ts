import { Type } from 'typebox';
import type { Reply, Route } from '../platform/http/route.ts';
import { forOperators, type RouteOpenApi } from '../platform/http/route-openapi.ts';
import { compileOperatorBody } from '../platform/validation/compile-payload.ts';
import { answeredText, requiredChoice } from '../platform/validation/field-types.schema.ts';
import { gateNames } from '../vocabulary/waves.ts';
import { isRefused, type RefusalCode, type Refused } from '../vocabulary/refusals.ts';
import { changedWave, wavePath, waveReasonSchema } from './wave.schema.ts';
import { steerWave, type SteerDeps, type WaveOrder, type WaveVerb } from './steer-wave.store.ts';

interface DocumentedVerb {
  operationId: string;
  summary: string;
  description: string;
  refusals?: readonly RefusalCode[];
  /** Whether the body has a reason. */
  hasReason?: true;
}

const documented: Record<WaveVerb, DocumentedVerb> = {
  rehearse: {
    operationId: 'rehearseWave',
    summary: 'Rehearse a wave',
    description:
      'Starts a job that creates every account of the wave and rolls it back. The gate `rehearsed` then shows the result.',
    refusals: ['wave_gate_not_passed', 'throttled'],
  },
  create: {
    operationId: 'createWave',
    summary: 'Create the accounts of a wave',
    description:
      'At once, or from `create_from` of its plan. Needs the gates complete, valid and rehearsed, and approved if the wave or the supplier requires it.',
    refusals: ['wave_gate_not_passed', 'wave_plan_too_short'],
  },
  pause: {
    operationId: 'pauseWave',
    summary: 'Pause the creation of a wave',
    description: 'Accounts in progress are completed first, within seconds.',
  },
  resume: {
    operationId: 'resumeWave',
    summary: 'Resume the creation of a wave',
    description: 'Also continues after a canary or too many failures, which accepts the results so far.',
  },
  cancel: {
    operationId: 'cancelWave',
    summary: 'Cancel a wave',
    description: 'Created accounts stay; the others belong to no wave any more.',
  },
  'sign-off': {
    operationId: 'signWaveOff',
    summary: 'Sign a wave off',
    description: 'Needs the gates created, attached and reconciled. The wave can no longer be changed.',
    refusals: ['wave_gate_not_passed'],
    hasReason: true,
  },
  'request-approval': {
    operationId: 'requestWaveApproval',
    summary: 'Ask for approval of a wave',
    description:
      'The approval is bound to the present revisions of all accounts and to the rehearsal. A second person decides.',
    refusals: ['wave_gate_not_passed'],
    hasReason: true,
  },
  'request-withdrawal-approval': {
    operationId: 'requestWaveWithdrawalApproval',
    summary: 'Ask for approval of the withdrawal of a wave',
    description: 'Needed if the creation of the wave was approved. A second person decides.',
    hasReason: true,
  },
  approve: {
    operationId: 'approveWave',
    summary: 'Approve a wave',
    description:
      'By another person than the one who asked, with a key that has the right `approve`, or on the support site.',
    refusals: ['second_person_required', 'wave_changed'],
    hasReason: true,
  },
  decline: {
    operationId: 'declineWave',
    summary: 'Decline a wave',
    description: 'By another person than the one who asked.',
    refusals: ['second_person_required'],
    hasReason: true,
  },
};

/** The members that name the gate. */
const openGate = Type.Object({
  gate: requiredChoice(gateNames, { examples: ['rehearsed'] }),
  link: answeredText({ description: 'Where to see it, below `/v1/data-import/`.' }),
});

function openApiOf(verb: WaveVerb): RouteOpenApi {
  const { refusals = [], hasReason, ...described } = documented[verb];
  return {
    ...described,
    tag: 'Waves',
    page: 'docs/suppliers/waves.md',
    path: wavePath,
    ...(hasReason
      ? { request: waveReasonSchema, requestExamples: { reason: { reason: 'Rehearsed without failures.' } } }
      : {}),
    replies: { 200: { description: 'The wave after the change.', schema: changedWave } },
    refusals: ['wave_not_found', 'wave_status_forbids', ...refusals],
    ...(refusals.includes('wave_gate_not_passed') ? { refusalMembers: { wave_gate_not_passed: openGate } } : {}),
  };
}

/** Suppliers may steer their waves; approval and sign-off are for operators. */
const SUPPLIER_VERBS: readonly WaveVerb[] = ['rehearse', 'create', 'pause', 'resume', 'cancel'];

/** `POST waves/<id>/rehearse/`, `create/`, `pause/`, `resume/` and `cancel/` for suppliers. Repeating them has no further effect. */
export const steerWaveRoutes = (deps: SteerDeps): Route[] =>
  SUPPLIER_VERBS.map((verb) => ({
    method: 'POST',
    path: `/v1/data-import/waves/:wave/${verb}`,
    access: 'supplier',
    openApi: openApiOf(verb),
    handle: ({ params, caller }) => steerWave(deps, verb, { params, caller, reason: undefined }, caller),
  }));

const checkReason = compileOperatorBody<{ reason: string }>(waveReasonSchema);
const checkOptionalReason = compileOperatorBody<{ reason?: string }>(Type.Partial(waveReasonSchema));

/** Whether a change of a wave has to be explained. */
export function needsReason(verb: WaveVerb): boolean {
  return documented[verb].hasReason === true;
}

/** Changes a wave as an operator. @param order its `body` is the reason, which only some changes need */
export async function steerWaveAsOperator(
  deps: SteerDeps,
  verb: WaveVerb,
  { body, params, caller }: { body: unknown } & Pick<WaveOrder, 'params' | 'caller'>,
): Promise<Reply | Refused> {
  const sent = needsReason(verb) ? checkReason(body) : checkOptionalReason(body);
  return isRefused(sent) ? sent : steerWave(deps, verb, { params, caller, reason: sent.reason }, undefined);
}

/** The same for operators, with approval and sign-off. Changes that have to be explained take a reason. */
export const steerWaveAsOperatorRoutes = (deps: SteerDeps): Route[] =>
  (Object.keys(documented) as WaveVerb[]).map((verb): Route => {
    const hasReason = needsReason(verb);
    return {
      method: 'POST',
      path: `/v1/operations/waves/:wave/${verb}`,
      access: 'operator',
      action: verb === 'approve' || verb === 'decline' ? 'wave.approve' : 'wave.steer',
      openApi: forOperators(openApiOf(verb), { page: 'docs/operators/waves.md' }),
      ...(hasReason ? { bodyLimitBytes: 16_384 } : {}),
      handle: ({ body, params, caller }) =>
        steerWaveAsOperator(deps, verb, { body: hasReason ? body : {}, params, caller }),
    };
  });
