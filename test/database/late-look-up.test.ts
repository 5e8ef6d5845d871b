import { afterAll, beforeAll, expect, test } from '@jest/globals';
import {
  endLookUps,
  releaseLeftPages,
  releasePage,
  completeLookUps,
  takePage,
  type LookUp,
} from '../../src/supply-points/look-up/look-up.store.ts';
import { points, startPopulation, type PopulationService } from '../support/population.ts';

// What a worker writes that was frozen in the middle of a page, after another attempt was given the page.

let service: PopulationService;
beforeAll(async () => {
  service = await startPopulation({ worker: false });
});
afterAll(async () => {
  await service?.stop();
});

const page = (pageId: string) => ({ pageId, networkOperator: 'enedis' as const, size: 10, seconds: 5, knownDays: 30 });
let pages = 0;
const nextPageId = () => `01990000-0000-7000-8000-${String((pages += 1)).padStart(12, '0')}`;

async function taken(pageId: string): Promise<{ takenBy: string; lookUps: LookUp[] }> {
  const found = await takePage(service.database, page(pageId));
  if (!('lookUps' in found)) throw new Error('nothing was there to take');
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

const imported = (lookUp: LookUp, segment = 'C5') => ({
  ...lookUp,
  kind: 'imported' as const,
  facts: { segment },
  source: 'enedis-sge',
});
const failed = (lookUp: LookUp) => ({ ...lookUp, kind: 'failed' as const, failure: 'SupplyPointError', dueSeconds: 2 });

test('a late failure, refusal or answer changes nothing of a look-up that another attempt has completed', async () => {
  const [identifier] = points(1, 81_000_000_000_000) as [string];
  const batchId = await service.populate([identifier]);
  const pageId = nextPageId();
  const frozen = await taken(pageId);
  const other = await taken(pageId);
  expect(other.lookUps.map(({ id }) => id)).toEqual(frozen.lookUps.map(({ id }) => id));
  expect(
    await completeLookUps(
      service.database,
      'enedis',
      other.lookUps.map((lookUp) => imported(lookUp)),
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
    await releasePage(service.database, 'enedis', { pageId, takenBy: frozen.takenBy }, frozen.lookUps.map(failed)),
  ).toEqual([]);
  expect(
    await completeLookUps(
      service.database,
      'enedis',
      frozen.lookUps.map((lookUp) => ({ ...lookUp, kind: 'errored' as const, reason: 'EPRM000' })),
    ),
  ).toEqual([]);
  expect(
    await completeLookUps(
      service.database,
      'enedis',
      frozen.lookUps.map((lookUp) => imported(lookUp, 'late')),
    ),
  ).toEqual([]);
  expect(await stateOf(identifier)).toEqual(settled);
});

test('a late failure does not take a look-up away from the attempt that holds it now, and uses up no try', async () => {
  const [identifier] = points(1, 82_000_000_000_000) as [string];
  const batchId = await service.populate([identifier]);
  const pageId = nextPageId();
  const frozen = await taken(pageId);
  const other = await taken(pageId);
  await releasePage(service.database, 'enedis', { pageId, takenBy: frozen.takenBy }, frozen.lookUps.map(failed));
  expect(await stateOf(identifier)).toMatchObject({ look_up: 'pending', tries: 0 });
  // Nobody else is given it meanwhile.
  expect(await takePage(service.database, page(nextPageId()))).toEqual({ dueSeconds: null });
  expect(
    await completeLookUps(
      service.database,
      'enedis',
      other.lookUps.map((lookUp) => imported(lookUp)),
    ),
  ).toEqual([batchId]);
  expect(await stateOf(identifier)).toMatchObject({ look_up: 'imported', request: 'imported', imported: 1 });
});

test('a late begin or end of a run leaves the pages that were taken after it was scheduled; a new one gives them back', async () => {
  const [identifier] = points(1, 83_000_000_000_000) as [string];
  await service.populate([identifier]);
  const {
    rows: [clock],
  } = await service.database.pool.query('select 1000 * extract(epoch from clock_timestamp())::float8 as now');
  const { lookUps } = await taken(nextPageId());
  await releaseLeftPages(service.database, 'enedis', clock.now);
  expect(await endLookUps(service.database, 'enedis', clock.now)).toBe(false);
  expect(await takePage(service.database, page(nextPageId()))).toEqual({ dueSeconds: null });
  await releaseLeftPages(service.database, 'enedis', clock.now + 60_000);
  const again = await taken(nextPageId());
  expect(again.lookUps.map(({ id }) => id)).toEqual(lookUps.map(({ id }) => id));
  // The outcome of the attempt that lost the page is passed over.
  expect(
    await completeLookUps(
      service.database,
      'enedis',
      lookUps.map((lookUp) => imported(lookUp)),
    ),
  ).toEqual([]);
  expect(await stateOf(identifier)).toMatchObject({ look_up: 'pending', facts: null });
});
