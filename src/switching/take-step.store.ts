import type { EntityManager } from '@mikro-orm/postgresql';
import { switchRetrySeconds, switchUnreachableSeconds, workflowIds } from '../../temporal.config.ts';
import { completeWork, endStep, lockWork } from '../platform/work-items/work-item.store.ts';
import {
  lockAccountByNumber,
  moveAccount,
  movePoint,
  noteChange,
  noteEffect,
  readPoints,
  readEvents,
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

export interface StepContext {
  leadDays: number;
  /** False: no address of the industry switch is set, so nothing can be asked. */
  canAsk: boolean;
}

/** What has not been looked at yet. */
const NOT_APPLIED = new Set(['waiting', 'unknown-account']);

/**
 * Applies all that has come in for an account and decides what its run does next, in one transaction. Run twice it
 * changes nothing the second time: the state follows from the events, which were all counted.
 *
 * The work item is locked first. Whoever signals it does so in the transaction that stores what came in, so that is either
 * seen here or brings the item back after it was completed. A step that comes after a later one leaves the item alone: nobody
 * learns what it decides, so the signal must stay.
 * @param scheduledAtMs when this attempt of the step was scheduled
 */
export async function takeStep(
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
  const next = nextStep(points, account.isAskedFor);
  // Nothing can be asked now; the row stays for the day on which an address is set.
  return next.kind === 'send' && !context.canAsk ? { kind: 'rest', forMs: 0 } : next;
}

/** Notes that the budget of a run is spent: it is listed as stuck, and begun anew after a day or by hand. */
export async function noteUnreachable(em: EntityManager, accountNumber: string, scheduledAtMs: number): Promise<void> {
  const workflowId = workflowIds.switchSupplier(accountNumber);
  await endStep(em, { workflowId, scheduledAtMs, seconds: switchUnreachableSeconds, state: 'unreachable' });
}

/** Notes that the network operator has been silent for too long: it is listed as stuck until the next step of the run. */
export async function noteSilence(em: EntityManager, accountNumber: string, scheduledAtMs: number): Promise<void> {
  const workflowId = workflowIds.switchSupplier(accountNumber);
  await endStep(em, { workflowId, scheduledAtMs, seconds: switchRetrySeconds, state: 'silent' });
}

/**
 * Brings points and account to the state that follows from all that was said, and notes each change in the order in
 * which it came to be known here.
 * @returns the points after it
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
  // One after the other, so that the history names for each change what made it.
  for (const one of events
    .filter(({ effect }) => NOT_APPLIED.has(effect))
    .toSorted((a, b) => a.receivedAt - b.receivedAt)) {
    known.push(one);
    const inOrder = sortByOccurrence(known);
    for (const [index, point] of points.entries()) {
      const { status } = stateOfPoint(point.identifier, inOrder);
      const before = statuses[index]!;
      if (status !== before) await noteChange(em, account.id, point.position, before, status, one.messageId);
      statuses[index] = status;
    }
  }
  const inOrder = sortByOccurrence(events);
  const states = points.map(({ identifier }) => stateOfPoint(identifier, inOrder));
  const byId = new Map(events.map((one) => [one.messageId, one]));
  let hasNewRound = false;
  for (const [index, point] of points.entries()) {
    const { status, steps } = states[index]!;
    // PENDING set by hand begins a new round: the network operator is asked again.
    const round = 1 + steps.filter(({ messageId }) => byId.get(messageId)?.status === 'PENDING').length;
    hasNewRound ||= round !== point.round;
    if (status !== point.status || round !== point.round) {
      await movePoint(em, account.id, point.position, status, round);
    }
  }
  for (const one of events) {
    const { kind, detail } = effectOf(one, states);
    if (kind !== one.effect) await noteEffect(em, one.messageId, kind, detail);
  }
  const status = statusOfAccount(states.map((state) => state.status));
  if (status !== account.status) await moveAccount(em, account, status);
  return hasNewRound
    ? readPoints(em, account.id, leadDays)
    : points.map((point, index) => ({ ...point, status: states[index]!.status }));
}
