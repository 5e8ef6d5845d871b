import { expect, test } from '@jest/globals';
import { nextStep, type JobFacts, type NextStep } from '../../src/import-jobs/work-off/next-step.rules.ts';

const job: JobFacts = {
  status: 'RUNNING',
  pausedBecause: null,
  kind: 'accounts',
  goal: 'CREATE',
  selection: 'uploaded',
  options: {},
  isListed: false,
  isCanaryPassed: false,
  failuresAccepted: 0,
  accepted: 1_000,
  staged: 0,
  judged: 0,
  succeeded: 0,
  failed: 0,
  supplierStatus: 'Ongoing',
  stagedCapacity: null,
};
const NOON = 720;
/** A minute of a winter day, by clocks in France. */
const inWinter = (minute: number) => new Date(Date.UTC(2026, 0, 15, -1, minute));
const rest = (because: string, waitMs: number = expect.any(Number) as never) => ({ kind: 'pause', because, waitMs });
const window = (from: string, to: string) => ({ options: { window: { from, to } } });

const cases: [what: string, facts: Partial<JobFacts>, step: object, minuteOfDay?: number][] = [
  ['an open job waits', { status: 'OPEN' }, { kind: 'over' }],
  ['a cancelled job is over', { status: 'CANCELLED' }, { kind: 'over' }],
  ['an operator paused the job', { status: 'PAUSED', pausedBecause: 'asked' }, rest('asked')],
  ['all its lines are done', { judged: 1_000, succeeded: 990, failed: 10 }, { kind: 'complete' }],
  ['a job without lines is complete', { accepted: 0 }, { kind: 'complete' }],
  [
    "a complete job stays complete, whatever its supplier's status",
    { accepted: 0, supplierStatus: 'Paused' },
    { kind: 'complete' },
  ],
  ['its supplier is paused', { supplierStatus: 'Paused' }, rest('supplier_paused')],
  [
    "attachments ignore the supplier's status",
    { supplierStatus: 'Paused', kind: 'notes', goal: 'IMPORT' },
    { kind: 'validate', lines: 1_000 },
  ],
  [
    'it resumed with its supplier',
    { status: 'PAUSED', pausedBecause: 'supplier_paused' },
    { kind: 'validate', lines: 1_000 },
  ],
  ['before its window', window('22:00', '06:00'), rest('outside_window', 600 * 60_000), NOON],
  ['at the opening', window('22:00', '06:00'), { kind: 'validate', lines: 1_000 }, 22 * 60],
  ['after midnight', window('22:00', '06:00'), { kind: 'validate', lines: 1_000 }, 359],
  ['at the closing', window('22:00', '06:00'), rest('outside_window', 16 * 60 * 60_000), 360],
  ['a window within a day', window('08:00', '18:00'), { kind: 'validate', lines: 1_000 }, NOON],
  ['after such a window', window('08:00', '18:00'), rest('outside_window', 60_000), 479],
  ['a window without end', window('08:00', '08:00'), { kind: 'validate', lines: 1_000 }, 0],
  ['lines are validated first', {}, { kind: 'validate', lines: 1_000 }],
  ['accounts are created next', { judged: 1_000, failed: 20, succeeded: 100 }, { kind: 'create', lines: 880 }],
  ['the goal is STAGE', { goal: 'STAGE', judged: 400, succeeded: 400 }, { kind: 'validate', lines: 600 }],
  ['a canary is validated', { options: { canary: 100 } }, { kind: 'validate', lines: 100 }],
  ['and created', { options: { canary: 100 }, judged: 100, failed: 5 }, { kind: 'create', lines: 95 }],
  ['a canary awaits a resume', { options: { canary: 100 }, judged: 100, failed: 5, succeeded: 95 }, rest('canary')],
  [
    'a canary was accepted',
    { options: { canary: 100 }, judged: 100, succeeded: 100, isCanaryPassed: true },
    { kind: 'validate', lines: 900 },
  ],
  [
    'a canary larger than the job',
    { options: { canary: 5_000 }, judged: 1_000, succeeded: 1_000 },
    { kind: 'complete' },
  ],
  ['a limit of staged accounts', { stagedCapacity: 30 }, { kind: 'validate', lines: 30 }],
  ['creation frees the limit', { stagedCapacity: 0, judged: 30 }, { kind: 'create', lines: 30 }],
  ['other jobs use the limit', { stagedCapacity: -4, goal: 'STAGE' }, rest('staged_accounts_max')],
  ['a rehearsal stages no accounts', { stagedCapacity: 0, goal: 'REHEARSE' }, { kind: 'validate', lines: 1_000 }],
  [
    'too many lines failed',
    { options: { stop_after_failures: { count: 10 } }, judged: 100, failed: 10 },
    rest('too_many_failures'),
  ],
  [
    'one less',
    { options: { stop_after_failures: { count: 10 } }, judged: 100, failed: 9 },
    { kind: 'validate', lines: 900 },
  ],
  [
    'a resume accepted the failures',
    { options: { stop_after_failures: { count: 10 } }, judged: 100, failed: 19, failuresAccepted: 10 },
    { kind: 'validate', lines: 900 },
  ],
  [
    'a part is too large',
    { options: { stop_after_failures: { percent: 2 } }, judged: 250, failed: 6 },
    rest('too_many_failures'),
  ],
  [
    'a part is as large as allowed',
    { options: { stop_after_failures: { percent: 2 } }, judged: 250, failed: 5 },
    { kind: 'validate', lines: 750 },
  ],
  [
    'a percentage of a few lines is ignored',
    { options: { stop_after_failures: { percent: 2 } }, judged: 20, failed: 6 },
    { kind: 'validate', lines: 980 },
  ],
  ['staged accounts are listed first', { selection: 'staged', accepted: 0 }, { kind: 'list-staged' }],
  [
    'staged accounts are created while they are listed',
    { selection: 'staged', accepted: 5_000, judged: 5_000 },
    { kind: 'list-staged' },
  ],
  ['then created', { selection: 'staged', isListed: true, judged: 1_000 }, { kind: 'create', lines: 1_000 }],
  [
    'staged accounts are rehearsed, a canary of them',
    { selection: 'staged', isListed: true, judged: 1_000, goal: 'REHEARSE', options: { canary: 10 } },
    { kind: 'create', lines: 10 },
  ],
  ['no accounts are staged', { selection: 'staged', isListed: true, accepted: 0 }, { kind: 'complete' }],
];

