import { expect, test } from '@jest/globals';
import { gatesOf, NO_COUNTS, type WaveFacts, type WaveJob } from '../../src/waves/gate.rules.ts';
import { evidenceInFrench } from '../../src/vocabulary/french.ts';
import { attachedKinds } from '../../src/vocabulary/import-jobs.ts';
import type { GateName } from '../../src/vocabulary/waves.ts';
import fc from '../support/random-seed.ts';

const JOB: WaveJob = {
  id: 'job',
  kind: 'accounts',
  goal: 'CREATE',
  name: null,
  selection: 'wave',
  status: 'RUNNING',
  pausedBecause: null,
  accepted: 3,
  succeeded: 1,
  failed: 0,
  startedAt: null,
  endedAt: null,
};
const FACTS: WaveFacts = {
  status: 'CREATING',
  counts: { ...NO_COUNTS, accounts: 3, created: 1, pending: 2 },
  jobs: [JOB],
  rehearsalJobId: null,
  creationJobId: 'job',
  requiresApproval: false,
  approval: { state: 'none' },
  expectedAccounts: null,
  certificates: [],
  signedOffBy: null,
};
const gate = (name: GateName, facts: Partial<WaveFacts>) =>
  gatesOf({ ...FACTS, ...facts }).find((one) => one.name === name)!;
const paused = (pausedBecause: WaveJob['pausedBecause']): WaveJob => ({ ...JOB, status: 'PAUSED', pausedBecause });

test.each<[string, WaveJob, string]>([
  ['runs', JOB, 'open'],
  ['waits after its canary', paused('canary'), 'blocked'],
  ['has too many failures', paused('too_many_failures'), 'blocked'],
  ['continues automatically', paused('supplier_paused'), 'open'],
])('the gate created of a wave whose job %s', (_what, job, state) => {
  expect(gate('created', { jobs: [job] }).state).toBe(state);
});

test('the gate switched counts only accounts with supply points', () => {
  const switches = { pending: 0, inProgress: 0, rejected: 0, completed: 2 };
  const counts = { ...NO_COUNTS, accounts: 3, created: 3, switches };
  expect(gate('switched', { counts }).state).toBe('passed');
  expect(gate('switched', { counts: { ...counts, switches: { ...switches, pending: 1 } } }).state).toBe('open');
  expect(gate('switched', { counts: NO_COUNTS }).state).toBe('open');
});

test('the gate reconciled needs a comparison of every job that created accounts', () => {
  const certificate = { jobId: 'job', id: 'one', status: 'COMPLETED', differences: 0, organisation: null };
  const missing = { jobId: 'other', id: null, status: null, differences: 0, organisation: null };
  const running = { jobId: 'other', id: 'two', status: 'RUNNING', differences: 0, organisation: null };
  const stateWith = (...certificates: WaveFacts['certificates']) => {
    const { state, link } = gate('reconciled', { certificates });
    return `${state} ${link}`;
  };
  expect(stateWith()).toBe('open null');
  expect(stateWith(certificate)).toBe('passed reconciliations/one/');
  expect(stateWith(certificate, missing)).toBe('open import-jobs/other/');
  expect(stateWith(certificate, running)).toBe('open reconciliations/two/');
  expect(stateWith(running, { ...certificate, differences: 2 })).toBe('open reconciliations/two/');
  expect(stateWith({ ...certificate, differences: 2 })).toBe('blocked reconciliations/one/');
});

test('the gates of a wave that was withdrawn or canceled ask for nothing', () => {
  const counts = { ...NO_COUNTS, accounts: 3, invalidLines: 67, created: 0, pending: 3 };
  const approval = { state: 'expired', by: 'Ada' } as const;
  for (const status of ['WITHDRAWN', 'CANCELLED'] as const) {
    const asking = gatesOf({ ...FACTS, status, counts, approval, requiresApproval: true, jobs: [] }).filter(
      ({ state, evidence }) => state === 'blocked' || /Correct|Ask|Start/.test(evidence),
    );
    expect([status, asking]).toEqual([status, []]);
  }
  expect(gate('valid', { status: 'CREATED', counts }).state).toBe('blocked');
  expect(gate('approved', { status: 'CREATED', counts, approval }).evidence).toBe(
    'The members of the wave changed since the approval. Ask for another one.',
  );
});

