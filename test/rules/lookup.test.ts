import { expect, test } from '@jest/globals';
import { failedOutcome } from '../../src/supply-points/lookup/lookup.rules.ts';
import { estimatedEnd, ratePerSecond } from '../../src/supply-points/populate/population-batch.rules.ts';
import { lookupBudget } from '../../temporal.config.ts';

const budget = lookupBudget.identifier;
const failure = (reasonInTheEnd?: string) => ({
  id: '1',
  identifier: '25014987360042',
  attemptId: '01990000-0000-4000-8000-000000000001',
  customerAuthorisation: false,
  error: Object.assign(new Error('fails'), { name: 'SupplyPointError', reasonInTheEnd }),
});

test.each([
  ['first try', 0, 0, undefined, { kind: 'failed', dueSeconds: 2 }],
  ['third try', 2, 10, undefined, { kind: 'failed', dueSeconds: 8 }],
  ['fifth try: deferred for an hour', 4, 30, undefined, { kind: 'failed', dueSeconds: 3_600 }],
  ['hourly, within the day', 20, 60_000, undefined, { kind: 'failed', dueSeconds: 3_600 }],
  ['after a day', 28, 86_400, undefined, { kind: 'errored', reason: 'network_operator_keeps_failing' }],
  ['a sign of a wrong identifier, before five tries', 3, 10, 'EPRM-STM-ERR-0000001', { kind: 'failed' }],
  [
    'a sign of a wrong identifier, after five tries',
    4,
    30,
    'EPRM-STM-ERR-0000001',
    { kind: 'errored', reason: 'EPRM-STM-ERR-0000001' },
  ],
])('%s', (_what, tries, seconds, reasonInTheEnd, outcome) => {
  expect(failedOutcome(failure(reasonInTheEnd), { tries, seconds }, budget)).toMatchObject(outcome);
});

test('forecasts the end by the slower network operator, and not while one is paused', () => {
  const share = (networkOperator: 'enedis' | 'grdf', pending: number, rate: number) => ({
    networkOperator,
    accepted: 100,
    imported: 100 - pending,
    errored: 0,
    pending,
    ratePerSecond: rate,
  });
  expect(estimatedEnd([share('enedis', 50, 5), share('grdf', 40, 1)], 0)).toEqual(new Date(40_000));
  expect(estimatedEnd([share('enedis', 50, 5), share('grdf', 40, 0)], 0)).toBeUndefined();
  expect(estimatedEnd([share('enedis', 0, 0)], 0)).toBeUndefined();
  expect(ratePerSecond([share('enedis', 50, 5), share('grdf', 0, 3)])).toBe(5);
});
