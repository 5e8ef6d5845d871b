import { expect, test } from '@jest/globals';
import {
  decideCreation,
  type CreationEntry,
  type CreationFacts,
  type CreationOutcome,
} from '../../src/account-import/create/create-account.rules.ts';

const entry: CreationEntry = {
  creationId: 'mine',
  importSupplier: 'ACME',
  externalAccountNumber: 'E-1',
  operationsTeam: 'Migration',
};
const ready: CreationFacts = {
  staged: true,
  teamExists: true,
  supplierStatus: 'Ongoing',
  skipped: false,
  lacksApproval: false,
};
const NOT_STAGED = { code: 'import_process_does_not_exist', attr: 'external_account_number' };
const NO_TEAM = { code: 'operations_team_name_does_not_exist', attr: 'operations_team_name' };

test.each<[string, Partial<CreationFacts>, object | undefined]>([
  ['the account can be created', {}, undefined],
  [
    'the account is not staged',
    { staged: false },
    { code: 'validation_failed', violations: [expect.objectContaining(NOT_STAGED)] },
  ],
  [
    'the account is not staged and the team is missing: reports both',
    { staged: false, teamExists: false },
    { code: 'validation_failed', violations: [expect.objectContaining(NOT_STAGED), expect.objectContaining(NO_TEAM)] },
  ],
  [
    'this request created it before',
    { account: { number: 'A-1', creationId: 'mine' } },
    { kind: 'created', serviceAccountNumber: 'A-1' },
  ],
  [
    'another request created it: returns both numbers',
    { account: { number: 'A-1', creationId: 'other' } },
    {
      kind: 'refused',
      code: 'account_import_process_already_imported',
      extras: { external_account_number: 'E-1', service_account_number: 'A-1' },
    },
  ],
  [
    'this request created it before, and it was withdrawn',
    { withdrawnNumber: 'A-1' },
    { kind: 'created', serviceAccountNumber: 'A-1' },
  ],
  [
    'a running withdrawal has deleted it: the creation waits',
    { isBeingWithdrawn: true, skipped: true },
    { code: 'account_being_withdrawn', retryAfterSeconds: 5 },
  ],
  ['it is marked to skip', { skipped: true }, { code: 'import_process_marked_to_skip' }],
  [
    'the supplier is paused',
    { supplierStatus: 'Paused' },
    { code: 'import_supplier_migration_not_ongoing', detail: expect.stringContaining('resumed') },
  ],
  [
    'the supplier is complete',
    { supplierStatus: 'Complete' },
    { code: 'import_supplier_migration_not_ongoing', detail: expect.stringContaining('complete') },
  ],
  ['the supplier does not exist', { supplierStatus: undefined }, { code: 'import_supplier_migration_not_ongoing' }],
  [
    'the team is missing',
    { teamExists: false },
    { code: 'validation_failed', violations: [expect.objectContaining(NO_TEAM)] },
  ],
])('when %s', (_what, facts, outcome) => {
  const decided = decideCreation(entry, { ...ready, ...facts });
  if (outcome === undefined) expect(decided).toBeUndefined();
  else expect(decided).toMatchObject(outcome);
});

/** From strongest to weakest: of two that apply the stronger is reported. */
const precedence: [string, Partial<CreationFacts>][] = [
  ['validation_failed', { staged: false }],
  ['account_import_process_already_imported', { account: { number: 'A-1', creationId: 'other' } }],
  ['import_process_marked_to_skip', { skipped: true }],
  ['import_supplier_migration_not_ongoing', { supplierStatus: 'Paused' }],
  ['validation_failed', { teamExists: false }],
];
const pairs = precedence.flatMap(([code, facts], index) =>
  precedence.slice(index + 1).map(([weaker, more]) => [code, weaker, { ...more, ...facts }] as const),
);

test.each(pairs)('reports %s before %s', (code, _weaker, facts) => {
  expect(decideCreation(entry, { ...ready, ...facts }) as Extract<CreationOutcome, { kind: 'refused' }>).toMatchObject({
    kind: 'refused',
    code,
  });
});
