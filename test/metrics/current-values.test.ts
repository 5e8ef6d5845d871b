import { afterAll, expect, test } from '@jest/globals';
import { Pool } from 'pg';
import { createLog } from '../../src/platform/log.ts';
import { openMetrics } from '../../src/platform/metrics/metrics.ts';
import { endLease, readDispatcher, acquireLease } from '../../src/platform/work-items/dispatcher-lease.store.ts';
import { entities } from '../../src/processes/entities.ts';
import { openDatabase } from '../../src/platform/database/database.ts';
import { readBacklog } from '../../src/stuck/index.ts';
import { createTestDatabase } from '../support/test-database.ts';
import { reservePort } from '../support/test-port.ts';
import { until } from '../support/until.ts';

// A gauge reports the current state: labels that no longer apply are gone at the next read.

const log = createLog({ level: 'silent', process: 'test' });
const clone = await createTestDatabase();
const database = await openDatabase({ url: clone.url, entities, poolSize: 2, log, applicationName: 'test' });
const port = await reservePort();
const metrics = await openMetrics({ METRICS_PORT: port, METRICS_HOST: '127.0.0.1' }, log, '0.1.0');
afterAll(async () => {
  await metrics?.stop();
  await database?.close();
  await clone?.drop();
});

/** Samples of gauges that have labels, without those that describe the process itself. */
async function labelledGauges(on = port): Promise<string[]> {
  const text = await (await fetch(`http://127.0.0.1:${on}/metrics`)).text();
  const gauges = new Set([...text.matchAll(/^# TYPE (\S+) gauge$/gm)].map(([, name]) => name!));
  return text
    .split('\n')
    .filter((line) => gauges.has(/^(\w+)\{/.exec(line)?.[1] ?? ''))
    .filter((line) => !line.startsWith('build_info'));
}

test('stops reporting a killed dispatcher and work that has ended', async () => {
  metrics.observeService('backlog', () => readBacklog(database));
  await database.pool.query(
    `insert into work_item (workflow_id, kind, input, start_at) values ('w', 'import-job', '{}', now() - interval '20 minutes')`,
  );
  await acquireLease(database, 'killed/1');
  await until(async () => (await labelledGauges()).length > 0);
  const before = (await labelledGauges()).join('\n');
  expect(before).toContain('work_items_dispatcher{holder="killed/1"} 1');
  expect(before).toContain('work_items_due{kind="import-job"} 1');
  expect(before).toContain('work_items_oldest_due_age{kind="import-job"}');

  await database.pool.query(`update dispatcher_lease set held_until = now() - interval '1 second'`);
  await acquireLease(database, 'other/2');
  await database.pool.query('delete from work_item');
  await until(async () => (await labelledGauges()).join('\n').includes('holder="other/2"'));
  expect(await labelledGauges()).toEqual(['work_items_dispatcher{holder="other/2"} 1']);
});

test('reports nothing of the former holder after a change', async () => {
  const { holder } = await readDispatcher(database);
  expect(holder).toBe('other/2');
  const { rows } = await database.pool.query<{ fencing_number: string }>('select fencing_number from dispatcher_lease');
  await endLease(database, { fencingNumber: rows[0]!.fencing_number }, true);
  await until(async () => (await labelledGauges()).length === 0);
});

test('drops labels of a gauge that were not observed again', async () => {
  const port2 = await reservePort();
  const others = await openMetrics({ METRICS_PORT: port2, METRICS_HOST: '127.0.0.1' }, log, '0.1.0');
  const now = new Date();
  const pool = new Pool();
  let isPresent = true;
  const ifPresent = <One>(one: One): One[] => (isPresent ? [one] : []);
  others.observeService('state', async () => ({
    isDatabaseReady: true,
    isTemporalReady: true,
    parties: ifPresent({ party: 'STRIPE', answeredAt: now, pausedUntil: now }),
    lookups: ifPresent({ networkOperator: 'enedis', pending: 1, perSecond: 1, usedPerSecond: 1 }),
    credentials: ifPresent({ credential: 'API key', expiresAt: now }),
  }));
  others.observeService('retention', async () => ifPresent({ class: 'audit', deleted: 1, completedAt: now }));
  others.observeService('storedJobs', async () => ifPresent({ organisation: 'Acme', bytes: 1 }));
  others.observeService('backlog', async () => ({
    kinds: ifPresent({ kind: 'switch-supplier', due: 1, oldestDueAt: now }),
    dispatcher: { holder: isPresent ? 'host/1' : null, heldSince: now, isOverdue: true, lastSweptAt: now },
    slots: { held: 0, oldestAcquiredAt: isPresent ? now : null },
  }));
  others.observePool('http', pool);
  try {
    const namesOf = (lines: string[]) => new Set(lines.map((line) => line.split('{')[0]!));
    await until(async () => namesOf(await labelledGauges(port2)).has('work_items_due'));
    const before = namesOf(await labelledGauges(port2));
    isPresent = false;
    // These have the same labels while the process runs.
    const constant = /^(?:dependency_ready|db_client_)/;
    await until(async () => [...namesOf(await labelledGauges(port2))].every((name) => constant.test(name)));
    expect([...before].filter((name) => !constant.test(name)).toSorted()).toEqual([
      'credentials_expire_time',
      'import_jobs_stored',
      'look_ups_pending',
      'look_ups_rate',
      'look_ups_usable_rate',
      'partner_last_answer_age',
      'partner_resting',
      'retention_last_completed_age',
      'work_items_dispatcher',
      'work_items_due',
      'work_items_oldest_due_age',
    ]);
    expect(await (await fetch(`http://127.0.0.1:${port2}/metrics`)).text()).not.toContain('creation_slots_oldest_age ');
  } finally {
    await others.stop();
    await pool.end();
  }
});
