import { switchTransitions, type MarketOutcome, type SwitchStatus } from '../vocabulary/switch-statuses.ts';

/** An event of a switch: a message of the network operator (`outcome`), or a status set by hand (`status`). */
export interface SwitchEvent {
  messageId: string;
  /** Undefined for all points of the account. */
  supplyPoint: string | undefined;
  outcome: MarketOutcome | undefined;
  status: SwitchStatus | undefined;
  /** Time of the event by the network operator's clock, in milliseconds. Events are ordered by it. */
  occurredAt: number;
  /** Time of arrival, in milliseconds. */
  receivedAt: number;
}

/** The effect of one event on one point. */
interface Step {
  messageId: string;
  before: SwitchStatus;
  /** Undefined if the event is not possible in this status. */
  after: SwitchStatus | undefined;
}

/** A point after all its events. */
export interface PointState {
  status: SwitchStatus;
  steps: Step[];
}

/** The effect of one event over all its points. */
export interface Effect {
  kind: 'moved' | 'changed-nothing' | 'fits-nothing' | 'unknown-point';
  /** For operators: why it is unmatched. */
  detail?: string;
}

/** A stored event with its effect so far. */
export interface StoredSwitchEvent extends SwitchEvent {
  effect: string;
}

/** A change of the status of a point, with the event that caused it. */
interface PointChange {
  pointPosition: number;
  before: SwitchStatus;
  after: SwitchStatus;
  messageId: string;
}

/** The results of the new events of an account. */
export interface AppliedEvents {
  /** The changed points. */
  points: { position: number; status: SwitchStatus; round: number }[];
  /** In the order in which the events arrived. */
  changes: PointChange[];
  /** The changed effects. */
  effects: { messageId: string; effect: Effect }[];
  /** The status of the account. */
  status: SwitchStatus;
}

/** Order of events with equal times: a switch is accepted before it ends. */
const RANK: Record<MarketOutcome, number> = { ACCEPTED: 0, REJECTED: 1, COMPLETED: 1 };

/** Sorts events by the time they happened, then by rank, then by arrival. */
export function sortByOccurrence(events: readonly SwitchEvent[]): SwitchEvent[] {
  const rank = ({ outcome }: SwitchEvent) => (outcome === undefined ? 2 : RANK[outcome]);
  return events.toSorted(
    (one, other) =>
      one.occurredAt - other.occurredAt ||
      rank(one) - rank(other) ||
      one.receivedAt - other.receivedAt ||
      (one.messageId < other.messageId ? -1 : 1),
  );
}

/**
 * Computes the state of a point from all its events, ordered by the time they happened. The order of arrival does not matter: a late
 * message may make an earlier unmatched message fit.
 * @param events sorted by `sortByOccurrence`
 */
export function stateOfPoint(identifier: string, events: readonly SwitchEvent[]): PointState {
  let status: SwitchStatus = 'PENDING';
  const steps: Step[] = [];
  for (const event of events) {
    if (event.supplyPoint !== undefined && event.supplyPoint !== identifier) continue;
    const after: SwitchStatus | undefined =
      event.outcome === undefined ? event.status : switchTransitions[status][event.outcome];
    steps.push({ messageId: event.messageId, before: status, after });
    status = after ?? status;
  }
  return { status, steps };
}

/** The effect of one event, given the states of all points of the account. */
export function effectOf(event: SwitchEvent, points: readonly PointState[]): Effect {
  const steps = points.flatMap((point) => point.steps.filter(({ messageId }) => messageId === event.messageId));
  if (steps.length === 0) return { kind: 'unknown-point', detail: 'The account has no such supply point.' };
  if (steps.some(({ before, after }) => after !== undefined && after !== before)) return { kind: 'moved' };
  if (steps.some(({ after }) => after !== undefined)) return { kind: 'changed-nothing' };
  const from = [...new Set(steps.map(({ before }) => before))].sort().join(' or ');
  return { kind: 'fits-nothing', detail: `${event.outcome} does not follow ${from}.` };
}

/** The status of an account from its points. */
export function statusOfAccount(points: readonly SwitchStatus[]): SwitchStatus {
  const has = (status: SwitchStatus) => points.includes(status);
  if (points.every((status) => status === 'PENDING')) return 'PENDING';
  if (has('IN_PROGRESS') || (has('COMPLETED') && has('PENDING'))) return 'IN_PROGRESS';
  return has('REJECTED') ? 'REJECTED' : 'COMPLETED';
}

