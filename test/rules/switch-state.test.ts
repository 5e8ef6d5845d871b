import { expect, test } from '@jest/globals';
import fc from '../support/random-seed.ts';
import {
  sortByOccurrence,
  effectOf,
  nextStep,
  stateOfPoint,
  statusOfAccount,
  type PointToSwitch,
  type SwitchEvent,
} from '../../src/switching/switch-state.rules.ts';
import {
  marketOutcomes,
  switchStatuses,
  switchTransitions,
  type MarketOutcome,
  type SwitchStatus,
} from '../../src/vocabulary/switch-statuses.ts';
import { membersOf } from '../../src/vocabulary/value-sets.ts';

const outcomes = membersOf(marketOutcomes);
const statuses = membersOf(switchStatuses);

/** A message of a minute; by default it arrives in that minute, too. */
function events(
  what: MarketOutcome | SwitchStatus,
  minute: number,
  more: Partial<SwitchEvent> & { byHand?: boolean } = {},
): SwitchEvent {
  const { byHand, ...rest } = more;
  const kind = byHand
    ? { outcome: undefined, status: what as SwitchStatus }
    : { outcome: what as MarketOutcome, status: undefined };
  return {
    messageId: `${what}@${minute}`,
    supplyPoint: undefined,
    ...kind,
    occurredAt: minute * 60_000,
    receivedAt: minute * 60_000,
    ...rest,
  };
}

const stateAfter = (...all: SwitchEvent[]) => stateOfPoint('P', sortByOccurrence(all)).status;
/** The messages that lead a point to a state. */
const WAY_TO: Record<SwitchStatus, SwitchEvent[]> = {
  PENDING: [],
  IN_PROGRESS: [events('ACCEPTED', 1)],
  REJECTED: [events('ACCEPTED', 1), events('REJECTED', 2)],
  COMPLETED: [events('ACCEPTED', 1), events('COMPLETED', 2)],
};

test.each<[SwitchStatus, MarketOutcome, SwitchStatus]>([
  ['PENDING', 'ACCEPTED', 'IN_PROGRESS'],
  ['PENDING', 'REJECTED', 'REJECTED'],
  ['IN_PROGRESS', 'REJECTED', 'REJECTED'],
  ['IN_PROGRESS', 'COMPLETED', 'COMPLETED'],
  ['REJECTED', 'ACCEPTED', 'IN_PROGRESS'],
])('%s moves by %s to %s', (from, outcome, to) => {
  const message = events(outcome, 9);
  expect(stateAfter(...WAY_TO[from], message)).toBe(to);
  expect(effectOf(message, [stateOfPoint('P', [...WAY_TO[from], message])])).toEqual({ kind: 'moved' });
});

test.each<[SwitchStatus, MarketOutcome]>([
  ['IN_PROGRESS', 'ACCEPTED'],
  ['REJECTED', 'REJECTED'],
  ['COMPLETED', 'COMPLETED'],
])('%s ignores a repeated %s', (from, outcome) => {
  const message = events(outcome, 9);
  expect(stateAfter(...WAY_TO[from], message)).toBe(from);
  expect(effectOf(message, [stateOfPoint('P', [...WAY_TO[from], message])])).toEqual({ kind: 'changed-nothing' });
});

const ILLEGAL: [SwitchStatus, MarketOutcome][] = [
  ['PENDING', 'COMPLETED'],
  ['REJECTED', 'COMPLETED'],
  ['COMPLETED', 'ACCEPTED'],
  ['COMPLETED', 'REJECTED'],
];
test.each(ILLEGAL)('%s rejects %s with the reason, and does not change', (from, outcome) => {
  const message = events(outcome, 9);
  expect(stateAfter(...WAY_TO[from], message)).toBe(from);
  expect(effectOf(message, [stateOfPoint('P', [...WAY_TO[from], message])])).toEqual({
    kind: 'fits-nothing',
    detail: `${outcome} does not follow ${from}.`,
  });
});

test('covers every pair of state and outcome', () => {
  const missing = statuses.flatMap((from) =>
    outcomes.filter((outcome) => switchTransitions[from][outcome] === undefined).map((outcome) => [from, outcome]),
  );
  expect(missing).toEqual(ILLEGAL);
});

test.each(statuses)('sets every state to %s by hand', (to) => {
  for (const from of statuses) expect(stateAfter(...WAY_TO[from], events(to, 9, { byHand: true }))).toBe(to);
});

// Each row is a sequence of events. Every pair of outcomes is listed, and arrives in both orders.
test.each<[MarketOutcome, MarketOutcome, SwitchStatus]>([
  ['ACCEPTED', 'ACCEPTED', 'IN_PROGRESS'],
  ['ACCEPTED', 'REJECTED', 'REJECTED'],
  ['ACCEPTED', 'COMPLETED', 'COMPLETED'],
  ['REJECTED', 'ACCEPTED', 'IN_PROGRESS'],
  ['REJECTED', 'REJECTED', 'REJECTED'],
  ['REJECTED', 'COMPLETED', 'REJECTED'],
  ['COMPLETED', 'ACCEPTED', 'IN_PROGRESS'],
  ['COMPLETED', 'REJECTED', 'REJECTED'],
  ['COMPLETED', 'COMPLETED', 'PENDING'],
])('%s then %s makes %s, in either order of arrival', (first, second, status) => {
  const [one, other] = [events(first, 1), events(second, 2)];
  expect(stateAfter(one, other)).toBe(status);
  expect(stateAfter({ ...other, receivedAt: 1 }, { ...one, receivedAt: 2 })).toBe(status);
});

