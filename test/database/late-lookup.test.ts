import { afterAll, expect, test } from '@jest/globals';
import {
  completeLookupWork,
  releaseAbandonedPages,
  releasePage,
  completeLookups,
  acquirePage,
  type Lookup,
} from '../../src/supply-points/lookup/lookup.store.ts';
import { points, startPopulation } from '../support/population.ts';

// A worker that was frozen during a page writes its results after another attempt was given the page.

const service = await startPopulation({ worker: false });
afterAll(() => service.stop());

const page = (pageId: string) => ({ pageId, networkOperator: 'enedis' as const, size: 10, seconds: 5, knownDays: 30 });
let pages = 0;
const nextPageId = () => `01990000-0000-7000-8000-${String((pages += 1)).padStart(12, '0')}`;

async function taken(pageId: string): Promise<{ attemptId: string; lookups: Lookup[] }> {
  const found = await acquirePage(service.database, page(pageId));
  if (!('lookups' in found)) throw new Error('no page was available');
  return found;
}

async function stateOf(identifier: string) {
  const { rows } = await service.database.pool.query(
    `select l.state as look_up, l.tries, r.state as request, s.imported, s.errored, p.facts
    from look_up l join population_request r on r.look_up_id = l.id join population_operator_progress s on s.batch_id = r.batch_id and s.network_operator = r.network_operator
    left join supply_point p on p.identifier = l.identifier and p.supply_type = 'ELECTRICITY' where l.identifier = $1`,
    [identifier],
  );
  return rows[0];
}

const imported = (lookup: Lookup, segment = 'C5') => ({
  ...lookup,
  kind: 'imported' as const,
  facts: { segment },
  source: 'enedis-sge',
});
const failed = (lookup: Lookup) => ({ ...lookup, kind: 'failed' as const, failure: 'SupplyPointError', dueSeconds: 2 });

test('ignores late failures, rejections and answers for a lookup that another attempt has completed', async () => {
  const [identifier] = points(1, 81_000_000_000_000) as [string];
  const batchId = await service.populate([identifier]);
  const pageId = nextPageId();
  const frozen = await taken(pageId);
  const other = await taken(pageId);
  expect(other.lookups.map(({ id }) => id)).toEqual(frozen.lookups.map(({ id }) => id));
  expect(
    await completeLookups(
      service.database,
      'enedis',
      other.lookups.map((lookup) => imported(lookup)),
    ),
  ).toEqual([batchId]);
  const settled = await stateOf(identifier);
  expect(settled).toEqual({
    look_up: 'imported',
    tries: 0,
    request: 'imported',
    imported: 1,
    errored: 0,
    facts: { segment: 'C5' },
  });

  expect(
    await releasePage(service.database, 'enedis', { pageId, attemptId: frozen.attemptId }, frozen.lookups.map(failed)),
  ).toEqual([]);
  expect(
    await completeLookups(
      service.database,
      'enedis',
      frozen.lookups.map((lookup) => ({ ...lookup, kind: 'errored' as const, reason: 'EPRM000' })),
    ),
  ).toEqual([]);
  expect(
    await completeLookups(
      service.database,
      'enedis',
      frozen.lookups.map((lookup) => imported(lookup, 'late')),
    ),
  ).toEqual([]);
  expect(await stateOf(identifier)).toEqual(settled);
});

test('keeps a lookup with its current attempt, and counts no try, after a late failure of an earlier one', async () => {
  const [identifier] = points(1, 82_000_000_000_000) as [string];
  const batchId = await service.populate([identifier]);
  const pageId = nextPageId();
  const frozen = await taken(pageId);
  const other = await taken(pageId);
  await releasePage(service.database, 'enedis', { pageId, attemptId: frozen.attemptId }, frozen.lookups.map(failed));
  expect(await stateOf(identifier)).toMatchObject({ look_up: 'pending', tries: 0 });
  // No other attempt gets it meanwhile.
  expect(await acquirePage(service.database, page(nextPageId()))).toEqual({ dueSeconds: null });
  expect(
    await completeLookups(
      service.database,
      'enedis',
      other.lookups.map((lookup) => imported(lookup)),
    ),
  ).toEqual([batchId]);
  expect(await stateOf(identifier)).toMatchObject({ look_up: 'imported', request: 'imported', imported: 1 });
});

test('keeps pages that were acquired after a late begin or end of a run was scheduled; a new one releases them', async () => {
  const [identifier] = points(1, 83_000_000_000_000) as [string];
  await service.populate([identifier]);
  const {
    rows: [clock],
  } = await service.database.pool.query('select 1000 * extract(epoch from clock_timestamp())::float8 as now');
  const { lookups } = await taken(nextPageId());
  await releaseAbandonedPages(service.database, 'enedis', clock.now);
  expect(await completeLookupWork(service.database, 'enedis', clock.now)).toBe(false);
  expect(await acquirePage(service.database, page(nextPageId()))).toEqual({ dueSeconds: null });
  await releaseAbandonedPages(service.database, 'enedis', clock.now + 60_000);
  const again = await taken(nextPageId());
  expect(again.lookups.map(({ id }) => id)).toEqual(lookups.map(({ id }) => id));
  // The outcome of the attempt that lost the page is ignored.
  expect(
    await completeLookups(
      service.database,
      'enedis',
      lookups.map((lookup) => imported(lookup)),
    ),
  ).toEqual([]);
  expect(await stateOf(identifier)).toMatchObject({ look_up: 'pending', facts: null });
});
