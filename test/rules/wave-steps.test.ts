import { expect, test } from '@jest/globals';
import { NO_COUNTS, type WaveFacts } from '../../src/waves/gate.rules.ts';
import { possibleSteps } from '../../src/waves/wave-steps.rules.ts';
import { plannedNights } from '../../src/support-site/waves/waves.page.ts';

const upload = {
  id: 'upload',
  kind: 'accounts',
  goal: 'STAGE',
  name: null,
  selection: 'uploaded',
  status: 'COMPLETED',
  pausedBecause: null,
  accepted: 2,
  succeeded: 2,
  failed: 0,
  startedAt: null,
  endedAt: null,
} as const;
const rehearsal = { ...upload, id: 'rehearsal', goal: 'REHEARSE', selection: 'wave' } as const;
const creation = { ...upload, id: 'creation', goal: 'CREATE', selection: 'wave' } as const;

/** A wave of two pending, rehearsed accounts without an approval. */
const facts = (more: Partial<WaveFacts> = {}, counts: Partial<WaveFacts['counts']> = {}): WaveFacts => ({
  status: 'PREPARING',
  counts: { ...NO_COUNTS, accounts: 2, pending: 2, ...counts },
  jobs: [upload],
  rehearsalJobId: 'rehearsal',
  creationJobId: null,
  requiresApproval: false,
  approval: { state: 'none' },
  expectedAccounts: null,
  certificates: [],
  signedOffBy: null,
  ...more,
});
const created = { status: 'CREATED', creationJobId: 'creation', jobs: [creation, upload] } as const;
const allCreated = { pending: 0, created: 2 };
const reconciled = { jobId: 'creation', id: 'certificate', status: 'COMPLETED', differences: 0, organisation: null };
const paused = (pausedBecause: 'canary' | 'outside_window') =>
  ({
    status: 'CREATING',
    creationJobId: 'creation',
    jobs: [{ ...creation, status: 'PAUSED', pausedBecause }],
  }) as const;

test.each<[string, WaveFacts, number, string]>([
  [
    'nothing but moving and canceling while the wave is empty',
    facts({}, { accounts: 0, pending: 0 }),
    0,
    'cancel move change-plan',
  ],
  ['a rehearsal of accounts that changed', facts({}, { notRehearsed: 1 }), 0, 'rehearse cancel move change-plan'],
  [
    'no second rehearsal while one runs',
    facts({ jobs: [{ ...rehearsal, status: 'RUNNING' }, upload] }, { notRehearsed: 2 }),
    0,
    'cancel move change-plan',
  ],
  ['a creation without approval', facts(), 0, 'rehearse request-approval create cancel move change-plan'],
  [
    'a request, if approval is required',
    facts({ requiresApproval: true }),
    0,
    'rehearse request-approval cancel move change-plan',
  ],
  ['a decision', facts({ approval: { state: 'requested' } }), 0, 'rehearse approve decline cancel move change-plan'],
  [
    'another request if accounts changed since',
    facts({ approval: { state: 'requested' } }),
    1,
    'rehearse request-approval decline cancel move change-plan',
  ],
  [
    'a creation after approval',
    facts({ approval: { state: 'approved' } }),
    0,
    'rehearse create cancel move change-plan',
  ],
  [
    'an exclusion of accounts that failed the rehearsal',
    facts({ jobs: [{ ...rehearsal, failed: 1 }, upload] }, { notRehearsed: 1 }),
    0,
    'rehearse cancel exclude move change-plan',
  ],
  [
    'a rehearsal of accounts that the creation rejected',
    facts(created, { pending: 1, created: 1, notRehearsed: 1 }),
    0,
    'rehearse move change-plan withdraw',
  ],
  [
    'a request to approve the withdrawal of an approved wave',
    facts({ ...created, approval: { state: 'approved' } }, allCreated),
    0,
    'move request-withdrawal-approval withdraw',
  ],
  ['an exclusion of faulty accounts', facts({}, { rejected: 1 }), 0, 'rehearse cancel exclude move change-plan'],
  ['a pause before the creation begins', facts({ status: 'SCHEDULED' }), 0, 'pause cancel move change-plan'],
  ['a resumption after the canary', facts(paused('canary')), 0, 'resume cancel move'],
  ['no resumption of a pause that ends automatically', facts(paused('outside_window')), 0, 'pause cancel move'],
  ['a resumption of a paused wave', facts({ status: 'PAUSED' }), 0, 'resume cancel move change-plan'],
  ['no sign-off without a certificate', facts(created, allCreated), 0, 'move withdraw'],
  ['a sign-off', facts({ ...created, certificates: [reconciled] }, allCreated), 0, 'move sign-off withdraw'],
  [
    'a withdrawal of what a cancelled wave created',
    facts({ ...created, status: 'CANCELLED' }, allCreated),
    0,
    'withdraw',
  ],
  ['nothing at the end', facts({ ...created, status: 'SIGNED_OFF' }, allCreated), 0, ''],
])('allows %s', (_case, given, changed, expected) => {
  const wanted = expected.split(' ').filter(Boolean);
  expect([...possibleSteps(given, { isChanged: changed > 0 })].sort()).toEqual(wanted.sort());
});

test.each<[string, string | null, string | null, string[]]>([
  ['one night', '2026-12-12T21:00:00Z', '2026-12-13T05:00:00Z', ['2026-12-12']],
  ['an evening without an end', '2026-12-12T21:00:00Z', null, ['2026-12-12']],
  ['an end in the morning', null, '2026-12-13T05:00:00Z', ['2026-12-12']],
  [
    'two nights over the end of summer time',
    '2026-10-24T20:00:00Z',
    '2026-10-26T05:00:00Z',
    ['2026-10-24', '2026-10-25'],
  ],
  ['a weekend', '2026-12-11T17:00:00Z', '2026-12-14T05:00:00Z', ['2026-12-11', '2026-12-12', '2026-12-13']],
  ['hours within one morning', '2026-12-12T06:00:00Z', '2026-12-12T08:00:00Z', ['2026-12-12']],
  ['no plan', null, null, []],
])('plans %s', (_case, from, until, nights) => {
  const plan = {
    create_from: from,
    create_until: until,
    supply_start_from: null,
    supply_start_to: null,
    expected_accounts: null,
  };
  expect(plannedNights(plan)).toEqual(nights);
});