test('accepts a switch before it ends if both have the same timestamp', () => {
  expect(stateAfter(events('COMPLETED', 1), events('ACCEPTED', 1))).toBe('COMPLETED');
  expect(stateAfter(events('ACCEPTED', 1), events('REJECTED', 1))).toBe('REJECTED');
});

test('gives each the same state and effect for any order and repetition of messages', () => {
  const message = fc.record({
    minute: fc.integer({ min: 0, max: 6 }),
    outcome: fc.constantFrom(...outcomes),
    point: fc.constantFrom('P', 'Q', undefined),
  });
  fc.assert(
    fc.property(fc.array(message, { maxLength: 8 }), fc.infiniteStream(fc.nat()), (drawn, random) => {
      const inOrder = drawn.map(({ minute, outcome, point }, index) =>
        events(outcome, minute, { supplyPoint: point, messageId: `m${index}` }),
      );
      const shuffled = inOrder
        .map((one) => ({ one, by: random.next().value as number }))
        .toSorted((a, b) => a.by - b.by)
        .map(({ one }) => one);
      const result = (all: SwitchEvent[]) => {
        const states = ['P', 'Q'].map((point) => stateOfPoint(point, sortByOccurrence(all)));
        return { statuses: states.map(({ status }) => status), effects: inOrder.map((one) => effectOf(one, states)) };
      };
      expect(result(shuffled)).toEqual(result(inOrder));
    }),
  );
});

test('applies a message for one point to that point only, and one for an unknown point to none', () => {
  const [own, strange] = [
    events('ACCEPTED', 1, { supplyPoint: 'P' }),
    events('ACCEPTED', 1, { supplyPoint: 'X', messageId: 'x' }),
  ];
  const states = ['P', 'Q'].map((point) => stateOfPoint(point, [own, strange]));
  expect(states.map(({ status }) => status)).toEqual(['IN_PROGRESS', 'PENDING']);
  expect(effectOf(strange, states)).toEqual({ kind: 'unknown-point', detail: 'The account has no such supply point.' });
  // For all points: it applies where it can.
  const ended = [events('ACCEPTED', 1), events('COMPLETED', 2, { supplyPoint: 'P' }), events('REJECTED', 3)];
  expect(
    effectOf(
      ended[2]!,
      ['P', 'Q'].map((point) => stateOfPoint(point, ended)),
    ),
  ).toEqual({ kind: 'moved' });
});

test.each<[SwitchStatus[], SwitchStatus]>([
  [[], 'PENDING'],
  [['PENDING'], 'PENDING'],
  [['PENDING', 'PENDING'], 'PENDING'],
  [['IN_PROGRESS', 'PENDING'], 'IN_PROGRESS'],
  [['IN_PROGRESS', 'REJECTED'], 'IN_PROGRESS'],
  [['COMPLETED', 'PENDING'], 'IN_PROGRESS'],
  [['COMPLETED', 'IN_PROGRESS', 'REJECTED'], 'IN_PROGRESS'],
  [['REJECTED'], 'REJECTED'],
  [['REJECTED', 'COMPLETED'], 'REJECTED'],
  [['REJECTED', 'PENDING'], 'REJECTED'],
  [['COMPLETED'], 'COMPLETED'],
  [['COMPLETED', 'COMPLETED'], 'COMPLETED'],
])('makes an account with points %p %s', (points, status) => {
  expect(statusOfAccount(points)).toBe(status);
});

const point = (status: SwitchStatus, dueInMs: number, isAnswered = false, isHeld = false): PointToSwitch => ({
  status,
  dueInMs,
  isAnswered,
  isHeld,
});
test.each<[string, PointToSwitch[], boolean, ReturnType<typeof nextStep>]>([
  ['a point is due', [point('PENDING', -1)], true, { kind: 'send' }],
  ['a due point must not be requested', [point('PENDING', -1)], false, { kind: 'settled' }],
  ['no point is due yet', [point('PENDING', 70), point('PENDING', 50)], true, { kind: 'rest', forMs: 50 }],
  ['the network operator reports by message', [point('PENDING', -1, true)], true, { kind: 'wait', forMs: undefined }],
  [
    'one is in progress, one is due later',
    [point('IN_PROGRESS', -1, true), point('PENDING', 60)],
    true,
    { kind: 'wait', forMs: 60 },
  ],
  ['one was accepted without a request', [point('IN_PROGRESS', 60)], false, { kind: 'wait', forMs: undefined }],
  [
    'one is completed, one is due later',
    [point('COMPLETED', -1, true), point('PENDING', 60)],
    true,
    { kind: 'rest', forMs: 60 },
  ],
  ['all have ended', [point('COMPLETED', -1, true), point('REJECTED', -1, true)], true, { kind: 'settled' }],
  ['a due point is held', [point('PENDING', -1, false, true), point('PENDING', 40)], true, { kind: 'rest', forMs: 40 }],
  [
    'all remaining points are held',
    [point('COMPLETED', -1, true), point('PENDING', -1, false, true)],
    true,
    { kind: 'settled' },
  ],
  ['there are no points', [], true, { kind: 'settled' }],
])('next, when %s', (_when, points, mayAsk, next) => {
  expect(nextStep(points, mayAsk)).toEqual(next);
});
