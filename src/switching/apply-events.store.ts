import { raw, type EntityManager } from '@mikro-orm/postgresql';
import { switchRetrySeconds, switchUnreachableSeconds, workflowIds } from '../../temporal.config.ts';
import { AccountSupplyPoint } from '../accounts/index.ts';
import { completeWork, endStep, lockWork } from '../platform/work-items/work-item.store.ts';
import {
  lockAccountByNumber,
  moveAccount,
  readPoints,
  readEvents,
  recordChanges,
  type PointChange,
  type SwitchedAccount,
  type SwitchedPoint,
} from './switch-account.store.ts';
import {
  sortByOccurrence,
  effectOf,
  nextStep,
  stateOfPoint,
  statusOfAccount,
  type NextStep,
  type SwitchEvent,
} from './switch-state.rules.ts';
import { MarketMessage } from './switch.entity.ts';

export interface StepContext {
  leadDays: number;
  /** False if no address of the industry switch is set. */
  canRequest: boolean;
}

/** Effects of events that are not applied yet. */
const NOT_APPLIED = new Set(['waiting', 'unknown-account']);

/**
 * Applies the new events of an account and decides the next step of its run, in one transaction. Idempotent, because the state follows from
 * the events.
 *
 * Locks the work item first. The transaction that stores a message also signals the work item: either this step sees the message, or the
 * signal restores the item after its completion. If a later attempt has run already, this one does not change the item, because its
 * decision is discarded and the signal must remain.
 * @param scheduledAtMs when this attempt of the step was scheduled
 */
export async function advanceSwitch(
  em: EntityManager,
  accountNumber: string,
  context: StepContext,
  scheduledAtMs: number,
): Promise<NextStep> {
  const workflowId = workflowIds.switchSupplier(accountNumber);
  const work = await lockWork(em, workflowId, scheduledAtMs);
  const next = await decide(em, accountNumber, context);
  if (work === undefined || work.isLate) return next;
  if (next.kind === 'settled') await completeWork(em, [workflowId]);
  else {
    const seconds = next.kind === 'rest' ? next.forMs / 1_000 : switchRetrySeconds;
    await endStep(em, { workflowId, scheduledAtMs, seconds, state: null });
  }
  return next;
}

async function decide(em: EntityManager, accountNumber: string, context: StepContext): Promise<NextStep> {
  const account = await lockAccountByNumber(em, accountNumber);
  if (account === undefined) return { kind: 'settled' };
  const points = await applyEvents(em, account, context.leadDays);
  const next = nextStep(points, account.isRequested);
  // No request can be sent; the work item remains until an address is set.
  return next.kind === 'send' && !context.canRequest ? { kind: 'rest', forMs: 0 } : next;
}

/**
 * Records that a run waits for an operator: it is listed as stuck. `unreachable`: the budget of the run is exhausted; it is restarted after a
 * day or by an operator. `silent`: the network operator has not answered in time; it is listed until its next step.
 */
export async function recordStuck(
  em: EntityManager,
  accountNumber: string,
  scheduledAtMs: number,
  state: 'unreachable' | 'silent',
): Promise<void> {
  const workflowId = workflowIds.switchSupplier(accountNumber);
  const seconds = state === 'silent' ? switchRetrySeconds : switchUnreachableSeconds;
  await endStep(em, { workflowId, scheduledAtMs, seconds, state });
}

/**
 * Computes the state of points and account from all events and stores it. Records each change, in the order in which the events arrived.
 * @returns the changed points
 */
export async function applyEvents(
  em: EntityManager,
  account: SwitchedAccount,
  leadDays: number,
): Promise<SwitchedPoint[]> {
  const points = await readPoints(em, account.id, leadDays);
  const events = await readEvents(em, account);
  if (!events.some(({ effect }) => NOT_APPLIED.has(effect))) return points;
  const known: SwitchEvent[] = events.filter(({ effect }) => !NOT_APPLIED.has(effect));
  const statuses = points.map(({ status }) => status);
  const changes: PointChange[] = [];
  // One by one, so that the history contains the cause of each change.
  for (const event of events
    .filter(({ effect }) => NOT_APPLIED.has(effect))
    .toSorted((a, b) => a.receivedAt - b.receivedAt)) {
    known.push(event);
    const inOrder = sortByOccurrence(known);
    for (const [index, point] of points.entries()) {
      const { status } = stateOfPoint(point.identifier, inOrder);
      const before = statuses[index]!;
      if (status !== before) {
        changes.push({ pointPosition: point.position, before, after: status, messageId: event.messageId });
      }
      statuses[index] = status;
    }
  }
  await recordChanges(em, account.id, changes);
  const inOrder = sortByOccurrence(events);
  const states = points.map(({ identifier }) => stateOfPoint(identifier, inOrder));
  const byId = new Map(events.map((event) => [event.messageId, event]));
  let hasNewRound = false;
  for (const [index, point] of points.entries()) {
    const { status, steps } = states[index]!;
    // PENDING set by hand starts a new round: the switch is requested again.
    const round = 1 + steps.filter(({ messageId }) => byId.get(messageId)?.status === 'PENDING').length;
    hasNewRound ||= round !== point.round;
    if (status !== point.status || round !== point.round) {
      const key = { accountId: account.id, position: point.position };
      await em.nativeUpdate(AccountSupplyPoint, key, { switchStatus: status, switchRound: round });
    }
  }
  for (const event of events) {
    const { messageId } = event;
    const { kind, detail = null } = effectOf(event, states);
    if (kind === event.effect) continue;
    const effect = { effect: kind, effectDetail: detail, effectAt: raw('clock_timestamp()') };
    await em.nativeUpdate(MarketMessage, { messageId }, effect);
  }
  const status = statusOfAccount(states.map((state) => state.status));
  if (status !== account.status) await moveAccount(em, account, status);
  return hasNewRound
    ? readPoints(em, account.id, leadDays)
    : points.map((point, index) => ({ ...point, status: states[index]!.status }));
}