/** Effects of events that are not applied yet. */
const NOT_APPLIED = new Set(['waiting', 'unknown-account']);

/**
 * Computes the state of points and account from all events.
 * @returns undefined without new events
 */
export function applyNewEvents(
  points: readonly { position: number; identifier: string; status: SwitchStatus; round: number }[],
  events: readonly StoredSwitchEvent[],
): AppliedEvents | undefined {
  const isNew = ({ effect }: StoredSwitchEvent) => NOT_APPLIED.has(effect);
  if (!events.some(isNew)) return undefined;
  const inOrder = sortByOccurrence(events);
  const states = points.map(({ identifier }) => stateOfPoint(identifier, inOrder));
  // PENDING set by hand starts a new round: the switch is requested again.
  const restarts = new Set(events.filter(({ status }) => status === 'PENDING').map(({ messageId }) => messageId));
  const after = points.map(({ position }, index) => ({
    position,
    status: states[index]!.status,
    round: 1 + states[index]!.steps.filter(({ messageId }) => restarts.has(messageId)).length,
  }));
  return {
    points: after.filter(({ status, round }, index) => {
      const before = points[index]!;
      return status !== before.status || round !== before.round;
    }),
    changes: changesOf(
      points,
      events.filter((event) => !isNew(event)),
      events.filter(isNew),
    ),
    effects: events.flatMap((event) => {
      const effect = effectOf(event, states);
      return effect.kind === event.effect ? [] : [{ messageId: event.messageId, effect }];
    }),
    status: statusOfAccount(after.map(({ status }) => status)),
  };
}

/** Applies new events one by one in the order of arrival, so that the history contains the cause of each change. */
function changesOf(
  points: readonly { position: number; identifier: string; status: SwitchStatus }[],
  applied: readonly SwitchEvent[],
  arrived: readonly SwitchEvent[],
): PointChange[] {
  const known = [...applied];
  const statuses = points.map(({ status }) => status);
  const changes: PointChange[] = [];
  for (const event of arrived.toSorted((one, other) => one.receivedAt - other.receivedAt)) {
    known.push(event);
    const inOrder = sortByOccurrence(known);
    for (const [index, { identifier, position }] of points.entries()) {
      const before = statuses[index]!;
      const { status: after } = stateOfPoint(identifier, inOrder);
      if (after !== before) changes.push({ pointPosition: position, before, after, messageId: event.messageId });
      statuses[index] = after;
    }
  }
  return changes;
}

/** The facts about a point that decide the next step. */
export interface PointToSwitch {
  status: SwitchStatus;
  /** Whether the network operator has answered the request of this round. */
  isAnswered: boolean;
  /** Whether another account also has it: the switch is not requested until an operator has decided. */
  isHeld: boolean;
  /** Time until its request is due; negative if it is overdue. */
  dueInMs: number;
}

/** The next step of an account. The kinds are recorded in histories and must not change. */
export type NextStep =
  /** Requests are due. */
  | { kind: 'send' }
  /** Wait for messages; `forMs` until the next request is due, if there is one. */
  | { kind: 'wait'; forMs: number | undefined }
  /** Nothing is in progress, and the first request is due in `forMs`. */
  | { kind: 'rest'; forMs: number }
  /** Nothing is left to do until a new event. */
  | { kind: 'settled' };

/**
 * Decides the next step.
 * @param mayRequest false if the service requests no switches (option `industry_switch: false`)
 */
export function nextStep(points: readonly PointToSwitch[], mayRequest: boolean): NextStep {
  const toRequest = mayRequest
    ? points.filter(({ status, isAnswered, isHeld }) => status === 'PENDING' && !isAnswered && !isHeld)
    : [];
  const soonest = Math.min(...toRequest.map(({ dueInMs }) => dueInMs));
  if (soonest <= 0) return { kind: 'send' };
  const isUnderWay = points.some(
    ({ status, isAnswered }) => status === 'IN_PROGRESS' || (status === 'PENDING' && isAnswered),
  );
  if (isUnderWay) return { kind: 'wait', forMs: toRequest.length > 0 ? soonest : undefined };
  return toRequest.length > 0 ? { kind: 'rest', forMs: soonest } : { kind: 'settled' };
}
