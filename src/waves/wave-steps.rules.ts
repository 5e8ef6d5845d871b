import type { GateName } from '../vocabulary/waves.ts';
import type { PauseReason } from '../vocabulary/import-jobs.ts';
import { firstOpen, gatesOf, isOver, type WaveFacts } from './gate.rules.ts';
import { takesAccounts, takesPlan } from './wave.rules.ts';

/** The gates that a step needs. */
export const neededGates = {
  rehearse: ['complete'],
  'request-approval': ['complete', 'valid', 'rehearsed'],
  create: ['complete', 'valid', 'rehearsed', 'approved'],
  'sign-off': ['complete', 'valid', 'created', 'attached', 'reconciled'],
} as const satisfies Record<string, readonly GateName[]>;

/**
 * What a person can do with a wave. `exclude` is for faulty records; accounts can be excluded by number while they can be moved. `withdraw`
 * leads to a preview, which says whether an approval is missing.
 */
export type WaveStep =
  | keyof typeof neededGates
  | 'approve'
  | 'decline'
  | 'pause'
  | 'resume'
  | 'cancel'
  | 'exclude'
  | 'move'
  | 'change-plan'
  | 'accept-differences'
  | 'request-withdrawal-approval'
  | 'withdraw';

/** Pauses of a job that a person ends; the others end automatically. */
const ENDED_BY_PEOPLE: ReadonlySet<PauseReason | null> = new Set([
  'asked',
  'canary',
  'too_many_failures',
  'key_revoked',
]);

/**
 * Lists the steps that the state of a wave allows, for people who may take them.
 * @param asked whether members or the plan changed since approval of the creation was requested, and the request for approval of the withdrawal
 */
export function possibleSteps(
  facts: WaveFacts,
  {
    isChanged,
    withdrawal = 'none',
  }: { isChanged: boolean; withdrawal?: 'none' | 'requested' | 'approved' | 'declined' },
): ReadonlySet<WaveStep> {
  const { status, counts, jobs, approval } = facts;
  const gates = gatesOf(facts);
  const isReadyFor = (step: keyof typeof neededGates) => firstOpen(gates, neededGates[step]) === undefined;
  const mayPrepare = (status === 'PREPARING' || status === 'CREATED') && counts.pending > 0;
  const rehearsal = jobs.find(({ id }) => id === facts.rehearsalJobId);
  const isRehearsing = rehearsal !== undefined && !isOver(rehearsal.status);
  const hasFailedRehearsal = rehearsal !== undefined && rehearsal.failed > 0 && counts.notRehearsed > 0;
  const isRequested = approval.state === 'requested';
  const isWithdrawalRequested = withdrawal === 'requested';
  const creation = jobs.find(({ id }) => id === facts.creationJobId);
  const isHeld = creation?.status === 'PAUSED' && ENDED_BY_PEOPLE.has(creation.pausedBecause);
  const isCreating = status === 'SCHEDULED' || status === 'CREATING';
  const isWithdrawable = (status === 'CREATED' || status === 'CANCELLED') && counts.created > 0;
  const faulty = counts.invalidLines + counts.rejected + counts.skipped + counts.quarantined + counts.failedAttachments;
  const possible: Record<WaveStep, boolean> = {
    rehearse: mayPrepare && !isRehearsing && isReadyFor('rehearse'),
    'request-approval':
      mayPrepare && approval.state !== 'approved' && !(isRequested && !isChanged) && isReadyFor('request-approval'),
    approve: isRequested ? !isChanged : isWithdrawalRequested,
    decline: isRequested || isWithdrawalRequested,
    'request-withdrawal-approval':
      isWithdrawable &&
      (approval.state === 'approved' || approval.state === 'expired') &&
      (withdrawal === 'none' || withdrawal === 'declined'),
    create: mayPrepare && isReadyFor('create'),
    pause: isCreating && !isHeld,
    resume: status === 'PAUSED' || (status === 'CREATING' && isHeld),
    cancel: isCreating || status === 'PREPARING' || status === 'PAUSED',
    exclude: takesAccounts(status) && !isRehearsing && (faulty > 0 || hasFailedRehearsal),
    move: takesAccounts(status),
    'change-plan': takesPlan(facts, counts.pending),
    withdraw: isWithdrawable,
    'accept-differences':
      facts.manifest !== undefined && facts.manifest.before.length + facts.manifest.attached.length > 0,
    'sign-off': status === 'CREATED' && isReadyFor('sign-off'),
  };
  return new Set((Object.keys(possible) as WaveStep[]).filter((step) => possible[step]));
}