test.each(cases)('%s', (_what, facts, step, minuteOfDay = NOON) => {
  const decided: NextStep = nextStep({ ...job, ...facts }, inWinter(minuteOfDay));
  expect(decided).toEqual(step);
});

const HOUR_MS = 3_600_000;

// In the night to 29 March 2026 clocks move from 02:00 to 03:00 (01:00 UTC), in the night to 25 October from 03:00
// back to 02:00.
test.each([
  ['03:00', '04:00', '2026-03-29T00:50Z', '2026-03-29T01:00Z', '2026-03-29T02:00Z'],
  ['01:00', '02:00', '2026-03-28T23:50Z', '2026-03-29T00:00Z', '2026-03-29T01:00Z'],
  ['02:00', '03:00', '2026-03-29T00:50Z', '2026-03-29T01:00Z', '2026-03-29T02:00Z'],
  ['02:30', '03:15', '2026-03-29T00:50Z', '2026-03-29T01:30Z', '2026-03-29T02:15Z'],
  ['01:30', '02:30', '2026-03-29T00:00Z', '2026-03-29T00:30Z', '2026-03-29T01:30Z'],
  ['22:00', '06:00', '2026-03-28T20:00Z', '2026-03-28T21:00Z', '2026-03-29T04:00Z'],
  ['03:00', '04:00', '2026-10-24T23:50Z', '2026-10-25T02:00Z', '2026-10-25T03:00Z'],
  ['02:00', '03:00', '2026-10-24T23:50Z', '2026-10-25T00:00Z', '2026-10-25T02:00Z'],
  ['02:15', '02:45', '2026-10-24T23:50Z', '2026-10-25T00:15Z', '2026-10-25T00:45Z'],
  ['22:00', '06:00', '2026-10-24T19:00Z', '2026-10-24T20:00Z', '2026-10-25T05:00Z'],
])('a window %s-%s opens when clocks change: before %s, open from %s to %s', (from, to, before, opens, closes) => {
  const stepAt = (timestamp: number) => nextStep({ ...job, ...window(from, to) }, new Date(timestamp));
  const [opensAt, closesAt] = [Date.parse(opens), Date.parse(closes)];
  expect(stepAt(Date.parse(before))).toEqual(rest('outside_window', opensAt - Date.parse(before)));
  expect(stepAt(opensAt - 1)).toEqual(rest('outside_window', 1));
  for (const open of [opensAt, closesAt - 1]) expect(stepAt(open).kind).toBe('validate');
  expect(stepAt(closesAt)).toMatchObject({ kind: 'pause', because: 'outside_window' });
  const nextDay = stepAt(closesAt) as { waitMs: number };
  expect(nextDay.waitMs).toBeGreaterThan(14 * HOUR_MS);
});