test('the gate attached is blocked by failed lines until they are corrected or excluded', () => {
  const jobs: WaveJob[] = [
    { ...JOB, kind: 'notes', goal: 'IMPORT', selection: 'uploaded', status: 'COMPLETED', failed: 1 },
  ];
  const counts = { ...NO_COUNTS, created: 3 };
  expect(gate('attached', { jobs, counts: { ...counts, failedAttachments: 1 } }).state).toBe('blocked');
  expect(gate('attached', { jobs, counts }).state).toBe('passed');
});

test.each<[number, number, string, string]>([
  [3, 0, 'passed', '3 accounts from 0 uploads, as expected.'],
  [2, 0, 'open', '2 accounts of 3 expected. Stage the others, or change the plan.'],
  [2, 1, 'passed', '2 accounts from 0 uploads, as expected.'],
  [4, 0, 'blocked', '4 accounts of 3 expected. Move the others to another wave, or change the plan.'],
])(
  'the gate complete compares %d accounts and %d excluded lines with 3 expected',
  (accounts, others, state, evidence) => {
    const counts = { ...NO_COUNTS, accounts, excludedOthers: others };
    expect(gate('complete', { counts, jobs: [], expectedAccounts: 3 })).toMatchObject({ state, evidence });
  },
);

test.each<['requested' | 'expired', string]>([
  ['requested', 'The plan changed since Ada asked for approval. Ask for another one.'],
  ['expired', 'The plan changed since the approval. Ask for another one.'],
])('the gate approved says that the plan changed after an approval was %s', (state, evidence) => {
  const approval = { state, by: 'Ada', isPlanChanged: true };
  expect(gate('approved', { approval })).toMatchObject({ state: 'blocked', evidence });
});

/** Waves in many states. */
function drawnFacts() {
  const few = fc.integer({ min: 0, max: 2 });
  const job = fc.record({
    id: fc.constantFrom('job', 'rehearsal', 'upload'),
    kind: fc.constantFrom('accounts' as const, ...attachedKinds),
    selection: fc.constantFrom('uploaded', 'wave'),
    status: fc.constantFrom('RUNNING' as const, 'PAUSED' as const, 'COMPLETED' as const),
    pausedBecause: fc.constantFrom(null, 'canary' as const, 'asked' as const),
    failed: few,
  });
  const counts = fc.record({
    ...Object.fromEntries(
      Object.entries(NO_COUNTS).flatMap(([name, count]) => (typeof count === 'number' ? [[name, few]] : [])),
    ),
    switches: fc.record({ pending: few, inProgress: few, rejected: few, completed: few }),
    supplyStarts: fc.record({
      requestsFrom: fc.constant('2026-12-01'),
      before: few,
      withinLeadTime: few,
      earliest: fc.constant('2026-11-30'),
      examples: fc.constantFrom(['A-1'], ['A (1)', 'B. 2', 'C-3']),
    }),
  });
  const difference = { path: 'accounts.records', expected: '3', received: '2', difference: '-1' };
  return fc.record({
    status: fc.constantFrom('CREATING' as const, 'PAUSED' as const),
    counts,
    jobs: fc.array(job, { maxLength: 3 }),
    rehearsalJobId: fc.constantFrom(null, 'rehearsal'),
    requiresApproval: fc.boolean(),
    approval: fc.record({
      state: fc.constantFrom('none', 'requested', 'approved', 'declined', 'expired'),
      by: fc.constantFrom('Ada', 'Ada L. Martin (Acme)'),
      isPlanChanged: fc.boolean(),
    }),
    expectedAccounts: fc.constantFrom(null, 0, 1, 2),
    certificates: fc.array(
      fc.record({
        jobId: fc.constant('job'),
        id: fc.constantFrom(null, 'certificate'),
        status: fc.constantFrom('RUNNING', 'COMPLETED'),
        differences: few,
      }),
      { maxLength: 1 },
    ),
    manifest: fc.constantFrom(undefined, { before: [difference], attached: [difference, difference] }),
    signedOffBy: fc.constantFrom(null, 'Ada'),
  });
}

test('has French evidence for every state of a wave', () => {
  const untranslated = new Set<string>();
  const states = new Set<string>();
  fc.assert(
    fc.property(drawnFacts(), (drawn) => {
      const jobs = drawn.jobs.map((one) => ({ ...JOB, ...one }));
      for (const { name, evidence, state } of gatesOf({ ...FACTS, ...drawn, jobs } as unknown as WaveFacts)) {
        states.add(`${name} ${state}`);
        if (evidenceInFrench(evidence) === undefined) untranslated.add(evidence);
      }
    }),
    { numRuns: 2_000 },
  );
  expect([...untranslated]).toEqual([]);
  expect(states.size).toBeGreaterThan(20);
});
