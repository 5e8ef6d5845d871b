import { randomUUID } from 'node:crypto';
import { afterAll, expect, test } from '@jest/globals';
import { createCallSlots } from '../../src/supply-points/throttle/call-slot.queue.ts';
import { acquirePage } from '../../src/supply-points/lookup/lookup.store.ts';
import { reserveSlots } from '../../src/supply-points/throttle/throttle.store.ts';
import { points, POPULATE, startPopulation } from '../support/population.ts';

// Lookups alternate among organisations: many batches of one do not delay the few identifiers of another.

const service = await startPopulation({ worker: false });
afterAll(() => service.stop());
const other = await service.supplierToken(['SUPPLIER_FR']);

const nextPage = async () => {
  const page = await acquirePage(service.database, {
    pageId: randomUUID(),
    networkOperator: 'enedis',
    size: 10,
    seconds: 5,
    knownDays: 30,
  });
  return 'lookups' in page ? page.lookups.map(({ identifier }) => identifier.slice(0, 2)) : [];
};

test('gives the second page to the other organisation, although many batches came before its own', async () => {
  for (let batch = 0; batch < 5; batch += 1) await service.populate(points(20, 84_000_000_000_000 + batch * 1_000));
  await service.call('POST', POPULATE, { token: other, body: { prm_ids: points(15, 85_000_000_000_000) } });
  const owners: string[][] = [];
  for (let page = 0; page < 5; page += 1) owners.push([...new Set(await nextPage())]);
  expect(owners).toEqual([['84'], ['85'], ['84'], ['85'], ['84']]);
});

test('finds a batch with pending lookups behind batches without', async () => {
  await service.database.pool.query(`update look_up set taken_by = gen_random_uuid()`);
  for (let batch = 0; batch < 60; batch += 1) await service.populate(points(1, 84_100_000_000_000 + batch));
  await service.database.pool.query(
    `update look_up set state = 'deferred', due_at = now() + interval '1 hour' where taken_by is null`,
  );
  await service.database.pool.query(
    `update population_request r set state = 'deferred' from look_up l where l.id = r.look_up_id and l.state = 'deferred'`,
  );
  await service.populate(points(1, 86_000_000_000_000));
  expect(await nextPage()).toEqual(['86']);
});

test('shares slots among organisations: one with few calls does not wait for all calls of another', async () => {
  await service.database.pool.query(`update throttle set requests_per_second = 40 where network_operator = 'grdf'`);
  const workerId = randomUUID();
  const slots = createCallSlots((wanted) => reserveSlots(service.database, 'grdf', workerId, wanted));
  const served: string[] = [];
  const seek = async (owner: string) => {
    await slots.next({ owner, endsAt: performance.now() + 60_000 });
    served.push(owner);
  };
  await Promise.all([
    ...Array.from({ length: 30 }, () => seek('many')),
    ...Array.from({ length: 5 }, () => seek('few')),
  ]);
  expect(served.filter((owner) => owner === 'few')).toHaveLength(5);
  expect(served.lastIndexOf('few')).toBeLessThanOrEqual(10);
});
