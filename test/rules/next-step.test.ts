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
  judged: 0,
  succeeded: 0,
  failed: 0,
  supplierStatus: 'Ongoing',
  stagedRoom: null,
};
const NOON = 720;
/** A minute of a winter day, by clocks in France. */
const inWinter = (minute: number) => new Date(Date.UTC(2026, 0, 15, -1, minute));
const rest = (because: string, waitMs: number = expect.any(Number) as never) => ({ kind: 'pause', because, waitMs });
const window = (from: string, to: string) => ({ options: { window: { from, to } } });

const cases: [what: string, facts: Partial<JobFacts>, step: object, minuteOfDay?: number][] = [
  ['an open job is not worked on', { status: 'OPEN' }, { kind: 'over' }],
  ['a cancelled job is over', { status: 'CANCELLED' }, { kind: 'over' }],
  ['a job that somebody paused rests', { status: 'PAUSED', pausedBecause: 'asked' }, rest('asked')],
  ['all its lines are done', { judged: 1_000, succeeded: 990, failed: 10 }, { kind: 'complete' }],
  ['a job without lines is complete', { accepted: 0 }, { kind: 'complete' }],
  ['done is done, whatever the supplier is', { accepted: 0, supplierStatus: 'Paused' }, { kind: 'complete' }],
  ['its supplier is paused', { supplierStatus: 'Paused' }, rest('supplier_paused')],
  [
    'what is attached does not mind',
    { supplierStatus: 'Paused', kind: 'notes', goal: 'IMPORT' },
    { kind: 'validate', lines: 1_000 },
  ],
  [
    'it went on when the supplier did',
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
  ['lines are judged first', {}, { kind: 'validate', lines: 1_000 }],
  ['then accounts are created', { judged: 1_000, failed: 20, succeeded: 100 }, { kind: 'create', lines: 880 }],
  [
    'nothing is created where only staging is wanted',
    { goal: 'STAGE', judged: 400, succeeded: 400 },
    { kind: 'validate', lines: 600 },
  ],
  ['a canary is judged', { options: { canary: 100 } }, { kind: 'validate', lines: 100 }],
  ['and created', { options: { canary: 100 }, judged: 100, failed: 5 }, { kind: 'create', lines: 95 }],
  ['and then awaits a resume', { options: { canary: 100 }, judged: 100, failed: 5, succeeded: 95 }, rest('canary')],
  [
    'after which all goes on',
    { options: { canary: 100 }, judged: 100, succeeded: 100, isCanaryPassed: true },
    { kind: 'validate', lines: 900 },
  ],
  [
    'a canary larger than the job',
    { options: { canary: 5_000 }, judged: 1_000, succeeded: 1_000 },
    { kind: 'complete' },
  ],
  ['a limit of staged accounts', { stagedRoom: 30 }, { kind: 'validate', lines: 30 }],
  ['makes room by creating', { stagedRoom: 0, judged: 30 }, { kind: 'create', lines: 30 }],
  ['or waits for others to', { stagedRoom: -4, goal: 'STAGE' }, rest('staged_accounts_max')],
  ['a rehearsal stages nothing', { stagedRoom: 0, goal: 'REHEARSE' }, { kind: 'validate', lines: 1_000 }],
  [
    'too many failures',
    { options: { stop_after_failures: { count: 10 } }, judged: 100, failed: 10 },
    rest('too_many_failures'),
  ],
  [
    'one less',
    { options: { stop_after_failures: { count: 10 } }, judged: 100, failed: 9 },
    { kind: 'validate', lines: 900 },
  ],
  [
    'those that a resume accepted do not count',
    { options: { stop_after_failures: { count: 10 } }, judged: 100, failed: 19, failuresAccepted: 10 },
    { kind: 'validate', lines: 900 },
  ],
  [
    'too large a part',
    { options: { stop_after_failures: { percent: 2 } }, judged: 250, failed: 6 },
    rest('too_many_failures'),
  ],
  [
    'as large as allowed',
    { options: { stop_after_failures: { percent: 2 } }, judged: 250, failed: 5 },
    { kind: 'validate', lines: 750 },
  ],
  [
    'a percentage of a few lines says nothing',
    { options: { stop_after_failures: { percent: 2 } }, judged: 20, failed: 6 },
    { kind: 'validate', lines: 980 },
  ],
  ['what is staged is listed first', { selection: 'staged', accepted: 0 }, { kind: 'list-staged' }],
  ['and goes on while it is listed', { selection: 'staged', accepted: 5_000, judged: 5_000 }, { kind: 'list-staged' }],
  ['then created', { selection: 'staged', isListed: true, judged: 1_000 }, { kind: 'create', lines: 1_000 }],
  [
    'or rehearsed, a canary of it',
    { selection: 'staged', isListed: true, judged: 1_000, goal: 'REHEARSE', options: { canary: 10 } },
    { kind: 'create', lines: 10 },
  ],
  ['nothing was staged', { selection: 'staged', isListed: true, accepted: 0 }, { kind: 'complete' }],
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
