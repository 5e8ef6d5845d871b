import { afterAll, beforeEach, expect, test } from '@jest/globals';
import { dispatchPace } from '../../temporal.config.ts';
import { findExpectingWork } from '../../src/platform/work-items/compared-work.store.ts';
import {
  claimDueWork,
  deferWork,
  enqueueWork,
  holdWork,
  releaseWork,
  signalWork,
} from '../../src/platform/work-items/work-item.store.ts';
import { startService } from '../support/harness.ts';

const service = await startService();
afterAll(() => service.stop());
const { database } = service;
const query = (text: string, values: unknown[] = []) => database.pool.query(text, values);
beforeEach(() => query('delete from work_item'));

const claim = (limits: Partial<Record<keyof typeof dispatchPace, number>> = {}) =>
  claimDueWork(database, { ...dispatchPace, ...limits });
const idsOf = (works: readonly { workflowId: string }[]) => works.map(({ workflowId }) => workflowId);
const delivery = (name: string) => ({
  workflowId: `deliver-events/${name}`,
  kind: 'deliver-events' as const,
  input: { importSupplier: 'SUPPLIER_FR' },
});
const secondsUntil = async ({ workflowId }: { workflowId: string }) =>
  Number(
    (
      await query('select extract(epoch from start_at - now()) as seconds from work_item where workflow_id = $1', [
        workflowId,
      ])
    ).rows[0].seconds,
  );

test('claims each item once for several workers, and gives a small import supplier its share beside a large one', async () => {
  await query(
    `insert into work_item (workflow_id, kind, input, start_at)
     select 'verify-instruction/' || s.name || n, 'verify-payment-instruction', jsonb_build_object('importSupplier', s.name), now() - s.due
     from (values ('LARGE', 5000, interval '1 hour'), ('SMALL', 40, interval '1 minute')) s (name, items, due), generate_series(1, s.items) n`,
  );
  const first = await claim();
  expect(idsOf(first).filter((id) => id.includes('SMALL'))).toHaveLength(dispatchPace.pageSize / 2);
  const pages = [first, ...(await Promise.all(Array.from({ length: 10 }, () => claim())))];
  const ids = pages.flatMap(idsOf);
  expect(new Set(ids).size).toBe(ids.length);
  expect(ids.filter((id) => id.includes('SMALL'))).toHaveLength(40);
});

test('makes the items of a killed worker due again when its claim ends', async () => {
  await enqueueWork(database, [delivery('KILLED')], 0);
  expect(await claim()).toHaveLength(1);
  expect(await claim()).toEqual([]);
  expect(await secondsUntil(delivery('KILLED'))).toBeLessThanOrEqual(dispatchPace.claimSeconds);
  await query(`update work_item set start_at = now()`);
  expect(await claim({ claimSeconds: 0 })).toHaveLength(1);
  expect(await claim()).toHaveLength(1);
});

test('defers started work, but not work that was signaled or rescheduled since the claim', async () => {
  const [started, signalled, again, moved] = ['STARTED', 'SIGNALLED', 'AGAIN', 'MOVED'].map(delivery);
  await enqueueWork(database, [started!, signalled!, moved!], 0);
  await signalWork(database, [again!], 0);
  const claimed = await claim();
  expect(claimed).toHaveLength(4);
  await signalWork(database, [signalled!], 30);
  await query(`update work_item set start_at = now() + interval '2 seconds' where workflow_id = $1`, [
    moved!.workflowId,
  ]);
  await deferWork(
    database,
    claimed.map((work) => ({ ...work, seconds: 3_600 })),
  );
  expect(await secondsUntil(started!)).toBeGreaterThan(3_000);
  // Its signal was sent.
  expect(await secondsUntil(again!)).toBeGreaterThan(3_000);
  expect(await secondsUntil(signalled!)).toBeLessThanOrEqual(dispatchPace.claimSeconds);
  expect(await secondsUntil(moved!)).toBeLessThanOrEqual(2);
});

test('claims new work before work that was started before, which still gets some starts', async () => {
  const started = Array.from({ length: 2_000 }, (_, n) => delivery(`OLD-${n}`));
  await enqueueWork(database, started);
  await query(`update work_item set created_at = now() - interval '1 hour', start_at = now() - interval '10 minutes'`);
  await enqueueWork(database, [delivery('NEW')], 0);
  const claimed = await claim();
  expect(claimed[0]).toMatchObject({ workflowId: 'deliver-events/NEW', wasStarted: false });
  expect(claimed).toHaveLength(dispatchPace.pageSize);
  await enqueueWork(
    database,
    Array.from({ length: 100 }, (_, n) => delivery(`NEW-${n}`)),
    0,
  );
  const crowded = await claim();
  expect(crowded.filter(({ wasStarted }) => !wasStarted)).toHaveLength(dispatchPace.pageSize);
  expect(crowded).toHaveLength(dispatchPace.pageSize + dispatchPace.againMin);
});

test('dispatches held work only after its hold, and holds it for longer only while it is held', async () => {
  const [held, released, expired] = ['HELD', 'RELEASED', 'EXPIRED'].map(delivery);
  await holdWork(database, [held!, released!], 60);
  await holdWork(database, [expired!], 0);
  // The consistency check expects no run of held work, however long it is held.
  await query(`update work_item set created_at = now() - interval '1 hour'`);
  const expecting = await findExpectingWork(database, '', 10);
  expect(expecting.filter(({ isScheduled }) => !isScheduled)).toEqual([]);
  await holdWork(database, [held!, expired!], 600);
  expect(await secondsUntil(held!)).toBeGreaterThan(500);
  expect(idsOf(await claim())).toEqual([expired!.workflowId]);
  expect([...(await releaseWork(database, idsOf([released!, expired!])))].sort()).toEqual(
    [expired!.workflowId, released!.workflowId].sort(),
  );
  expect(await secondsUntil(released!)).toBeLessThanOrEqual(30);
  expect(await releaseWork(database, [released!.workflowId])).toEqual(new Set());
});
