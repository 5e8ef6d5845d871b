import { switchTransitions, type MarketOutcome, type SwitchStatus } from '../vocabulary/switch-statuses.ts';

/** An event of a switch: told by the network operator (`outcome`), or set by hand (`status`). */
export interface SwitchEvent {
  messageId: string;
  /** Undefined: it is meant for all points of the account. */
  supplyPoint: string | undefined;
  outcome: MarketOutcome | undefined;
  status: SwitchStatus | undefined;
  /** The network operator's clock, in milliseconds; what happened first comes first, whenever it came in. */
  occurredAt: number;
  /** In the order in which it came in. */
  receivedAt: number;
}

/** What one event did to one point. */
interface Step {
  messageId: string;
  before: SwitchStatus;
  /** Undefined: it does not fit there. */
  after: SwitchStatus | undefined;
}

/** A point after all its events. */
export interface PointState {
  status: SwitchStatus;
  steps: Step[];
}

/** What became of one event, over all points that it is meant for. */
export interface Effect {
  kind: 'moved' | 'changed-nothing' | 'fits-nothing' | 'unknown-point';
  /** For operators: why it fits nothing. */
  detail?: string;
}

/** Equal instants: a switch is accepted before it ends. */
const RANK: Record<MarketOutcome, number> = { ACCEPTED: 0, REJECTED: 1, COMPLETED: 1 };

/** Orders things as they happened. Instants of equal value are told apart by what they can mean, then by their arrival. */
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
 * The state of a point from all its events, in the order in which it happened. So it does not matter in
 * which order messages come in: what comes late takes its place, and what did not fit before may fit then.
 * @param events sorted by `sortByOccurrence`
 */
export function stateOfPoint(identifier: string, events: readonly SwitchEvent[]): PointState {
  let status: SwitchStatus = 'PENDING';
  const steps: Step[] = [];
  for (const one of events) {
    if (one.supplyPoint !== undefined && one.supplyPoint !== identifier) continue;
    const after: SwitchStatus | undefined =
      one.outcome === undefined ? one.status : switchTransitions[status][one.outcome];
    steps.push({ messageId: one.messageId, before: status, after });
    status = after ?? status;
  }
  return { status, steps };
}

/** What one event did, given the states of all points of the account. */
export function effectOf(events: SwitchEvent, points: readonly PointState[]): Effect {
  const steps = points.flatMap((point) => point.steps.filter(({ messageId }) => messageId === events.messageId));
  if (steps.length === 0) return { kind: 'unknown-point', detail: 'The account has no such supply point.' };
  if (steps.some(({ before, after }) => after !== undefined && after !== before)) return { kind: 'moved' };
  if (steps.some(({ after }) => after !== undefined)) return { kind: 'changed-nothing' };
  const from = [...new Set(steps.map(({ before }) => before))].sort().join(' or ');
  return { kind: 'fits-nothing', detail: `${events.outcome} does not follow ${from}.` };
}

/** The status of an account from its points; the first that fits. */
export function statusOfAccount(points: readonly SwitchStatus[]): SwitchStatus {
  const has = (status: SwitchStatus) => points.includes(status);
  if (points.every((status) => status === 'PENDING')) return 'PENDING';
  if (has('IN_PROGRESS') || (has('COMPLETED') && has('PENDING'))) return 'IN_PROGRESS';
  return has('REJECTED') ? 'REJECTED' : 'COMPLETED';
}

/** What the run of an account knows of a point when it decides what comes next. */
export interface PointToSwitch {
  status: SwitchStatus;
  /** The network operator has answered the request of this round. */
  isAnswered: boolean;
  /** It stands on another account too: the network operator is not asked before an operator has decided. */
  isHeld: boolean;
  /** Time until its request is due; negative when it is due. */
  dueInMs: number;
}

/** What the run of an account does next. */
export type NextStep =
  /** Requests are due. */
  | { kind: 'send' }
  /** Messages are awaited; a request is due after `forMs`, if there is one to come. */
  | { kind: 'wait'; forMs: number | undefined }
  /** Nothing is under way, and the first request is due in `forMs`: the run ends, and the dispatcher starts one then. */
  | { kind: 'rest'; forMs: number }
  /** Nothing is left to do, unless somebody says so; recorded in histories, so its name stays. */
  | { kind: 'settled' };

/**
 * Decides what comes next.
 * @param mayAsk false: the network operator is not asked by us (option `industry_switch: false`, or no address is set)
 */
export function nextStep(points: readonly PointToSwitch[], mayAsk: boolean): NextStep {
  const toAsk = mayAsk
    ? points.filter(({ status, isAnswered, isHeld }) => status === 'PENDING' && !isAnswered && !isHeld)
    : [];
  const soonest = Math.min(...toAsk.map(({ dueInMs }) => dueInMs));
  if (soonest <= 0) return { kind: 'send' };
  const isUnderWay = points.some(
    ({ status, isAnswered }) => status === 'IN_PROGRESS' || (status === 'PENDING' && isAnswered),
  );
  if (isUnderWay) return { kind: 'wait', forMs: toAsk.length > 0 ? soonest : undefined };
  return toAsk.length > 0 ? { kind: 'rest', forMs: soonest } : { kind: 'settled' };
}
