import { expect, test } from '@jest/globals';
import { progressOf, spanOf, statusOf, type JobView } from '../../src/cli/import-job-view.ts';

const job = (members: Partial<JobView>): JobView => ({
  job_id: '019ac3f2-7c51-7c6e-9d1f-3a5b7c9d1e2f',
  import_supplier: 'ACME',
  kind: 'accounts',
  goal: 'STAGE',
  status: 'RUNNING',
  paused_because: null,
  counts: { accepted: 1_000, succeeded: 400, failed: 100, unprocessed: 500 },
  steps: { judged: 500, staged: 400, created: 0 },
  warnings: 0,
  lines_per_second: 0,
  estimated_end_at: null,
  causes: [],
  parts: [],
  name: null,
  operations_team_name: 'Migration',
  selection: 'uploaded',
  wave_id: null,
  options: {},
  workflow_id: 'import-job/019ac3f2-7c51-7c6e-9d1f-3a5b7c9d1e2f',
  created_at: '2026-11-22T12:00:00Z',
  started_at: null,
  ended_at: null,
  ...members,
});

test.each<[string, Partial<JobView>, string]>([
  ['half way', {}, '[###############...............] 50 %  400 succeeded, 100 failed, 500 to go of 1000'],
  [
    'counts validation as half of the progress of a creation',
    {
      goal: 'CREATE',
      counts: { accepted: 1_000, succeeded: 0, failed: 0, unprocessed: 1_000 },
      steps: { judged: 600, staged: 600, created: 0 },
    },
    '[#########.....................] 30 %  600 validated, 0 succeeded, 0 failed, 1000 to go of 1000',
  ],
  ['nothing uploaded', { counts: { accepted: 0, succeeded: 0, failed: 0, unprocessed: 0 } }, `[${'.'.repeat(30)}] 0 %`],
  [
    'a rate, and the time that is left',
    { lines_per_second: 1_250.4, estimated_end_at: new Date(Date.now() + 95_000).toISOString() },
    '1250/s, 1 min 35 s left',
  ],
  ['a rate without an end', { lines_per_second: 3 }, '3/s'],
])('the bar: %s', (_name, members, shown) => {
  expect(progressOf(job(members))).toContain(shown);
});

test('a job that has ended shows no rate, and one that is paused says why', () => {
  expect(progressOf(job({ status: 'COMPLETED', lines_per_second: 12 }))).not.toContain('/s');
  expect(statusOf(job({ status: 'PAUSED', paused_because: 'too_many_failures' }))).toBe('PAUSED (too many failures)');
});

test.each([
  [0, '0 s'],
  [59_400, '59 s'],
  [59_600, '1 min 0 s'],
  [7_800_000, '2 h 10 min'],
])('%d ms are %s', (milliseconds, text) => {
  expect(spanOf(milliseconds)).toBe(text);
});
